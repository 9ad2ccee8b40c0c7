package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
)

// source hands out the units of one kind of exploration, in a fixed order.
type source interface {
	// next returns the next unit, or nil if there is none at present; stopped reports whether any are left.
	next() *unit
	// merged receives the results of the units, in order, after each round.
	merged([]*unit)
	// stopped returns the reason why no units are left, or "" if there are some.
	stopped() string
}

// tree is the source of deepening: the units of one depth after the other.
type tree struct {
	roots []choose.Path
	most  int // maximum depth
	by    int // increase of the depth per round
	reached
}

// reached is the progress of a tree.
type reached struct {
	Bound     int     `json:"bound"`
	Exhausted int     `json:"exhausted"`         // depth
	Bounded   bool    `json:"bounded,omitempty"` // some run of this depth was ended by the bound
	Sampled   bool    `json:"sampled,omitempty"` // only a sample of some draw was enumerated
	Through   bool    `json:"through,omitempty"` // no depth is left
	Complete  bool    `json:"complete,omitempty"`
	Pending   []*unit `json:"pending,omitempty"` // last first, so that few wait
}

func (t *tree) next() *unit {
	if t.stopped() != "" {
		return nil
	}
	if n := len(t.Pending); n > 0 {
		u := t.Pending[n-1]
		t.Pending = t.Pending[:n-1]
		return u
	}
	if t.Bound > t.Exhausted {
		return nil // all units of this depth are in progress
	}
	t.Bound = min(t.Bound+t.by, t.most)
	t.Bounded = false
	u := &unit{phase: deepeningPhase, Job: runs.Job{Bound: t.Bound}}
	for _, r := range t.roots {
		u.Items = append(u.Items, runs.Item{Path: r})
	}
	return u
}

func (t *tree) merged(done []*unit) {
	var left []*unit
	whole := true
	for _, u := range done {
		t.Bounded = t.Bounded || u.bounded
		t.Sampled = t.Sampled || len(u.totals.sampled) > 0
		whole = whole && !u.stopped
		if u.rest == nil {
			continue
		}
		n := 1
		if len(t.Pending) < unitsPerRound {
			n = unitChunks
		}
		for _, j := range u.rest.Split(n) {
			left = append(left, &unit{phase: u.phase, Job: j})
		}
	}
	for i := range left {
		t.Pending = append(t.Pending, left[len(left)-1-i])
	}
	if len(t.Pending) == 0 && whole {
		t.Exhausted = t.Bound
		t.Through = !t.Bounded
		t.Complete = t.Through && !t.Sampled
	}
}

func (t *tree) stopped() string {
	switch {
	case t.Complete:
		return stats.StoppedComplete
	case t.Through:
		return stats.StoppedSampled
	case t.Exhausted >= t.most:
		return stats.StoppedDepth
	}
	return ""
}

// walkSeries is the source of numbered walks.
type walkSeries struct {
	phase   phase
	number  int       // of the next walk
	end     int       // number of the last walk plus one; 0 means no end
	pending []*unit   // in order
	turns   *rotation // nil if there are no schedules
}

func (r *walkSeries) next() *unit {
	if len(r.pending) > 0 {
		u := r.pending[0]
		r.pending = r.pending[1:]
		return u
	}
	n := unitRuns
	if r.end > 0 {
		if n = min(n, r.end-r.number); n <= 0 {
			return nil
		}
	}
	u := &unit{phase: r.phase, Job: runs.Job{First: r.number, Count: n}}
	if r.turns != nil {
		if r.number%updateRuns == 0 {
			r.turns.updateShares()
		}
		u.Mix = r.turns.mix
	}
	r.number += n
	return u
}

func (r *walkSeries) merged(done []*unit) {
	var left []*unit
	for _, u := range done {
		if u.rest != nil {
			left = append(left, u.rest)
		}
	}
	r.pending = append(left, r.pending...)
	if r.turns != nil {
		r.turns.learn(done)
	}
}

func (r *walkSeries) stopped() string {
	if r.end > 0 && r.number >= r.end && len(r.pending) == 0 {
		return stats.StoppedDepth
	}
	return ""
}

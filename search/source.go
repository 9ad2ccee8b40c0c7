package search

import "github.com/macemc/macemc/choose"

// source hands out the units of one kind of exploration, in a fixed order.
type source interface {
	// next returns the next unit; nil: there is none, now or ever, see stopped.
	next() *unit
	// merged is told what units came to, in order, after each round.
	merged([]*unit)
	// stopped says why there is nothing left; "" when there is.
	stopped() string
}

// tree is the source of deepening: the units of one depth after the other.
type tree struct {
	roots []choose.Path
	most  int // depth
	by    int // how much deeper each time
	reached
}

// reached is how far a tree came.
type reached struct {
	bound   int
	pending []*unit // last first, so that few wait
	bounded bool    // some run of this depth was ended by the bound
	sampled bool    // of some draw only a sample was enumerated

	exhausted int  // depth
	through   bool // no depth is left
	complete  bool
}

func (t *tree) next() *unit {
	if t.stopped() != "" {
		return nil
	}
	if n := len(t.pending); n > 0 {
		u := t.pending[n-1]
		t.pending = t.pending[:n-1]
		return u
	}
	if t.bound > t.exhausted {
		return nil // all units of this depth are being done
	}
	t.bound = min(t.bound+t.by, t.most)
	t.bounded = false
	u := &unit{phase: deepeningPhase, bound: t.bound}
	for _, r := range t.roots {
		u.items = append(u.items, item{path: r})
	}
	return u
}

func (t *tree) merged(done []*unit) {
	var left []*unit
	whole := true
	for _, u := range done {
		t.bounded = t.bounded || u.bounded
		t.sampled = t.sampled || len(u.sampled) > 0
		whole = whole && !u.stopped
		if u.left == nil {
			continue
		}
		n := 1
		if len(t.pending) < unitsPerRound {
			n = unitChunks
		}
		left = append(left, u.left.split(n)...)
	}
	for i := range left {
		t.pending = append(t.pending, left[len(left)-1-i])
	}
	if len(t.pending) == 0 && whole {
		t.exhausted = t.bound
		t.through = !t.bounded
		t.complete = t.through && !t.sampled
	}
}

func (t *tree) stopped() string {
	switch {
	case t.complete:
		return StoppedComplete
	case t.through:
		return StoppedSampled
	case t.exhausted >= t.most:
		return StoppedDepth
	}
	return ""
}

// row is the source of numbered walks.
type row struct {
	phase   phase
	number  int       // of the next walk
	end     int       // number of the last one plus one; 0: no end
	pending []*unit   // first first
	turns   *rotation // nil: there are no schedules
}

func (r *row) next() *unit {
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
	u := &unit{phase: r.phase, first: r.number, count: n}
	if r.turns != nil {
		if r.number%creditRuns == 0 {
			r.turns.credit()
		}
		u.mix = r.turns.mix
	}
	r.number += n
	return u
}

func (r *row) merged(done []*unit) {
	var left []*unit
	for _, u := range done {
		if u.left != nil {
			left = append(left, u.left)
		}
	}
	r.pending = append(left, r.pending...)
	if r.turns != nil {
		r.turns.learn(done)
	}
}

func (r *row) stopped() string {
	if r.end > 0 && r.number >= r.end && len(r.pending) == 0 {
		return StoppedDepth
	}
	return ""
}

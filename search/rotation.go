package search

import (
	"slices"

	"github.com/macemc/macemc/internal/search/schedules"
)

const (
	// mixRuns is the length of the order in which schedules take turns.
	mixRuns = unitRuns
	// updateRuns is the number of a source's runs after which the shares of schedules change.
	updateRuns = 8 * mixRuns
)

// rotation assigns a schedule to each run of a source of walks. Each schedule has at least half of its share in the table. The
// other half goes to schedules that find new behaviour. Shares change after every 512th run, by the results of earlier
// rounds, so that they do not depend on the number of workers.
type rotation struct {
	names []string
	base  []float64 // shares of the table, which sum to 1
	mix   []uint8   // by number of the run modulo mixRuns: index in names; replaced, never changed
	rates []float64
	seen  map[uint64]bool // changes of node states that some run has made, see novelty

	found, steps []int // by index in names, since the last change of shares
}

// mostSeen bounds the memory of a rotation. When it is full, it is cleared, and everything counts as new again.
const mostSeen = 1 << 17

func newRotation(names []string, faults bool) *rotation {
	r := &rotation{names: names, rates: make([]float64, len(names)), seen: map[uint64]bool{}, found: make([]int, len(names)),
		steps: make([]int, len(names))}
	all := 0.0
	for _, name := range names {
		i := slices.Index(schedules.Names(), name)
		share := schedules.All[i].Walks
		if faults {
			share = schedules.All[i].Faulty
		}
		if share == 0 {
			share = 1 // it was requested
		}
		r.base = append(r.base, share)
		all += share
	}
	for i := range r.base {
		r.base[i] /= all
	}
	r.drawTurns()
	return r
}

// scheduleResults is the result of the runs of a unit, by schedule.
type scheduleResults struct {
	tallies []scheduleTally // by index in the rotation's names
	pairs   [][]uint64      // by index: hashes of the changes of node states in sampled runs
	steps   []int           // by index: the steps of sampled runs
}

func (n *scheduleResults) reset(schedules int) {
	n.tallies, n.pairs, n.steps = make([]scheduleTally, schedules), make([][]uint64, schedules), make([]int, schedules)
}

// learn adds the results of the units of a round.
func (r *rotation) learn(units []*unit) {
	if len(r.names) == 1 {
		return
	}
	if len(r.seen) > mostSeen {
		clear(r.seen)
	}
	for _, u := range units {
		for i, pairs := range u.schedules.pairs {
			r.steps[i] += u.schedules.steps[i]
			for _, p := range pairs {
				if !r.seen[p] {
					r.seen[p] = true
					r.found[i]++
				}
			}
		}
	}
}

// updateShares changes the shares by the results since the last change.
func (r *rotation) updateShares() {
	for i := range r.rates {
		if r.steps[i] > 0 {
			r.rates[i] = (r.rates[i] + float64(r.found[i])/float64(r.steps[i])) / 2
		}
	}
	clear(r.found)
	clear(r.steps)
	r.drawTurns()
}

// drawTurns orders the turns, so that those of each schedule are spread evenly.
func (r *rotation) drawTurns() {
	n := len(r.names)
	all := 0.0
	for _, rate := range r.rates {
		all += rate
	}
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = r.base[i]
		if all > 0 {
			shares[i] = shares[i]/2 + r.rates[i]/all/2
		}
	}
	due := slices.Clone(shares)
	r.mix = make([]uint8, mixRuns)
	for k := range r.mix {
		most := 0
		for i := range due {
			if due[i] > due[most] {
				most = i
			}
		}
		r.mix[k] = uint8(most)
		due[most]--
		for i := range due {
			due[i] += shares[i]
		}
	}
}

package search

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// item is a part of the search tree that has not been explored: the alternatives Next to Arity-1 of
// the choice that follows Path; all that follows Path when Arity is 0. With Walk set it is a walk from
// the end of Path instead.
type item struct {
	Path   choose.Path `json:"path"`
	Depth  int32       `json:"depth"`            // choices that Path costs
	Forced int32       `json:"forced,omitempty"` // steps with one alternative at its end
	Next   int32       `json:"next,omitempty"`
	Arity  int32       `json:"arity,omitempty"`
	Cost   int32       `json:"cost,omitempty"`  // of the alternatives Next to Arity-1
	Order  []int32     `json:"order,omitempty"` // as of a frame; only read
	Walk   bool        `json:"walk,omitempty"`
	State  *layer      `json:"state,omitempty"` // the state at which the choice is made, nil if that does not matter
}

// frame is a choice on the run in progress that has alternatives left.
type frame struct {
	pos    int32 // of the choice in the path
	next   int32
	arity  int32
	depth  int32 // choices before it
	forced int32
	cost   int32 // of the alternatives left
	// The alternatives of an event, or of a draw that is sampled, in the order in which they are explored: those of [deepening.orders]
	// from this index on, so far as there are any. The others come as they are numbered.
	order int32
	ranks int32
}

// layer is a state on the run in progress.
type layer struct {
	Pos      int32           `json:"pos"` // length of the path to it
	State    sim.Fingerprint `json:"state"`
	Fresh    int32           `json:"fresh,omitempty"` // successors by the recovery relation that had not been seen before
	Live     bool            `json:"live,omitempty"`
	Recovers bool            `json:"recovers,omitempty"` // it is live, or a live state was reached from it by the recovery relation
	Aside    bool            `json:"aside,omitempty"`    // the step to it is not in the recovery relation
	Walked   bool            `json:"walked,omitempty"`   // a walk went on from it
}

// pushFrame adds the choice that follows the run in progress, of which the alternatives from next on
// are left.
func (s *deepening) pushFrame(pos, next int32, arity int, cost int32) {
	s.frames = append(s.frames, frame{
		pos: pos, next: next, arity: int32(arity), depth: s.depth, forced: s.forced, cost: cost, order: int32(len(s.orders)),
	})
}

// rank orders the alternatives of the top frame, which are the events, so that those come first which
// random walks prefer. Where the search stops within a depth, it has been through what is likely then:
// in the order of the list, a timer that can always fire comes before all messages of later nodes.
func (s *deepening) rank(events []sim.Event) {
	f := &s.frames[len(s.frames)-1]
	for i := range int32(len(events)) {
		s.orders = append(s.orders, i)
	}
	order := s.orders[f.order:]
	slices.SortStableFunc(order, func(i, j int32) int {
		return s.walker.scale.WeightHere(&events[j]) - s.walker.scale.WeightHere(&events[i])
	})
	f.ranks = int32(len(order))
}

// sample makes the alternatives of the top frame those of p that are enumerated.
func (s *deepening) sample(p *choose.Point) {
	for i := range p.Offered() {
		s.orders = append(s.orders, int32(p.Alternative(i)))
	}
	s.frames[len(s.frames)-1].ranks = int32(p.Offered())
}

// alternative returns the one of frame f that is explored as the i-th.
func (s *deepening) alternative(f *frame, i int32) int32 {
	if i < f.ranks {
		return s.orders[f.order+i]
	}
	return i
}

func cost(arity int) int32 {
	if arity > 1 {
		return 1
	}
	return 0
}

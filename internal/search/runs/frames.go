package runs

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/netmodel"
)

// Item is an unexplored part of the search tree: the alternatives Next to Arity-1 of the choice that follows Path, or
// everything that follows Path if Arity is 0. With Walk it is a walk from the end of Path instead.
type Item struct {
	Path   choose.Path `json:"path"`
	Depth  int32       `json:"depth"`            // cost of Path, in choices
	Forced int32       `json:"forced,omitempty"` // steps with one alternative at its end
	Next   int32       `json:"next,omitempty"`
	Arity  int32       `json:"arity,omitempty"`
	Cost   int32       `json:"cost,omitempty"`  // of the alternatives Next to Arity-1
	Order  []int32     `json:"order,omitempty"` // as in a frame; read-only
	Walk   bool        `json:"walk,omitempty"`
	State  *Layer      `json:"state,omitempty"` // the state at which the choice is made; nil if it does not matter
}

// frame is an entry of the search stack: a choice on the run in progress that has alternatives left.
type frame struct {
	pos    int32 // position of the choice in the path
	next   int32
	arity  int32
	depth  int32 // choices before it
	forced int32
	cost   int32 // of the alternatives left
	// Alternatives of an event, or of a sampled draw, in the order in which they are explored: ranks entries of
	// [Deepening.orders] from this index on. Later alternatives follow in numerical order.
	order int32
	ranks int32
}

// Layer is a state on the run in progress, which is the stack of a depth-first search.
type Layer struct {
	Pos           int32                `json:"pos"` // length of the path to it
	State         encoding.Fingerprint `json:"state"`
	NewSuccessors int32                `json:"fresh,omitempty"` // successors by the recovery relation that were not seen before
	Live          bool                 `json:"live,omitempty"`
	Recovers      bool                 `json:"recovers,omitempty"` // it is live, or the recovery relation led from it to a live state
	NotRecovery   bool                 `json:"aside,omitempty"`    // the step to it is outside the recovery relation
	Walked        bool                 `json:"walked,omitempty"`   // a walk continued from it
}

// pushFrame adds the choice that follows the run in progress, with the alternatives from next on left.
func (s *Deepening) pushFrame(pos, next int32, arity int, cost int32) {
	s.frames = append(s.frames, frame{
		pos: pos, next: next, arity: int32(arity), depth: s.depth, forced: s.forced, cost: cost, order: int32(len(s.orders)),
	})
}

// rank orders the alternatives of the top frame, which are events, by the preference of random walks. A search that
// stops within a depth has then explored the likely events. In list order, a timer that can always fire would come
// before all messages of later nodes.
func (s *Deepening) rank(events []netmodel.Event) {
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

// sample makes the enumerated alternatives of p those of the top frame.
func (s *Deepening) sample(p *choose.Point) {
	for i := range p.Offered() {
		s.orders = append(s.orders, int32(p.Alternative(i)))
	}
	s.frames[len(s.frames)-1].ranks = int32(p.Offered())
}

// alternative returns the alternative of frame f that is explored as the i-th.
func (s *Deepening) alternative(f *frame, i int32) int32 {
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

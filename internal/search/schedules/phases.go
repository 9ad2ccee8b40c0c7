package schedules

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// Length of a phase in steps.
const (
	leastPhase = 5
	mostPhase  = 44
)

// changeOdds: one in so many actions, timers and links changes its speed after a phase. Most phases therefore differ
// from the last one, and some links are slow for a very long time.
const changeOdds = 4

// fifoBias is the factor by which the oldest message of a link is more probable than others.
const fifoBias = 16

// phases is the schedule [Phases].
type phases struct {
	*Base
	random    *choose.Random
	left      int // steps left of the phase
	nodes     int
	sendOrder sendOrder

	actions []int // factors of weights, by slot
	timers  []int // by node
	from    []int // for messages, by receiver and sender
	weights []int // of the enabled events
}

func (s *phases) Begin(r *choose.Random, w kernel.World, _ int) {
	sys := w.System()
	s.random, s.left, s.nodes = r, 0, sys.Nodes
	s.actions = append(s.actions[:0], make([]int, len(sys.Actions))...)
	s.timers, s.from = append(s.timers[:0], make([]int, s.nodes)...), append(s.from[:0], make([]int, s.nodes*s.nodes)...)
	s.sendOrder.reset(s.nodes)
}

// redraw begins a phase.
func (s *phases) redraw() {
	s.left = leastPhase + s.random.IntN(mostPhase-leastPhase+1)
	s.change(s.actions, 2)
	s.change(s.timers, 3)
	s.change(s.from, 3)
}

// change redraws some of the factors, which are powers 0 to 3 of 1<<bits. Factors of 0 have not been drawn yet.
func (s *phases) change(factors []int, bits int) {
	for i := range factors {
		if factors[i] == 0 || s.random.IntN(changeOdds) == 0 {
			factors[i] = 1 << (bits * s.random.IntN(4))
		}
	}
}

func (s *phases) Next(w kernel.World, enabled []netmodel.Event) int {
	if s.left == 0 {
		s.redraw()
	}
	s.left--
	s.sendOrder.follow(w, enabled)
	total := 0
	s.weights = s.weights[:0]
	for i := range enabled {
		weight := s.factor(i, &enabled[i])
		s.weights = append(s.weights, weight)
		total += weight
	}
	return draw(s.random, s.weights, total)
}

// factor returns the weight of an event in this phase.
func (s *phases) factor(i int, ev *netmodel.Event) int {
	switch {
	case s.WeightOf(ev) == 0:
		return 0
	case ev.Kind == eventkind.DoAction:
		return s.actions[ev.Slot] * fifoBias / 4
	case ev.Kind == eventkind.FireTimer:
		return s.timers[ev.Node] * fifoBias / 8
	case ev.Kind == eventkind.Deliver:
		w := s.from[int(ev.Node)*s.nodes+int(ev.Peer)]
		if s.sendOrder.oldest(i, ev) {
			w *= fifoBias
		}
		return w
	}
	return 8 * fifoBias
}

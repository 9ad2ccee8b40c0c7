package schedules

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// weighted is the schedule [Weighted].
type weighted struct {
	*Base
	random *choose.Random
	drawn  Scale // the weights of the part in progress
}

// Bounds of drawn weights: the number of halvings or doublings.
const (
	drawnOdds      = 3 // one in that many parts has drawn weights
	actionHalvings = 6
	timerDoublings = 3
)

func (s *weighted) Begin(r *choose.Random, _ kernel.World, _ int) {
	s.random, s.drawn = r, s.Scale
	if s.Given || s.Plain || r.IntN(drawnOdds) > 0 {
		return
	}
	s.drawn.weights[eventkind.FireTimer] <<= r.IntN(timerDoublings + 1)
	less := r.IntN(actionHalvings + 1)
	lower := func(w *int) {
		if *w > 0 {
			*w = max(1, *w>>less)
		}
	}
	lower(&s.drawn.weights[eventkind.DoAction])
	if s.drawn.actions != nil {
		s.drawn.actions = slices.Clone(s.drawn.actions)
		for i := range s.drawn.actions {
			lower(&s.drawn.actions[i])
		}
	}
}

func (s *weighted) Next(_ kernel.World, enabled []netmodel.Event) int {
	return s.drawn.Draw(s.random, enabled)
}

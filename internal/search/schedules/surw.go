package schedules

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// surw is the schedule [SURW]. The threads of the paper are the sources of events, as in [pct]. Their numbers of
// events are unknown, so they are drawn: powers of two up to 1<<mostDoublings.
type surw struct {
	*Base
	random   *choose.Random
	seed     uint64
	odds     uint64 // one source in that many is selected
	left     []surwSource
	intended uint64 // the selected source whose event is next among those of selected sources
	patience int    // number of states left in which the intended source may have no event; 0 means that none is intended
	sources  sources
	events   []surwEvent
	weights  []int // by index in left
}

// surwSource is a selected source.
type surwSource struct {
	source uint64
	left   int // events left by the estimate
}

// surwEvent is an enabled event that has weight.
type surwEvent struct {
	index, weight int
	source        uint64
	selected      bool
}

const (
	mostDoublings = 4
	mostOdds      = 4 // a quarter of the parts selects all sources
	mostPatience  = 64
)

func (s *surw) Begin(r *choose.Random, w kernel.World, _ int) {
	s.random, s.seed, s.left, s.patience = r, r.Uint64(), s.left[:0], 0
	s.odds = 1 + uint64(r.IntN(mostOdds))
	s.sources.reset(w)
}

func (s *surw) selects(source uint64) bool { return choose.Mix(s.seed^source)%s.odds == 0 }

// estimate returns the drawn number of events of a source.
func (s *surw) estimate(source uint64) int {
	return 1 << (choose.Mix(s.seed+source) % (mostDoublings + 1))
}

// at returns the index of a selected source in left.
func (s *surw) at(source uint64) int {
	for i := range s.left {
		if s.left[i].source == source {
			return i
		}
	}
	s.left = append(s.left, surwSource{source, s.estimate(source)})
	return len(s.left) - 1
}

func (s *surw) Next(w kernel.World, enabled []netmodel.Event) int {
	s.sources.follow(w)
	s.list(enabled)
	if !s.enabled(s.intended) {
		s.patience = max(0, s.patience-1)
	}
	if s.patience == 0 {
		s.intend(true)
	}
	pick := s.draw()
	if pick == nil { // all events are of selected sources, and none is of the intended one
		s.intend(false)
		if pick = s.draw(); pick == nil {
			return -1
		}
	}
	if pick.selected {
		i := s.at(pick.source)
		s.left[i].left = max(0, s.left[i].left-1)
		s.patience = 0
	}
	return pick.index
}

// list lists the enabled events that have weight.
func (s *surw) list(enabled []netmodel.Event) {
	s.events = s.events[:0]
	for i := range enabled {
		if weight := s.WeightOf(&enabled[i]); weight > 0 {
			source := s.sources.of(&enabled[i])
			s.events = append(s.events, surwEvent{i, weight, source, s.selects(source)})
		}
	}
}

func (s *surw) enabled(source uint64) bool {
	for i := range s.events {
		if s.events[i].source == source {
			return true
		}
	}
	return false
}

// intend draws the intended source among the selected ones, in proportion to their events left. Those without an event
// count if absent is set.
func (s *surw) intend(absent bool) {
	for i := range s.events {
		if s.events[i].selected {
			s.at(s.events[i].source)
		}
	}
	total := 0
	s.weights = s.weights[:0]
	for i := range s.left {
		weight := s.left[i].left
		if s.enabled(s.left[i].source) {
			weight = max(1, weight)
		} else if !absent {
			weight = 0
		}
		s.weights = append(s.weights, weight)
		total += weight
	}
	if s.patience = 0; total == 0 {
		return
	}
	at := s.random.IntN(total)
	for i, weight := range s.weights {
		if at -= weight; at < 0 {
			s.intended, s.patience = s.left[i].source, 1+s.random.IntN(mostPatience)
			return
		}
	}
}

// draw draws among the events of the intended source and of sources that are not selected. Nil means none.
func (s *surw) draw() *surwEvent {
	total := 0
	may := func(e *surwEvent) bool { return !e.selected || s.patience > 0 && e.source == s.intended }
	for i := range s.events {
		if may(&s.events[i]) {
			total += s.events[i].weight
		}
	}
	if total == 0 {
		return nil
	}
	at := s.random.IntN(total)
	for i := range s.events {
		if e := &s.events[i]; may(e) {
			if at -= e.weight; at < 0 {
				return e
			}
		}
	}
	panic("unreachable: a draw below the total falls into some weight")
}

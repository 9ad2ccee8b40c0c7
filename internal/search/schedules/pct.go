package schedules

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// pctChanges is the number of times that the highest priority becomes the lowest: one less than the depth.
const pctChanges = 2

// pct is the schedule [PCT]. Priorities are functions of the source, so only those that became the lowest are
// stored.
type pct struct {
	*Base
	seed    uint64
	changes [pctChanges]int // the steps of the part before which priorities change
	step    int
	low     []uint64 // sources of the lowest priorities, the lowest last
	sources sources
}

func (s *pct) Begin(r *choose.Random, w kernel.World, steps int) {
	s.seed, s.step, s.low = r.Uint64(), 0, s.low[:0]
	for i := range s.changes {
		s.changes[i] = r.IntN(steps)
	}
	s.sources.reset(w)
}

func (s *pct) Next(w kernel.World, enabled []netmodel.Event) int {
	s.sources.follow(w)
	best := s.highest(enabled)
	for _, change := range s.changes {
		if change == s.step && best >= 0 {
			s.low = append(s.low, s.sources.of(&enabled[best]))
			best = s.highest(enabled)
		}
	}
	s.step++
	return best
}

func (s *pct) highest(events []netmodel.Event) int {
	best, most, tie := -1, uint64(0), uint64(0)
	for i := range events {
		ev := &events[i]
		if s.WeightOf(ev) == 0 {
			continue
		}
		source := s.sources.of(ev)
		priority := choose.Mix(s.seed^source) | 1<<63
		if low := slices.Index(s.low, source); low >= 0 {
			priority = uint64(len(s.low) - low)
		} else if ev.Kind == eventkind.FireTimer {
			priority >>= 1 // below messages in flight
		}
		if priority < most {
			continue
		}
		if own := choose.Mix(s.seed + eventWord(ev)); priority > most || own > tie {
			best, most, tie = i, priority, own
		}
	}
	return best
}

// sources identifies the sources of events: a link, the timers of a node, an action of a node.
type sources struct {
	fired []uint64 // by node: number of its timers that fired
	begun bool
}

func (s *sources) reset(w kernel.World) {
	s.fired, s.begun = append(s.fired[:0], make([]uint64, w.System().Nodes)...), false
}

// follow counts the timer that the last step fired. It must be called in each state of a part.
func (s *sources) follow(w kernel.World) {
	if s.begun {
		if last := &w.Last().Event; last.Kind == eventkind.FireTimer {
			s.fired[last.Node]++
		}
	}
	s.begun = true
}

// of identifies the source of an event. The timers of a node become another source after each firing, because timers
// that are armed again and again would otherwise block all other events.
func (s *sources) of(ev *netmodel.Event) uint64 {
	e := *ev
	switch e.Kind {
	case eventkind.FireTimer:
		e.Slot, e.Peer = 0, sim.NodeID(s.fired[e.Node]&0x7fff)
	case eventkind.Deliver, eventkind.TakeQuorum:
		e.Slot = 0
	}
	return eventWord(&e)
}

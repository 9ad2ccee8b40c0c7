package search

import (
	"slices"

	"github.com/macemc/macemc/internal/search/runloop"
)

func (s *deepening) begin(u *unit) {
	s.bound, s.own = u.bound, u.states
	s.items = append(s.items[:0], u.Items...)
	s.frames, s.orders, s.layers, s.awaits = s.frames[:0], s.orders[:0], s.layers[:0], false
	s.bounded = false
}

// rest returns the unexplored rest as one unit, in the order of exploration, or nil if there is none. The last run must
// have reached its end.
func (s *deepening) rest(u *unit) *unit {
	var items []item
	if s.awaits {
		items = append(items, item{Path: s.redo.Clone(), Walk: true})
		for n := len(s.layers) - 2; n >= 0 && s.layers[n].Pos > s.open(); n-- {
			if p := &s.layers[n]; s.due(p) {
				items = append(items, item{Path: s.redo[:p.Pos].Clone(), Walk: true})
			}
		}
	}
	for k := len(s.frames) - 1; k >= 0; k-- {
		f := s.frames[k]
		if f.next >= f.arity {
			continue
		}
		it := item{
			Path: s.path[:f.pos].Clone(), Depth: f.depth, Forced: f.forced, Next: f.next, Arity: f.arity, Cost: f.cost,
			Order: slices.Clone(s.orders[f.order : f.order+f.ranks]),
		}
		for i := len(s.layers) - 1; i >= 0; i-- {
			if l := s.layers[i]; l.Pos <= f.pos {
				if k == len(s.frames)-1 || l.Fresh == 0 {
					it.State = &l
				}
				break
			}
		}
		items = append(items, it)
	}
	items = append(items, s.items...)
	if len(items) == 0 {
		return nil
	}
	return &unit{phase: u.phase, bound: u.bound, Items: items}
}

func (s *deepening) account(o *runloop.Outcome, events int, t *tallies) {
	d, w := t.of(deepeningPhase), t.of(leafWalks)
	if s.walk {
		n := o.Steps - s.leaf.step
		events -= n
		w.events += n
		w.ended(o)
		if o.End == runloop.AtGoal {
			w.steps.Add(n)
			w.choices.Add(o.Choices - s.leaf.choices)
		}
	}
	d.events += events
	if s.again {
		return
	}
	switch {
	case s.walk:
		d.paths++
		d.steps.Add(s.leaf.step)
	default:
		d.ended(o)
		d.steps.Add(o.Steps)
	}
	if s.seen && s.walk {
		d.duplicates++
	}
	d.choices.Add(int(s.depth))
}

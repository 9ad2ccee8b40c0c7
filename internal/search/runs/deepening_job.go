package runs

import (
	"slices"

	"github.com/macemc/macemc/internal/search/fpset"
)

// Begin implements [Strategy].
func (s *Deepening) Begin(j *Job, states *fpset.Set) {
	s.bound, s.own = j.Bound, states
	s.items = append(s.items[:0], j.Items...)
	s.frames, s.orders, s.layers, s.walkDue = s.frames[:0], s.orders[:0], s.layers[:0], false
	s.bounded = false
}

// Rest implements [Strategy]. The rest is in the order of exploration.
func (s *Deepening) Rest(j *Job) *Job {
	var items []Item
	if s.walkDue {
		items = append(items, Item{Path: s.walkFrom.Clone(), Walk: true})
		for n := len(s.layers) - 2; n >= 0 && s.layers[n].Pos > s.open(); n-- {
			if p := &s.layers[n]; s.due(p) {
				items = append(items, Item{Path: s.walkFrom[:p.Pos].Clone(), Walk: true})
			}
		}
	}
	for k := len(s.frames) - 1; k >= 0; k-- {
		f := s.frames[k]
		if f.next >= f.arity {
			continue
		}
		it := Item{
			Path: s.path[:f.pos].Clone(), Depth: f.depth, Forced: f.forced, Next: f.next, Arity: f.arity, Cost: f.cost,
			Order: slices.Clone(s.orders[f.order : f.order+f.ranks]),
		}
		for i := len(s.layers) - 1; i >= 0; i-- {
			if l := s.layers[i]; l.Pos <= f.pos {
				if k == len(s.frames)-1 || l.NewSuccessors == 0 {
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
	return &Job{Bound: j.Bound, Items: items}
}

// Branch describes a run of [Deepening].
type Branch struct {
	Walk              bool // it ended with a walk, after Leaf steps
	Leaf, LeafChoices int
	Again             bool // it was made only for the walk
	Seen              bool // the walk, or else the run, was at a state that was seen before
	Depth             int  // choices of the exhaustive part
}

// Branch describes the run that has just ended.
func (s *Deepening) Branch() Branch {
	return Branch{Walk: s.walk, Leaf: s.leaf.step, LeafChoices: s.leaf.choices, Again: s.again, Seen: s.seen, Depth: int(s.depth)}
}

// Bounded reports whether the bound ended some run of the job.
func (s *Deepening) Bounded() bool { return s.bounded }

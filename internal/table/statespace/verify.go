package statespace

import (
	"slices"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/netmodel"
)

// Taken is a step that was executed in the world.
type Taken struct {
	Number int // index of the event
	Ev     netmodel.Event
	note   uint8
}

// EachStep executes all steps from the state under expansion in the world, and calls f after each.
func (g *Graph) EachStep(f func(t Taken) error) error {
	s, w := g.Configs, g.World
	base := g.Vector
	s.Unpack(g.WorldVector, base)
	w.Restore(base)
	up := w.UpNodes
	g.Events = w.AllEvents(g.Events[:0])
	for i, ev := range g.Events {
		ordinary := w.IsRecovery(ev)
		for g.Answers.Reset(); g.Answers.Next(); {
			g.World.Passing.Begin()
			err := w.Advance(&ev, &g.Answers)
			failed := err != nil && g.fails(err)
			if failed {
				w.Restore(base)
			} else if err != nil {
				g.BadEvent, g.BadPicks = i, g.Answers.Path()
				return err
			}
			note := uint8(max(0, ev.Node))
			if ordinary && !failed && recovered(w, &g.Answers) {
				note |= NoteOrdinary
			}
			if err := f(Taken{i, ev, note}); err != nil {
				return err
			}
			copy(w.Vector, base)
			w.UpNodes = up
			if failed && g.Configs.endless(err, g.Answers.Path()) {
				break
			}
			if err := g.Answers.Stop(); err != nil {
				return err
			}
		}
	}
	return nil
}

// verify executes all steps from the state under expansion in the world, running the handlers again, and compares
// their successors with its transitions. The transitions listed from number t on do not sleep.
func (g *Graph) verify(number int, e *graph.Edges, t int) error {
	w := g.World
	steps := w.Counters.Steps
	w.Samples.All, w.Samples.Rebuild = true, number&(number+1) == 0
	defer func() { w.Samples.All, w.Counters.Steps = false, steps }()
	all := &g.all
	all.Reset()
	all.Width = e.Width
	if err := g.takeAll(all); err != nil {
		return err
	}
	n := 0
	err := g.EachStep(func(step Taken) error {
		g.Configs.Pack(w.Vector, g.packedVector)
		if n >= len(all.Ends) || all.Notes[n]&NoteOrdinary != step.note&NoteOrdinary ||
			!slices.Equal(g.packedVector, all.To(n, g.WorldVector, nil)) {
			panic("table: a transition leads elsewhere than its step")
		}
		if g.width > 0 && all.Lo[n] != g.Configs.Fingerprint(g.packedVector).Lo {
			panic("table: a transition changes the fingerprint in another way than its step")
		}
		if t < len(e.Ends) && int(e.EdgeIndexes[t]) == n {
			if !slices.Equal(g.packedVector, e.To(t, g.WorldVector, nil)) || e.Lo[t] != all.Lo[n] || e.Notes[t] != all.Notes[n] {
				panic("table: a transition differs when others sleep")
			}
			t++
		}
		n++
		return nil
	})
	if err == nil && (n != len(all.Ends) || t != len(e.Ends) || n != int(e.EdgeIndex)) {
		panic("table: there are more transitions than steps")
	}
	return err
}

package table

import (
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// taken is a step that was taken in the world.
type taken struct {
	number int // of the event
	ev     sim.Event
	note   uint8
}

// steps takes all steps from the state that is expanded in the world, and calls f after each.
func (g *graph) steps(f func(t taken) error) error {
	s, w := g.sites, g.w
	base := g.vector
	s.unpack(g.worldVector, base)
	w.restore(base)
	up := w.up
	g.events = w.list(g.events[:0])
	for i, ev := range g.events {
		ordinary := w.ordinary(ev)
		for g.answers.Reset(); g.answers.Next(); {
			g.w.passing.begin()
			err := w.advance(&ev, &g.answers)
			failed := err != nil && g.fails(err)
			if failed {
				w.restore(base)
			} else if err != nil {
				g.badEvent, g.badPicks = i, g.answers.Path()
				return err
			}
			note := uint8(max(0, ev.Node))
			if ordinary && !failed && recovered(w, &g.answers) {
				note |= noteOrdinary
			}
			if err := f(taken{i, ev, note}); err != nil {
				return err
			}
			copy(w.v, base)
			w.up = up
			if failed && g.sites.endless(err, g.answers.Path()) {
				break
			}
			if err := g.answers.stop(); err != nil {
				return err
			}
		}
	}
	return nil
}

// verify takes all steps from the state that is expanded in the world, handlers being executed again, and compares
// where they lead with its transitions, of which those listed from number t on do not sleep.
func (g *graph) verify(number int, e *explore.Edges, t int) error {
	w := g.w
	steps := w.stats.Steps
	w.samples.all, w.samples.rebuild = true, number&(number+1) == 0
	defer func() { w.samples.all, w.stats.Steps = false, steps }()
	all := &g.all
	all.Reset()
	all.Width = e.Width
	if err := g.takeAll(all); err != nil {
		return err
	}
	n := 0
	err := g.steps(func(step taken) error {
		g.sites.pack(w.v, g.packedVector)
		if n >= len(all.Ends) || all.Notes[n]&noteOrdinary != step.note&noteOrdinary || !slices.Equal(g.packedVector, all.To(n, g.worldVector, nil)) {
			panic("table: a move leads elsewhere than the step that it stands for")
		}
		if g.width > 0 && all.Lo[n] != g.sites.fingerprint(g.packedVector).Lo {
			panic("table: a move changes the fingerprint in another way than the step that it stands for")
		}
		if t < len(e.Ends) && int(e.EdgeIndexes[t]) == n {
			if !slices.Equal(g.packedVector, e.To(t, g.worldVector, nil)) || e.Lo[t] != all.Lo[n] || e.Notes[t] != all.Notes[n] {
				panic("table: a move is another one when others sleep")
			}
			t++
		}
		n++
		return nil
	})
	if err == nil && (n != len(all.Ends) || t != len(e.Ends) || n != int(e.EdgeIndex)) {
		panic("table: there are more moves than steps")
	}
	return err
}

package table_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// late is a service that shows an earlier state after every other step.
type late struct{ Steps int }

func (l *late) Boot(env sim.Env) { env.SetTimer("tick", 1) }

func (l *late) Receive(sim.Env, sim.NodeID, any) {}

func (l *late) Timer(env sim.Env, _ any) { l.Steps++; env.SetTimer("tick", 1) }

func (l *late) Stale() bool { return l.Steps%2 == 1 }

// Properties that read a node with an outdated state are not judged; the others are.
func TestStale(t *testing.T) {
	reads := func(id sim.NodeID, value bool) func(*sim.View) bool {
		return func(v *sim.View) bool { return v.Service(id) != nil == value }
	}
	panics := func(v *sim.View) bool { return v.Service(1).(*late).Steps == 0 || [0]bool{}[v.Len()] }
	each := func(value bool) func(*sim.View) bool {
		return sim.Each(func(sim.NodeID, *late) bool { return value })
	}
	sys := sim.System{
		Name: "late", Nodes: 2,
		New: func(sim.NodeID) sim.Service { return &late{} },
		Properties: []sim.Property{
			{Name: "always, of the other", Always: reads(0, true)},
			{Name: "always", Always: reads(1, true)},
			{Name: "eventually", Eventually: reads(1, true)},
			{Name: "eventually, of the other", Eventually: reads(0, true)},
			{Name: "eventually, of each", Eventually: each(true)},
			{Name: "inevitably", Inevitably: reads(1, true)},
			{Name: "sometimes", Sometimes: reads(1, true)},
			{Name: "sometimes, of the other", Sometimes: reads(0, true)},
			{Name: "always, wrong", Always: reads(1, false)},
			{Name: "always, wrong of the other", Always: reads(0, false)},
			{Name: "always, wrong of each", Always: each(false)},
			{Name: "always, in a panic", Always: panics},
		},
	}
	judged := []bool{true, true, true, true, true, true, true, true, false, false, false, true}
	unjudged := []bool{true, true, false, true, false, false, false, true, true, false, true, true}
	for name, engine := range map[string]func(*sim.System, kernel.Options) (kernel.World, error){"replay": kernel.NewWorld, "table": world.New} {
		for _, contain := range []bool{false, true} {
			w, err := engine(&sys, kernel.Options{Contain: contain})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Start(choose.First); err != nil {
				t.Fatal(err)
			}
			for step, want := range [][]bool{judged, unjudged} {
				for i := range sys.Properties {
					if p := &sys.Properties[i]; w.Holds(p) != want[i] {
						t.Errorf("%s, contained %v, after step %d: %s: %v", name, contain, step, p.Name, !want[i])
					}
				}
				if live := w.Live(); live != (step == 0) {
					t.Errorf("%s, contained %v, after step %d: live %v", name, contain, step, live)
				}
				if step == 0 {
					fire(t, w, 1)
				}
			}
		}
	}
}

// fire has the timer of a node fire.
func fire(t *testing.T, w kernel.World, id sim.NodeID) {
	t.Helper()
	for _, ev := range w.Enabled() {
		if ev.Kind == eventkind.FireTimer && ev.Node == id {
			if err := w.Step(ev, choose.First); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no timer")
}

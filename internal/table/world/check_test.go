package world_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// late is a service that shows an earlier state after every other step.
type late struct{ Steps int }

func (l *late) Boot(env sim.Env) { env.SetTimer("tick", 1) }

func (l *late) Receive(sim.Env, sim.NodeID, any) {}

func (l *late) Timer(env sim.Env, _ any) { l.Steps++; env.SetTimer("tick", 1) }

func (l *late) Stale() bool { return l.Steps%2 == 1 }

// Properties that read a node with an outdated state are not judged; the others are.
func TestCheck_StaleNodes(t *testing.T) {
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

// mute counts requests, and sends one to the next node when it is poked.
type mute struct {
	sim.Nop
	Heard int
}

func (m *mute) Receive(sim.Env, sim.NodeID, any) { m.Heard++ }

// Properties are not evaluated again on the local states of the last evaluation, unless they read messages in
// flight.
func TestCheck_SkipsUnchangedStates(t *testing.T) {
	for _, inFlight := range []bool{false, true} {
		asked := 0
		reads := func(v *sim.View) bool {
			asked++
			heard := 0
			for _, m := range sim.Nodes[*mute](v) {
				heard += m.Heard
			}
			if inFlight {
				for range v.InFlight() {
					heard++
				}
			}
			return heard < 2
		}
		sys := sim.System{
			Name: "mute", Nodes: 3, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &mute{} },
			Actions: []sim.AnyAction{sim.Action[*mute]{Name: "tell", Do: func(_ *mute, env sim.Env) { env.Send((env.Self()+1)%3, 1) }}},
			Properties: []sim.Property{
				{Name: "few", Always: reads},
				{Name: "none", Eventually: func(v *sim.View) bool { return !reads(v) }},
			},
		}
		w, err := world.New(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kinds := []eventkind.Kind{eventkind.DoAction, eventkind.DoAction, eventkind.Deliver, eventkind.Deliver}
		want, again := []bool{true, true, true, true, false}, []bool{true, false, false, true, true}
		if inFlight {
			want, again = []bool{true, true, false, false, false}, []bool{true, true, true, true, true}
		}
		if err := w.Start(choose.First); err != nil {
			t.Fatal(err)
		}
		for step := range want {
			asked = 0
			if live := w.Live(); live == want[step] {
				t.Errorf("in flight %v, after %d steps: live %v", inFlight, step, live)
			}
			if asked > 0 != again[step] {
				t.Errorf("in flight %v, after %d steps: the Eventually property was asked %d times", inFlight, step, asked)
			}
			asked = 0
			if err := w.Check(); (err == nil) != want[step] {
				t.Errorf("in flight %v, after %d steps: %v", inFlight, step, err)
			}
			if asked > 0 != again[step] {
				t.Errorf("in flight %v, after %d steps: the Always property was asked %d times", inFlight, step, asked)
			}
			if step == len(kinds) {
				break
			}
			for _, ev := range w.Enabled() {
				if ev.Kind == kinds[step] {
					if err := w.Step(ev, choose.First); err != nil {
						t.Fatal(err)
					}
					break
				}
			}
		}
	}
}

package table_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// mute counts requests, and sends one to the next node when it is poked.
type mute struct {
	sim.Nop
	Heard int
}

func (m *mute) Receive(sim.Env, sim.NodeID, any) { m.Heard++ }

// Properties are not evaluated again on the local states of the last evaluation, unless they read messages in
// flight.
func TestAskedAgain(t *testing.T) {
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

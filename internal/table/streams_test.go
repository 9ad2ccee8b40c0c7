package table_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/lockstep"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// echoer sends what it receives to itself and to the others, as long as there is room, which it observes in the
// handler.
type echoer struct {
	sim.Nop
	Heard, Full int
}

func (s *echoer) Begin(env sim.Env) { s.say(env, 3) }

func (s *echoer) Receive(env sim.Env, _ sim.NodeID, msg any) {
	s.Heard += msg.(int)
	if msg.(int) > 0 {
		s.say(env, msg.(int)-1)
	}
}

func (s *echoer) say(env sim.Env, n int) {
	for to := range sim.NodeID(env.Nodes()) {
		if st := env.Stream(to); st.Room() == 0 || env.Choose("says", 2) == 0 {
			s.Full++
		} else if err := st.Send(n); err != nil {
			s.Full += 10
		}
	}
}

// A delivered message makes room during its handler, also on the connection of a node with itself. Both engines
// show the same, step by step, and explore the same states, with each step counted once.
func TestStreams_RoomDuringDelivery(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for nodes := 1; nodes <= 2; nodes++ {
		for buffer := 1; buffer <= 2; buffer++ {
			t.Run(fmt.Sprint(nodes, buffer), func(t *testing.T) {
				sys := &sim.System{Name: "echoes", Nodes: nodes, Network: netsim.Streams{Buffer: buffer},
					New:     func(sim.NodeID) sim.Service { return &echoer{} },
					Actions: []sim.AnyAction{sim.Action[*echoer]{Name: "begin", Times: 2, Do: (*echoer).Begin}},
					Properties: []sim.Property{{Name: "all is heard", Eventually: func(v *sim.View) bool {
						for range v.InFlight() {
							return false
						}
						return true
					}}},
				}
				for seed := range uint64(5) {
					lockstep.New(t, sys, seed).Walk(60, 40)
				}
				states, transitions, live, found := oracle(t, sys, 7-nodes)
				x := breadth(t, sys, options.Options{MaxDepth: 7 - nodes})
				if x.States != states || x.Transitions != transitions || x.Live != live || found != nil || x.Finding != nil {
					t.Errorf("%d states, %d transitions, %d live, %v; the replay engine: %d, %d, %d, %v",
						x.States, x.Transitions, x.Live, x.Finding, states, transitions, live, found)
				}
				if others := x.Stats.Steps - transitions; others < 0 || others > 2000 {
					t.Errorf("%d steps beside %d transitions: more than are rehearsed", others, transitions)
				}
				t.Logf("%d states, %d transitions", states, transitions)
			})
		}
	}
}

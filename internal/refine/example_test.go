package refine_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Die is the service of node 0. It answers each message with the result of a throw.
type Die struct {
	sim.Nop
	Sides int
}

func (d Die) Receive(env sim.Env, from sim.NodeID, _ any) {
	env.Send(from, 1+env.Choose("throw", d.Sides))
}

// dice is a system of a die and a client, node 1, that throws it twice.
func dice(sides int) *sim.System {
	return &sim.System{
		Nodes: 2,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return Die{Sides: sides}
			}
			return sim.Nop{}
		},
		Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[sim.Nop]{Name: "throw", Times: 2, Do: func(_ sim.Nop, env sim.Env) { env.Send(0, "throw") }}},
	}
}

// A die with six sides is an abstraction of one with two sides, but not the reverse: its client may receive a 3.
func ExampleCompare() {
	for _, sides := range [][2]int{{2, 6}, {6, 2}} {
		r, err := refine.Compare(context.Background(), dice(sides[0]), dice(sides[1]), refine.Options{Clients: []sim.NodeID{1}})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d and %d sides: %s %q\n", sides[0], sides[1], r.Verdict, r.Trace)
	}
	// Output:
	// 2 and 6 sides: no difference []
	// 6 and 2 sides: difference ["action n1 throw" "deliver n1<-n0 3"]
}

package sim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Ping is a message; repeat is a timer.
type (
	Ping   struct{}
	repeat struct{}
)

// Caller sends a ping until it is answered.
type Caller struct {
	sim.Nop
	Answered bool
}

func (c *Caller) Call(env sim.Env) { c.Timer(env, repeat{}) }

func (c *Caller) Timer(env sim.Env, _ any) {
	env.Send(1, Ping{})
	env.SetTimer(repeat{}, time.Second)
}

func (c *Caller) Receive(env sim.Env, _ sim.NodeID, _ any) {
	c.Answered = true
	env.StopTimer(repeat{})
}

// Answerer answers each ping.
type Answerer struct{ sim.Nop }

func (Answerer) Receive(env sim.Env, from sim.NodeID, _ any) { env.Send(from, Ping{}) }

// A system of two services, a network that may lose a datagram, one action, and one property. In a test
// mctest.Check(t, system) does the rest.
func Example() {
	system := sim.System{
		Name:  "ping",
		Nodes: 2,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &Caller{}
			}
			return &Answerer{}
		},
		Network: netsim.Datagrams{Loss: 1},
		Actions: []sim.AnyAction{sim.Action[*Caller]{Name: "call", Times: 1, Do: (*Caller).Call}},
		Properties: []sim.Property{{Name: "pings are answered", Eventually: func(v *sim.View) bool {
			c, up := v.Service(0).(*Caller)
			return up && c.Answered
		}}},
	}
	report, err := check.Run(context.Background(), check.Options{Search: search.Config{System: system, MaxPaths: 200, Workers: 1}})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Verdict)
	// Output: ok
}

package eventgraph_test

import (
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Parcel travels from node to node until it has made enough hops.
type Parcel struct {
	From sim.NodeID
	Hops int
	Via  []sim.NodeID
}

// Receipt reports to the sender of a parcel where it ended.
type Receipt struct{ At sim.NodeID }

type (
	post  struct{} // a timer
	audit struct{} // a timer
)

// courier passes parcels on over streams.
type courier struct {
	sim.Nop
	Passed, Received int
	Lost             map[sim.NodeID]bool
}

func (c *courier) Boot(env sim.Env) {
	c.Lost = map[sim.NodeID]bool{}
	env.SetTimer(post{}, time.Second)
	env.SetTimer(audit{}, time.Minute)
}

func (c *courier) Timer(env sim.Env, t any) {
	if t == (audit{}) {
		env.SetTimer(audit{}, time.Minute)
		return
	}
	c.pass(env, Parcel{From: env.Self()})
}

func (c *courier) Receive(env sim.Env, _ sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Parcel:
		if m.Hops >= 2 {
			c.Received++
			_ = env.Stream(m.From).Send(Receipt{env.Self()})
			return
		}
		c.Passed++
		c.pass(env, m)
	case Receipt:
		env.SetTimer(post{}, time.Second)
	}
}

func (c *courier) pass(env sim.Env, p Parcel) {
	to := sim.NodeID(env.Choose("next courier", env.Nodes()-1))
	if to >= env.Self() {
		to++
	}
	p.Hops++
	p.Via = append(p.Via, env.Self())
	_ = env.Stream(to).Send(p)
}

func (c *courier) PeerError(env sim.Env, peer sim.NodeID, _ error) {
	c.Lost[peer] = true
	env.SetTimer(post{}, time.Second)
}

// couriers is a system of nodes that all run the same, with crashes and broken connections.
func couriers(nodes int) *sim.System {
	return &sim.System{
		Name: "couriers", Nodes: nodes, New: func(sim.NodeID) sim.Service { return &courier{} },
		Network: netsim.Streams{Errors: 1}, Crashes: 1, Timing: sim.AnyOrder,
		Properties: []sim.Property{{Name: "a parcel arrived", Eventually: func(v *sim.View) bool {
			for _, c := range sim.Nodes[*courier](v) {
				if c.Received > 0 {
					return true
				}
			}
			return false
		}}},
	}
}

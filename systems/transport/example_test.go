package transport_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/transport"
)

// Counter counts up together with the other node, over its own transport.
type Counter struct {
	net   transport.Transport
	Count int
}

// NewCounter returns a service that its transport calls back.
func NewCounter() *Counter {
	c := &Counter{}
	c.net = transport.New(c, transport.Config{})
	return c
}

func (c *Counter) Boot(env sim.Env) { c.net.Boot(env) }

func (c *Counter) Receive(env sim.Env, from sim.NodeID, msg any) {
	if c.net.Receive(env, from, msg) {
		return
	}
	env.Log().Info("not a message of the transport", "msg", msg)
}

func (c *Counter) Timer(env sim.Env, t any) { c.net.Timer(env, t) }

func (c *Counter) Deliver(env sim.Env, from sim.NodeID, msg any) {
	env.Assert(msg == c.Count+1, "%v after %d", msg, c.Count)
	c.Count = msg.(int) + 1
	_ = c.net.Send(env, from, c.Count)
}

func (c *Counter) Failed(sim.Env, sim.NodeID, error) {}

func (c *Counter) ClearToSend(sim.Env, sim.NodeID) {}

func ExampleTransport() {
	sys := sim.System{
		Name: "counter", Nodes: 2, Timing: sim.AnyOrder,
		New:     func(sim.NodeID) sim.Service { return NewCounter() },
		Network: netsim.Datagrams{Loss: 2, Dup: 2},
		Actions: []sim.AnyAction{sim.Action[*Counter]{
			Name: "begin", Times: 1,
			At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(c *Counter, env sim.Env) { c.Count = 1; _ = c.net.Send(env, 1, 1) },
		}},
		Properties: []sim.Property{{Name: "it gets to 10", Eventually: sim.Each(func(_ sim.NodeID, c *Counter) bool { return c.Count >= 10 })}},
	}
	res, err := search.Run(context.Background(), search.Config{System: sys, Strategy: search.Faulty, MaxPaths: 300})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Verdict, res.Finding == nil)
	// Output: ok true
}

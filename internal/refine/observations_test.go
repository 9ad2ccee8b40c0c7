package refine_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	request struct{}
	gone    struct{ Peer machine.ID }
	asks    struct{ Asked int }
)

var takes = machine.Define[struct{}]("taker", machine.In("taking", machine.Ignore(request{})))

// differs compares two systems whose client is node 0.
func differs(t *testing.T, impl, abs sim.System, what string, trace ...string) {
	t.Helper()
	r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{0}})
	if err != nil || r.What != what || !slices.Equal(r.Trace, trace) {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestObservations_Room checks that a client that asks for room observes it.
func TestObservations_Room(t *testing.T) {
	client := machine.Define[asks]("client",
		machine.In("asking", machine.Null(func(c *asks, x *machine.Ctx) {
			if c.Asked++; !x.TrySend(1, request{}) {
				x.Goto("full")
			} else if c.Asked == 2 {
				x.Goto("done")
			}
		}, "full", "done")),
		machine.In("full"), machine.In("done"))
	system := func(buffer int) sim.System {
		ms := machine.System{Streams: &netsim.Streams{Buffer: buffer}}
		ms.Add(client, asks{})
		ms.Add(takes, struct{}{})
		return ms.Sim("room")
	}
	differs(t, system(1), system(2), refine.NeverDone, "internal n0", "internal n0 no room to n1")
	differs(t, system(2), system(1), "")
	differs(t, system(2), system(3), "") // the amount is unobservable
}

// TestObservations_PeersOfErrors checks that a machine observes which connection is lost, but not the senders of its
// messages.
func TestObservations_PeersOfErrors(t *testing.T) {
	client := machine.Define[struct{}]("client", machine.In("waiting",
		machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Send(1, request{}); x.Send(2, request{}) }),
		machine.On(func(_ *struct{}, x *machine.Ctx, l machine.Lost) { x.Announce(gone(l)) })))
	system := func(late sim.NodeID) sim.System {
		ms := machine.System{Streams: &netsim.Streams{}}
		ms.Add(client, struct{}{})
		ms.Add(takes, struct{}{})
		ms.Add(takes, struct{}{})
		sys := ms.Sim("late")
		sys.Late = func(id sim.NodeID) bool { return id == late }
		return sys
	}
	differs(t, system(1), system(2), refine.NeverDone, "error n0<-n1 connection refused")
	differs(t, system(-1), system(2), refine.MustGoOn)
}

// caller sends one message; its notifications are observable.
type caller struct{ sim.Nop }

func (*caller) Boot(env sim.Env) { _ = env.Stream(1).Send(request{}) }

type closer struct {
	sim.Nop
	Closes bool
}

func (c *closer) Receive(env sim.Env, from sim.NodeID, _ any) {
	if c.Closes {
		env.Stream(from).Close()
	}
}

// TestObservations_Close checks that closing a connection is observable, so a pending error is not silence.
func TestObservations_Close(t *testing.T) {
	system := func(closes bool) sim.System {
		return sim.System{Name: "closing", Nodes: 2, Network: netsim.Streams{}, New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &caller{}
			}
			return &closer{Closes: closes}
		}}
	}
	differs(t, system(false), system(true), refine.MustGoOn)
	differs(t, system(true), system(true), "")
}

package mctest_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	Ping   struct{ Seq int }
	Ack    struct{ Seq int }
	resend struct{} // a timer
)

type Pinger struct {
	sim.Nop
	Sent, Acked int
}

func (p *Pinger) Ping(env sim.Env) { p.Sent++; p.Timer(env, resend{}) }

func (p *Pinger) Timer(env sim.Env, _ any) {
	env.Send(1, Ping{p.Sent})
	env.SetTimer(resend{}, time.Second)
}

func (p *Pinger) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if a := msg.(Ack); a.Seq == p.Sent {
		p.Acked = a.Seq
		env.StopTimer(resend{})
	}
}

type Ponger struct {
	sim.Nop
	Seen int
}

func (q *Ponger) Receive(env sim.Env, from sim.NodeID, msg any) {
	if m := msg.(Ping); m.Seq > q.Seen { // BUG: a repeated ping is not acknowledged
		q.Seen = m.Seq
		env.Send(from, Ack{m.Seq})
	}
}

func acked(_ sim.NodeID, p *Pinger) bool { return p.Acked == p.Sent }

var System = sim.System{
	Nodes: 2,
	New: func(id sim.NodeID) sim.Service {
		if id == 0 {
			return &Pinger{}
		}
		return &Ponger{}
	},
	Network: netsim.Datagrams{Loss: 1},
	Actions: []sim.AnyAction{sim.Action[*Pinger]{Name: "ping", Times: 2,
		When: func(p *Pinger) bool { return acked(0, p) }, Do: (*Pinger).Ping}},
	Properties: []sim.Property{{Name: "every ping is acknowledged", Eventually: sim.Each(acked)}},
}

// TestPingAck fails on purpose: TestFinding runs it in another process.
func TestPingAck(t *testing.T) {
	onlyInside(t)
	mctest.Check(t, System)
}

// TestNoLoss passes: the bug needs a loss.
func TestNoLoss(t *testing.T) {
	onlyInside(t)
	system := System
	system.Network = netsim.Datagrams{}
	mctest.Check(t, system)
}

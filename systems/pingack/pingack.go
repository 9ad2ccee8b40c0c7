package pingack

import (
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Messages and timers.
type (
	Ping   struct{ Seq int }
	Ack    struct{ Seq int }
	resend struct{} // a timer
)

// Pinger is the service of node 0.
type Pinger struct {
	sim.Nop
	Sent, Acked int
}

// Ping sends the next ping.
func (p *Pinger) Ping(env sim.Env) { p.Sent++; p.Timer(env, resend{}) }

// Timer resends the latest ping.
func (p *Pinger) Timer(env sim.Env, _ any) {
	env.Send(1, Ping{p.Sent})
	env.SetTimer(resend{}, time.Second)
}

// Receive handles an acknowledgement.
func (p *Pinger) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if a := msg.(Ack); a.Seq == p.Sent {
		p.Acked = a.Seq
		env.StopTimer(resend{})
	}
}

// Ponger is the service of node 1.
type Ponger struct {
	sim.Nop
	Seen int
}

// Receive acknowledges a ping.
func (q *Ponger) Receive(env sim.Env, from sim.NodeID, msg any) {
	if m := msg.(Ping); m.Seq > q.Seen { // BUG: a repeated ping is not acknowledged
		q.Seen = m.Seq
		env.Send(from, Ack{m.Seq})
	}
}

func acked(_ sim.NodeID, p *Pinger) bool { return p.Acked == p.Sent }

// System is the checked system.
var System = sim.System{
	Name:  "pingack",
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

package simtest_test

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/simtest"
)

type (
	Ping   struct{ Seq int }
	Ack    struct{ Seq int }
	resend struct{} // a timer
)

// Pinger pings node 1 until it acknowledges.
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

var system = sim.System{
	Nodes:   2,
	Network: netsim.Datagrams{},
	New:     func(sim.NodeID) sim.Service { return &Pinger{} },
}

// A ping is repeated until it is acknowledged. In a test, t is the test's own.
func Example() {
	t := inExample{}

	n := simtest.New[*Pinger](t, system, 0)
	n.Boot()
	n.Do((*Pinger).Ping)
	n.WantSent(simtest.Datagram(1, Ping{1}))
	n.Fire(resend{})
	n.WantSent(simtest.Datagram(1, Ping{1}))
	n.Receive(1, Ack{1})
	n.WantSent()
	fmt.Println("acknowledged:", n.Service().Acked, "timers:", n.Timers())

	n.Do((*Pinger).Ping)
	n.WantSent(simtest.Datagram(1, Ping{1}))
	// Output:
	// acknowledged: 1 timers: []
	// FAIL: n0 sent
	// 	datagram to n1: Ping{Seq:2}
	// want
	// 	datagram to n1: Ping{Seq:1}
}

// inExample prints failures.
type inExample struct{ testing.TB }

func (inExample) Helper()                      {}
func (inExample) Cleanup(func())               {}
func (inExample) Output() io.Writer            { return os.Stdout }
func (inExample) Errorf(f string, args ...any) { fmt.Printf("FAIL: "+f+"\n", args...) }

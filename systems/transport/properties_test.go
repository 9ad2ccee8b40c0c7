package transport

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
)

// Node 0 of two is put into a state in which one property fails.
func TestProperties(t *testing.T) {
	// sending has packet 1001 in flight, and 1002 waiting.
	sending := func(n *Talker) {
		n.transport.peers[1].out = outgoing{open: true, initial: 1001, base: 1001, packets: []packet{{flying: true}, {}}, sent: 1, flying: 1}
	}
	in := func(expected, deliver, acked int) func(*Talker, sim.Env) {
		return func(n *Talker, _ sim.Env) {
			n.transport.peers[1].in = incoming{open: true, expected: expected, deliver: deliver, acked: acked}
		}
	}
	for _, c := range []struct {
		name   string
		set    func(*Talker, sim.Env)
		broken string // names of the properties that do not hold, in order, separated by ", "
	}{
		{"nothing", func(*Talker, sim.Env) {}, ""},
		{"a message is missing", func(n *Talker, _ sim.Env) { n.talks[1].sent-- }, AllSent},
		{"in flight", func(n *Talker, env sim.Env) { sending(n); env.SetTimer(retransmit{1, 1001}, 1) }, Acknowledged},
		{"in flight without a timer", func(n *Talker, _ sim.Env) { sending(n) }, Acknowledged + ", " + TimersSet},
		{"in flight with the timer of another", func(n *Talker, env sim.Env) { sending(n); env.SetTimer(retransmit{1, 1002}, 1) }, Acknowledged + ", " + TimersSet},
		{"all acknowledged", func(n *Talker, _ sim.Env) { n.transport.peers[1].out = outgoing{open: true, base: 1003} }, ""},
		{"a message twice", func(n *Talker, _ sim.Env) { n.disorder = disorder{want: 2} }, InOrder},
		{"all that has arrived", in(1003, 1003, 1002), ""},
		{"half a message is delivered", in(1003, 1004, 1002), Complete},
		{"a future acknowledgement", in(1003, 1003, 1003), NoFutureAck},
		{"an acknowledgement too low", in(1003, 1003, 1001), CumulativeAck},
		{"a dropped packet", func(n *Talker, _ sim.Env) { n.transport.wasted = 1 }, BufferKept},
		{"a call-back", func(n *Talker, _ sim.Env) { n.unasked = 1 }, CallbacksMatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := sim.System{
				Nodes: 2, Timing: sim.AnyOrder, Properties: properties(),
				New: func(sim.NodeID) sim.Service {
					n := &Talker{messages: 2, packets: 1}
					n.transport = New(n, Config{})
					return n
				},
			}
			w := systest.World(t, sys, func(n *Talker, env sim.Env) {
				n.talks[1-env.Self()].sent = 2
				if env.Self() == 0 {
					c.set(n, env)
				}
			}, 0)
			var broken []string
			for i := range sys.Properties {
				if p := &w.System().Properties[i]; !w.Holds(p) {
					broken = append(broken, p.Name)
				}
			}
			if got := strings.Join(broken, ", "); got != c.broken {
				t.Errorf("do not hold: %s\nwant: %s", got, c.broken)
			}
		})
	}
}

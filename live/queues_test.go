package live_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// letter is larger than a datagram may be.
type letter struct {
	N    int
	Text string
}

// flooder sends more than the buffer of a stream holds, or counts down by many steps of its own once all has arrived.
type flooder struct {
	sim.Nop
	Left, Got, Wrong int
}

const flood = 5 * netsim.DefaultBuffer

func (f *flooder) Boot(env sim.Env) {
	if env.Self() == 0 {
		for i := range flood {
			env.Send(1, letter{i, strings.Repeat("x", 700*i)})
		}
	}
}

func (f *flooder) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	if msg.(letter).N != f.Got {
		f.Wrong++
	}
	if f.Got++; f.Got == flood {
		f.Left = 5 * flood
	}
}

func (f *flooder) Ready() bool { return f.Left > 0 }

func (f *flooder) Step(env sim.Env) {
	if f.Left--; f.Left == 0 {
		env.Send(1, letter{N: flood}) // to itself
	}
}

// What is sent to a queue arrives in order and all of it, however much waits; nodes take their own steps; and the
// recording is that of a run of the model.
func TestQueuesLive(t *testing.T) {
	x := custom(t, sim.System{Name: "flood", Nodes: 2, Network: netsim.Queues{},
		New: func(sim.NodeID) sim.Service { return &flooder{} }}, letter{})
	x.until("all arrived", func(s []sim.Service) bool { return s[1].(*flooder).Got == flood+1 })
	x.all(func(s []sim.Service) bool {
		if f := s[1].(*flooder); f.Wrong > 0 {
			t.Errorf("%d messages were out of order", f.Wrong)
		}
		return true
	})
	m := x.merged()
	agrees(t, m)
	if m.Compared < 2*flood {
		t.Errorf("%d states were compared", m.Compared)
	}
}

package realnet_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
)

// letter is larger than a datagram may be.
type letter struct {
	N    int
	Text string
}

// flooder sends more than the buffer of a stream holds, or counts down by many internal steps when all has arrived.
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

// All messages sent to a queue arrive in order, for any length of the queue. Nodes take internal steps. The recording
// is that of a run of the model.
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

// burst is a machine that sends more at once than the buffer of a stream holds, or counts received messages.
type burst struct {
	To         machine.ID
	Left, Size int
	Refused    bool // TrySend was
	Got, Wrong int
}

func (b *burst) start(x *machine.Ctx) {
	for n := range b.Left {
		x.Send(b.To, letter{n, strings.Repeat("x", b.Size)})
	}
	b.Refused = !x.TrySend(b.To, letter{N: b.Left})
}

func (b *burst) got(_ *machine.Ctx, l letter) {
	if l.N != b.Got {
		b.Wrong++
	}
	b.Got++
}

func bursts(n, size int) sim.System {
	ms := machine.System{Streams: &netsim.Streams{Buffer: 10}}
	to := ms.Add(machine.Define[burst]("counter", machine.In("counting", machine.On((*burst).got))), burst{})
	ms.Add(machine.Define[burst]("sender", machine.In("sent", machine.Entry((*burst).start))), burst{To: to, Left: n, Size: size})
	return ms.Sim("burst")
}

func burstOf(s sim.Service) *burst { return s.(*machine.Host).Vars.(*burst) }

// Messages of machines wait without bound; meanwhile TrySend has no room. The recording is a run of the model with
// streams of that size, and so is its path file. The unmodified model reports a finding.
func TestMachinesSendWithoutBound(t *testing.T) {
	x := custom(t, bursts(500, 10), letter{})
	x.until("all arrived", func(s []sim.Service) bool { return burstOf(s[0]).Got == 500 })
	x.all(func(s []sim.Service) bool {
		if burstOf(s[0]).Wrong > 0 || !burstOf(s[1]).Refused {
			t.Errorf("%+v, %+v", burstOf(s[0]), burstOf(s[1]))
		}
		return true
	})
	m := x.merged()
	if len(m.Notes) != 1 || m.Notes[0] != "up to 500 messages from n1 to n0 waited, more than the 10 that the buffer of the model's streams holds, "+
		"since live nodes queue what machines send without a bound: in this run the model does so, too" {
		t.Errorf("%q", m.Notes)
	}
	m.Notes = nil
	agrees(t, m)
	if f := fileOf(t, m); !f.Header.AsLive {
		t.Errorf("got %+v, want AsLive", f.Header)
	}
	sys := bursts(500, 10)
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := replay.NewRun(w).Start(&choose.Prefix{}); err == nil || !strings.Contains(err.Error(), netsim.QueueProperty) {
		t.Errorf("the model by itself: %v", err)
	}
}

// If all messages fit into the buffer, the recording is a run of the unchanged model.
func TestMachinesSendWithinBound(t *testing.T) {
	x := custom(t, bursts(9, 10), letter{})
	x.until("all arrived", func(s []sim.Service) bool { return burstOf(s[0]).Got == 10 })
	m := x.merged()
	agrees(t, m)
	if simext.IsLive(m.System.Network) || m.Header.AsLive {
		t.Error("the bound is lifted")
	}
}

// A node with more waiting messages than allowed ends, with an error that names the receiver, the amount and the
// remedies.
func TestQueueTooLong(t *testing.T) {
	sys := bursts(500, 10_000)
	n, err := realnet.New(realnet.Config{System: &sys, Node: 1, Peers: ports.Free(t, 2), Messages: []any{letter{}}, MaxQueue: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	err = n.Run(context.Background())
	full, ok := errors.AsType[*realnet.QueueError](err)
	if !ok || full.Node != 1 || full.Peer != 0 || full.Limit != 1<<20 || full.Waiting <= full.Limit || full.Waiting > full.Limit+11_000 ||
		!strings.Contains(err.Error(), " messages of n1 to n0 wait, of ") || !strings.Contains(err.Error(), "Config.MaxQueue, --max-queue") {
		t.Errorf("%v", err)
	}
}

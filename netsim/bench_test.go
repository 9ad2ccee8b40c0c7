package netsim

import (
	"testing"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// plainHost is a host with minimal cost.
type plainHost struct {
	up    []bool
	dirty []bool
}

func (h *plainHost) Nodes() int                                { return len(h.up) }
func (h *plainHost) Up(id sim.NodeID) bool                     { return h.up[id] }
func (h *plainHost) Dirty(id sim.NodeID)                       { h.dirty[id] = true }
func (h *plainHost) Fate(sim.MessageID, netmodel.Fate)         {}
func (h *plainHost) Duplicated(id sim.MessageID) sim.MessageID { return id }
func (h *plainHost) HashMessage(*netmodel.Message) encoding.Fingerprint {
	return encoding.Fingerprint{Hi: 1, Lo: 2}
}
func (h *plainHost) DescribeMessage(*netmodel.Message) string   { return "" }
func (h *plainHost) CompareMessages(a, b *netmodel.Message) int { return int(a.ID - b.ID) }

func plainModel(n sim.Network, nodes int) *model {
	h := &plainHost{up: make([]bool, nodes), dirty: make([]bool, nodes)}
	for i := range h.up {
		h.up[i] = true
	}
	m := n.(netmodel.Network).Start(h).(*model)
	m.Reset()
	return m
}

// Each iteration sends one message, lists the receiver's events, and delivers the first of them.
func benchmarkSendDeliver(b *testing.B, n sim.Network, waiting int) {
	m := plainModel(n, 8)
	send := m.SendDatagram
	if m.streams {
		send = m.SendStream
	}
	body := any("message")
	var id sim.MessageID
	message := func() netmodel.Message { id++; return netmodel.Message{Body: body, ID: id} }
	for i := range waiting {
		send(sim.NodeID(i%7), 7, message())
	}
	var events []netmodel.Event
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		from := sim.NodeID(i % 7)
		i++
		send(from, 7, message())
		events = m.AppendEvents(7, events[:0])
		m.Take(events[0])
	}
}

func BenchmarkSendDeliver(b *testing.B) {
	b.Run("stream", func(b *testing.B) { benchmarkSendDeliver(b, Streams{}, 0) })
	b.Run("stream, 5 waiting", func(b *testing.B) { benchmarkSendDeliver(b, Streams{}, 5) })
	b.Run("datagram", func(b *testing.B) { benchmarkSendDeliver(b, Datagrams{}, 0) })
	b.Run("datagram, 5 waiting", func(b *testing.B) { benchmarkSendDeliver(b, Datagrams{}, 5) })
}

func BenchmarkAppendEvents(b *testing.B) {
	for _, peers := range []int{0, 1, 3, 7} {
		b.Run(string(rune('0'+peers)), func(b *testing.B) {
			m := plainModel(Streams{}, 8)
			for i := range peers {
				m.SendStream(sim.NodeID(i), 7, netmodel.Message{Body: "message"})
			}
			buf := make([]netmodel.Event, 0, 16)
			for b.Loop() {
				buf = m.AppendEvents(7, buf[:0])
			}
		})
	}
}

func BenchmarkFingerprint(b *testing.B) {
	m := plainModel(Streams{}, 8)
	ev := netmodel.Event{Kind: eventkind.Deliver, Node: 7, Peer: 3, Slot: noSlot}
	b.ReportAllocs()
	for b.Loop() {
		m.SendStream(3, 7, netmodel.Message{Body: "message"})
		m.Fingerprint()
		m.Take(ev)
		m.Fingerprint()
	}
}

func BenchmarkReset(b *testing.B) {
	m := plainModel(Streams{}, 8)
	b.ReportAllocs()
	for b.Loop() {
		for i := range sim.NodeID(7) {
			m.SendStream(i, i+1, netmodel.Message{Body: "message"})
		}
		m.Reset()
	}
}

// A steady state allocates nothing, also across Reset.
func TestNoAllocations(t *testing.T) {
	m := plainModel(Both{Datagrams: Datagrams{Loss: 3, Dup: 3}, Streams: Streams{Errors: 3}, Partitions: 3}, 4)
	var events []netmodel.Event
	body := any("message")
	run := func() {
		m.Reset()
		for i := range sim.MessageID(50) {
			from, to := sim.NodeID(i%4), sim.NodeID(i/4%4)
			m.SendDatagram(from, to, netmodel.Message{Body: body, ID: i})
			m.SendStream(from, to, netmodel.Message{Body: body, ID: i})
			events = m.AppendEvents(to, events[:0])
			m.Take(events[i%sim.MessageID(len(events))])
			if events = m.AppendInjections(m.AppendGlobal(events[:0])); i%10 == 0 {
				m.Inject(events[0])
			}
			m.Fingerprint()
		}
		m.Crashed(2)
		m.Booted(2)
	}
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("%v allocations per run, want none", n)
	}
}

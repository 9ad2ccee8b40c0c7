package transport

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// incoming is a connection at its receiver. It is zero when closed.
type incoming struct {
	open     bool
	syn      macetime.MonotoneTime
	initial  int // first sequence number
	expected int // all packets below have arrived
	deliver  int // first packet of the message to be delivered next
	acked    int // last acknowledged number

	held []message // the reorder buffer: undelivered messages, by their first packets
}

// message is a message with at least one packet arrived.
type message struct {
	first, packets int
	have           int    // number of packets that have arrived
	arrived        uint64 // bit i is set if fragment i has arrived
	body           any
}

// data handles a packet.
func (t *Transport) data(env sim.Env, from sim.NodeID, m *Data) {
	in := &t.peers[from].in
	known := in.open && m.Seq == in.initial && !t.bugs.has(mt1)
	if m.SYN.Count != 0 && !known {
		if t.stale(env, from, m.SYN) {
			env.Send(from, Reset{m.SYN, m.Seq})
			return
		}
		t.accept(env, from, m)
	}
	if !in.open {
		env.Send(from, Reset{m.SYN, m.Seq})
		return
	}
	ack := t.take(in, m)
	t.deliver(env, from, m.Seq)
	in.acked = ack
	env.Send(from, Ack{ack, in.syn})
}

// stale reports whether a SYN is older than an accepted one, or is the last one, with a connection that was closed
// since.
func (t *Transport) stale(env sim.Env, from sim.NodeID, syn macetime.MonotoneTime) bool {
	switch in := &t.peers[from].in; {
	case t.bugs.has(mt3):
		return false
	case in.open:
		return syn.Older(in.syn) && !t.bugs.has(mt3a)
	case t.bugs.has(mt3b):
		return false
	default:
		return !lastSYN(env, from).Older(syn)
	}
}

// accept opens a connection, replacing an open one.
func (t *Transport) accept(env sim.Env, from sim.NodeID, m *Data) {
	keepSYN(env, from, m.SYN)
	t.peers[from].in = incoming{open: true, syn: m.SYN, initial: m.Seq, expected: m.Seq, deliver: m.Seq, acked: m.Seq - 1}
}

// closeIncoming resets the connection from a peer. Only a time-out may drop buffered packets.
func (t *Transport) closeIncoming(from sim.NodeID, why error) {
	in := &t.peers[from].in
	if why != ErrTimeout {
		t.wasted += in.buffered()
	}
	*in = incoming{}
}

// take puts a packet into the reorder buffer unless it has arrived before, and returns the number to be
// acknowledged.
func (t *Transport) take(in *incoming, m *Data) int {
	was := in.expected
	if m.Seq >= was {
		in.hold(m, t.bugs)
		in.advance()
	}
	switch {
	case m.Seq > was && t.bugs.has(mt5):
		return m.Seq + 1
	case m.Seq == was && t.bugs.has(mt9):
		return m.Seq
	}
	return in.expected - 1
}

func (in *incoming) hold(m *Data, b bugs) {
	first := m.Seq - m.Index
	i := 0
	for i < len(in.held) && in.held[i].first < first {
		i++
	}
	if i == len(in.held) || in.held[i].first != first {
		in.held = slices.Insert(in.held, i, message{first: first, packets: m.Count})
	}
	h := &in.held[i]
	if h.arrived>>m.Index&1 == 1 && !b.has(mt8) {
		return
	}
	h.arrived |= 1 << m.Index
	h.have++
	if m.Index == 0 {
		h.body = m.Body
	}
}

// advance moves expected to the first missing packet.
func (in *incoming) advance() {
	for i := range in.held {
		h := &in.held[i]
		for in.expected >= h.first && in.expected < h.first+h.packets && h.arrived>>(in.expected-h.first)&1 == 1 {
			in.expected++
		}
	}
}

// deliver delivers the messages that are complete and next in order, after packet seq has arrived.
func (t *Transport) deliver(env sim.Env, from sim.NodeID, seq int) {
	in := &t.peers[from].in
	for len(in.held) > 0 && in.held[0].have >= in.held[0].packets && in.held[0].first <= in.expected {
		h := in.held[0]
		in.held = slices.Delete(in.held, 0, 1)
		env.Assert(h.first == in.deliver, "a message is delivered twice or before its turn")
		if !t.bugs.has(mt4) || h.first <= seq {
			in.deliver = h.first + h.packets
		}
		t.up.Deliver(env, from, h.body)
	}
}

// buffered returns the number of packets in the reorder buffer.
func (in *incoming) buffered() int {
	n := 0
	for i := range in.held {
		n += in.held[i].have
	}
	return n
}

// keepSYN and lastSYN write and read the identifier of the last accepted SYN of a peer, zero at first. It is on disk:
// otherwise a restarted node would take an old SYN for a new one, and never detect that the sender has abandoned the
// connection.
func keepSYN(env sim.Env, from sim.NodeID, syn macetime.MonotoneTime) {
	env.Disk().Put(synKey(from), binary.AppendUvarint(nil, syn.Count))
	env.Disk().Sync()
}

func lastSYN(env sim.Env, from sim.NodeID) macetime.MonotoneTime {
	b, _ := env.Disk().Get(synKey(from))
	count, _ := binary.Uvarint(b)
	return macetime.MonotoneTime{Node: int(from), Count: count}
}

func synKey(from sim.NodeID) string { return "transport/syn/" + strconv.Itoa(int(from)) }

package netsim

import (
	"math/bits"
	"reflect"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// config holds the differences between the kinds of networks.
type config struct {
	datagrams, streams bool
	queues             bool  // datagrams keep an order
	order              Order // of datagrams
	bound              int
	atMost             map[reflect.Type]int
	buffer             int
	limits             sim.Limits
	asLive             bool // see simext.LiveNetwork
	mutation           mutation
}

// model is the state of a network.
//
// All messages lie in one arena of cells, and queues and bags refer to them by index, so that a steady state allocates
// nothing. The possible events at a node are stored as sets of peers, one bit each, so that listing costs time only for
// existing events. The sets ignore whether the node is up. The listing of events checks that.
type model struct {
	config
	host  netmodel.Host
	nodes int
	words int // words of a set of nodes

	left      sim.Limits // faults that may still be injected
	partition partition

	cells    []cell
	free     int32 // first free cell, linked by next; none: noCell
	inFlight int   // cells in use

	ends []end    // ends[a*nodes+b] is a's end of the connection to b
	sets []uint64 // see set
	due  int      // errors not yet delivered
	bags [][]datagram

	touched []int32 // ends that are not as after Reset
	prints  fingerprintCache
	shown   netmodel.Connection // result of Connection
}

// cell holds a message in flight.
type cell struct {
	msg  netmodel.Message
	next int32 // in the queue, or among the free cells
}

const noCell = -1

// setKind is a kind of set of peers. Each node has one set of each kind.
type setKind int

const (
	failing     setKind = iota // an error is to be delivered to the node
	ready                      // a ready call-back is due and there is room
	deliverable                // a message is next in the stream from that peer
	established                // the connection is open and no error is on its way in either direction
	setKinds
)

func newModel(host netmodel.Host, c config) *model {
	if c.buffer == 0 {
		c.buffer = DefaultBuffer
	}
	n := host.Nodes()
	m := &model{config: c, host: host, nodes: n, words: (n + 63) / 64, left: c.limits, free: noCell}
	if c.streams {
		m.ends = make([]end, n*n)
	}
	m.sets = make([]uint64, n*int(setKinds)*m.words)
	if c.datagrams {
		m.bags = make([][]datagram, n)
	}
	m.prints.init(n)
	return m
}

// Reset implements [netmodel.Model]. Its time is proportional to what was used since the last Reset.
func (m *model) Reset() {
	m.prints.reset(m)
	for _, i := range m.touched {
		m.ends[i] = end{}
	}
	m.touched = m.touched[:0]
	clear(m.sets)
	for i := range m.bags {
		m.bags[i] = m.bags[i][:0]
	}
	m.cells, m.free = m.cells[:0], noCell
	m.inFlight, m.due = 0, 0
	m.left, m.partition = m.limits, partition{}
}

// set returns the words of one of a node's sets of peers.
func (m *model) set(node sim.NodeID, kind setKind) []uint64 {
	i := (int(node)*int(setKinds) + int(kind)) * m.words
	return m.sets[i : i+m.words : i+m.words]
}

// put adds peer to a set or removes it, and reports whether the set changed.
func (m *model) put(node sim.NodeID, kind setKind, peer sim.NodeID, in bool) bool {
	w := &m.sets[(int(node)*int(setKinds)+int(kind))*m.words+int(peer>>6)]
	old := *w
	bit := uint64(1) << (peer & 63)
	if in {
		*w = old | bit
	} else {
		*w = old &^ bit
	}
	return *w != old
}

// store puts a message into a cell.
func (m *model) store(msg *netmodel.Message) int32 {
	m.inFlight++
	if i := m.free; i != noCell {
		c := &m.cells[i]
		m.free = c.next
		c.msg = *msg
		return i
	}
	m.cells = append(m.cells, cell{msg: *msg})
	return int32(len(m.cells) - 1)
}

// release frees a cell. Its content stays readable until the next store.
func (m *model) release(i int32) *netmodel.Message {
	m.inFlight--
	c := &m.cells[i]
	c.next = m.free
	m.free = i
	return &c.msg
}

// AppendEvents implements [netmodel.Model]: errors by peer, ready call-backs by peer, messages of
// streams by sender, datagrams by content and sender.
func (m *model) AppendEvents(node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	if !m.host.Up(node) {
		return buf
	}
	if m.streams {
		buf = m.appendPeers(failing, netmodel.Event{Kind: eventkind.DeliverError, Node: node, Slot: noSlot}, buf)
		buf = m.appendPeers(ready, netmodel.Event{Kind: eventkind.DeliverReady, Node: node, Slot: noSlot}, buf)
		buf = m.appendPeers(deliverable, netmodel.Event{Kind: eventkind.Deliver, Node: node, Slot: noSlot, Msgs: 1}, buf)
	}
	switch {
	case m.Holds(node):
		buf = append(buf, netmodel.Event{Kind: eventkind.Arrive, Node: node, Peer: ^m.bags[node][0].from})
	case m.datagrams:
		buf = m.appendDatagrams(eventkind.Deliver, 1, node, buf)
	}
	return buf
}

// appendPeers appends ev for each peer in one of the sets of its node.
func (m *model) appendPeers(kind setKind, ev netmodel.Event, buf []netmodel.Event) []netmodel.Event {
	for w, set := range m.set(ev.Node, kind) {
		for ; set != 0; set &= set - 1 {
			buf = append(buf, ev)
			buf[len(buf)-1].Peer = sim.NodeID(w<<6 + bits.TrailingZeros64(set)) // not in ev, which would be read while it is written
		}
	}
	return buf
}

// noSlot is the Slot of all events except those of datagrams.
const noSlot = -1

// Take implements [netmodel.Model].
func (m *model) Take(ev netmodel.Event) (d netmodel.Delivery) {
	d.From = ev.Peer
	switch {
	case ev.Kind == eventkind.DeliverError:
		d.Err = m.readError(ev.Node, ev.Peer)
	case ev.Kind == eventkind.DeliverReady:
		m.takeReady(ev.Node, ev.Peer)
	case ev.Slot == noSlot:
		d.Msg = *m.takeStream(ev.Node, ev.Peer)
		m.host.Fate(d.Msg.ID, netmodel.Delivered)
	default:
		d.Msg = *m.takeDatagram(ev.Node, ev.Slot)
		m.host.Fate(d.Msg.ID, netmodel.Delivered)
	}
	return d
}

// Crashed implements [netmodel.Model].
func (m *model) Crashed(node sim.NodeID) {
	if m.streams {
		m.crash(node)
	}
	if m.queues {
		m.forget(node)
	}
	m.host.Dirty(node)
}

// Halted implements [netmodel.Model].
func (m *model) Halted(node sim.NodeID) {
	m.Crashed(node)
	if m.streams {
		m.refuse(node)
	}
	if m.datagrams {
		m.forget(node)
	}
}

// forget drops the messages on their way to a node, and those that have not left the node (see leave).
func (m *model) forget(node sim.NodeID) {
	for range m.bags[node] {
		m.host.Fate(m.takeDatagram(node, 0).ID, netmodel.DroppedCrash)
	}
}

// Booted implements [netmodel.Model].
func (m *model) Booted(node sim.NodeID) { m.host.Dirty(node) }

// Quiet implements [netmodel.Model]: no message and no error can be delivered now. Messages that wait for a partition to
// heal or for a node to boot do not count, so that time-outs can detect either condition.
func (m *model) Quiet() bool {
	if m.inFlight == 0 && m.due == 0 {
		return true
	}
	for i := range m.nodes {
		if node := sim.NodeID(i); m.host.Up(node) && m.awaits(node) {
			return false
		}
	}
	return true
}

// awaits reports whether a message or an error could be delivered to node if it is up.
func (m *model) awaits(node sim.NodeID) bool {
	if m.datagrams && len(m.bags[node]) > 0 {
		return true
	}
	for w, set := range m.set(node, failing) {
		if set|m.set(node, deliverable)[w] != 0 {
			return true
		}
	}
	return false
}

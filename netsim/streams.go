package netsim

import (
	"math/bits"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// end is one node's end of its connection to one peer: the four variables of the paper's simulated TCP, and the queue
// of messages that the node sent.
type end struct {
	head, tail int32 // cells, when n > 0
	n          int32 // messages queued
	flags      flags
	marks      marks
}

type flags uint8

const (
	localErr  flags = 1 << iota // an error caused by this end is on its way to the peer
	remoteErr                   // an error is on its way to this end
	open                        // the connection is established
	notReady                    // the peer was down when a message was sent to it
	wanted                      // a message was refused: a ready call-back is due

	fourVariables = localErr | remoteErr | open | notReady
	unread        = remoteErr | notReady // the node will get an error
)

// marks are bookkeeping, not part of the state.
type marks uint8

const (
	touched marks = 1 << iota // in model.touched
	stale                     // in prints.staleEnds
)

// mutation is a deliberate defect of the model, for tests that must detect it.
type mutation uint8

const (
	sim1 mutation = iota + 1 // a reset of one end is also treated as a break that both ends notice
	sim2                     // reading an error clears the flag of the other end
	sim3                     // a reset while both ends have an error leaves the remote error in place
)

func (m *model) end(node, peer sim.NodeID) *end { return &m.ends[int(node)*m.nodes+int(peer)] }

// changed must be called for each end that is written to.
func (m *model) changed(e *end, node, peer sim.NodeID) {
	if e.marks != touched|stale {
		m.mark(e, node, peer)
	}
}

func (m *model) mark(e *end, node, peer sim.NodeID) {
	i := int32(int(node)*m.nodes + int(peer))
	if e.marks&touched == 0 {
		m.touched = append(m.touched, i)
	}
	if e.marks&stale == 0 {
		m.prints.staleEnds = append(m.prints.staleEnds, i)
	}
	e.marks = touched | stale
}

// refresh updates the sets of node for its connection to peer.
func (m *model) refresh(node, peer sim.NodeID) {
	e := m.end(node, peer)
	err := e.flags&unread != 0
	dirty := m.put(node, failing, peer, err)
	if dirty {
		if err {
			m.due++
		} else {
			m.due--
		}
	}
	dirty = m.put(node, ready, peer, e.flags&wanted != 0 && int(e.n) < m.buffer) || dirty
	m.put(node, established, peer, e.flags&fourVariables == open)
	if dirty {
		m.host.Dirty(node)
	}
	m.refreshDeliverable(node, peer)
}

// refreshDeliverable is the part of refresh that depends on the queue from peer to node.
func (m *model) refreshDeliverable(node, peer sim.NodeID) {
	in := m.end(peer, node).n > 0 && m.end(node, peer).flags&unread == 0 && !m.partition.severs(node, peer)
	if m.put(node, deliverable, peer, in) {
		m.host.Dirty(node)
	}
}

// Room implements [netmodel.Model].
func (m *model) Room(from, to sim.NodeID) int {
	if !m.streams {
		panic("the network has no streams: use netsim.Streams or netsim.Both")
	}
	return m.buffer - int(m.end(from, to).n)
}

// Capacity implements [netmodel.Model].
func (m *model) Capacity() int { return m.buffer }

// SendStream implements [netmodel.Model].
func (m *model) SendStream(from, to sim.NodeID, msg netmodel.Message) {
	e := m.end(from, to)
	switch {
	case !m.host.Up(to):
		m.drop(from, to, netmodel.DroppedDown)
		m.host.Fate(msg.ID, netmodel.DroppedDown)
		if e.flags&unread == 0 {
			e.flags |= notReady
			m.changed(e, from, to)
		}
		m.refresh(from, to)
	case e.flags&unread != 0:
		m.host.Fate(msg.ID, netmodel.DroppedBreak)
	default:
		i := m.store(&msg)
		if e.n == 0 {
			e.head = i
		} else {
			m.cells[e.tail].next = i
		}
		e.tail = i
		e.n++
		m.changed(e, from, to)
		if e.n == 1 {
			m.refreshDeliverable(to, from)
		}
		if e.flags&wanted != 0 {
			m.refresh(from, to)
		}
	}
}

// RefuseStream implements [netmodel.Model].
func (m *model) RefuseStream(from, to sim.NodeID) {
	e := m.end(from, to)
	e.flags |= wanted
	m.changed(e, from, to)
	m.refresh(from, to)
}

// CloseStream implements [netmodel.Model].
func (m *model) CloseStream(from, to sim.NodeID) {
	if !m.streams {
		panic("the network has no streams: use netsim.Streams or netsim.Both")
	}
	m.giveUp(from, to, netmodel.DroppedBreak)
	m.refresh(from, to)
	m.refresh(to, from)
}

// pop removes the oldest message from node's queue to peer. The result is valid until the next message is stored.
func (m *model) pop(e *end) *netmodel.Message {
	i := e.head
	e.head = m.cells[i].next
	e.n--
	return m.release(i)
}

// drop empties node's queue to peer.
func (m *model) drop(node, peer sim.NodeID, fate netmodel.Fate) {
	e := m.end(node, peer)
	if e.n == 0 {
		return
	}
	for e.n > 0 {
		m.host.Fate(m.pop(e).ID, fate)
	}
	m.changed(e, node, peer)
	m.refreshDeliverable(peer, node)
}

func (m *model) takeStream(node, peer sim.NodeID) *netmodel.Message {
	e, in := m.end(node, peer), m.end(peer, node)
	msg := m.pop(in)
	m.changed(in, peer, node)
	if in.flags&open == 0 && node != peer {
		in.flags |= open
		e.flags |= open
		m.changed(e, node, peer)
		m.refresh(node, peer)
		m.refresh(peer, node)
		return msg
	}
	if in.n == 0 {
		m.refreshDeliverable(node, peer)
	}
	if in.flags&wanted != 0 {
		m.refresh(peer, node)
	}
	return msg
}

func (m *model) takeReady(node, peer sim.NodeID) {
	e := m.end(node, peer)
	e.flags &^= wanted
	m.changed(e, node, peer)
	m.refresh(node, peer)
}

// readError returns the error of node's connection to peer and closes node's end.
func (m *model) readError(node, peer sim.NodeID) error {
	e, other := m.end(node, peer), m.end(peer, node)
	var err error
	if e.flags&notReady != 0 {
		e.flags &^= notReady
		err = sim.ErrRefused
	} else {
		other.flags &^= localErr
		if m.mutation == sim2 {
			other.flags &^= remoteErr
		} else {
			e.flags &^= remoteErr
		}
		e.flags &^= open
		m.changed(other, peer, node)
		err = sim.ErrReset
	}
	m.changed(e, node, peer)
	m.refresh(node, peer)
	m.refresh(peer, node)
	return err
}

// breakConnection executes a socket error.
func (m *model) breakConnection(node, peer sim.NodeID) {
	m.drop(node, peer, netmodel.DroppedBreak)
	m.drop(peer, node, netmodel.DroppedBreak)
	m.failBoth(node, peer)
	m.refresh(node, peer)
	m.refresh(peer, node)
}

// failBoth sends an error to both ends.
func (m *model) failBoth(node, peer sim.NodeID) {
	e, other := m.end(node, peer), m.end(peer, node)
	e.flags |= localErr | remoteErr
	other.flags |= localErr | remoteErr
	m.changed(e, node, peer)
	m.changed(other, peer, node)
}

// crash resets all connections of a node.
func (m *model) crash(node sim.NodeID) {
	for i := range m.nodes {
		peer := sim.NodeID(i)
		if e := m.end(node, peer); e.flags != 0 || e.n != 0 {
			m.giveUp(node, peer, netmodel.DroppedCrash)
			e.flags &^= wanted
			m.refresh(node, peer)
			m.refresh(peer, node)
		}
	}
}

// refuse ends all attempts to connect to a node.
func (m *model) refuse(node sim.NodeID) {
	for i := range m.nodes {
		peer := sim.NodeID(i)
		e := m.end(peer, node)
		if e.n == 0 {
			continue
		}
		m.drop(peer, node, netmodel.DroppedDown)
		if e.flags&unread == 0 {
			e.flags |= notReady
			m.changed(e, peer, node)
		}
		m.refresh(peer, node)
	}
}

// giveUp closes node's end of its connection to peer. Its queue is lost. If the connection was established and has not
// failed, the peer's queue is lost, too, and the peer gets an error.
func (m *model) giveUp(node, peer sim.NodeID, fate netmodel.Fate) {
	e, other := m.end(node, peer), m.end(peer, node)
	m.drop(node, peer, fate)
	if e.flags != 0 {
		m.changed(e, node, peer)
	}
	e.flags &^= notReady
	if e.flags&open == 0 {
		return
	}
	m.changed(other, peer, node)
	e.flags &^= open
	if e.flags&remoteErr != 0 {
		// Its own error need not reach it any more. One that it sent is still on its way.
		if m.mutation != sim3 || e.flags&localErr == 0 {
			e.flags &^= remoteErr
		}
		other.flags &^= localErr
		return
	}
	e.flags |= localErr
	other.flags |= remoteErr
	m.drop(peer, node, fate)
	if m.mutation == sim1 {
		m.failBoth(node, peer)
	}
}

// injectBreak breaks a connection, or an attempt to connect.
func (m *model) injectBreak(ev netmodel.Event) {
	if m.attempted(ev.Node, ev.Peer) {
		m.refuseAttempt(ev.Node, ev.Peer)
		m.refuseAttempt(ev.Peer, ev.Node)
		return
	}
	m.breakConnection(ev.Node, ev.Peer)
}

func (m *model) appendBreaks(buf []netmodel.Event) []netmodel.Event {
	if !m.streams {
		return buf
	}
	for i := range m.nodes {
		node := sim.NodeID(i)
		for w, set := range m.set(node, established) {
			if m.asLive {
				set |= m.attempts(node, w)
			}
			for ; set != 0; set &= set - 1 {
				if peer := sim.NodeID(w<<6 + bits.TrailingZeros64(set)); peer > node {
					buf = append(buf, netmodel.Event{Kind: eventkind.Break, Node: node, Peer: peer, Slot: noSlot})
				}
			}
		}
	}
	return buf
}

// attempted reports whether the messages queued between two nodes, if any, are an attempt to connect.
func (m *model) attempted(a, b sim.NodeID) bool {
	e, other := m.end(a, b), m.end(b, a)
	return (e.flags|other.flags)&fourVariables == 0 && e.n+other.n > 0
}

// attempts returns one word of the set of peers that have a connection attempt with a node, in either direction.
func (m *model) attempts(node sim.NodeID, word int) (set uint64) {
	for i := word << 6; i < min(m.nodes, (word+1)<<6); i++ {
		if sim.NodeID(i) != node && m.attempted(node, sim.NodeID(i)) {
			set |= 1 << (i & 63)
		}
	}
	return set
}

// refuseAttempt ends the attempt of a node to connect to another one, if any.
func (m *model) refuseAttempt(node, peer sim.NodeID) {
	e := m.end(node, peer)
	if e.n > 0 {
		m.drop(node, peer, netmodel.DroppedDown)
		e.flags |= notReady
		m.changed(e, node, peer)
	}
	m.refresh(node, peer)
}

package netsim

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// datagram is one datagram in flight. The bag of a node is sorted by content, then sender, then age.
type datagram struct {
	from sim.NodeID // negative if the node has yet to send it, to ^from
	cell int32
	same bool // equal to the previous datagram, except in age; in an ordered bag, must wait for the previous one
}

// SendDatagram implements [netmodel.Model].
func (m *model) SendDatagram(from, to sim.NodeID, msg netmodel.Message) {
	switch {
	case !m.datagrams:
		panic("the network has no datagrams: use netsim.Datagrams or netsim.Both")
	case m.arrives():
		m.leave(from, to, m.store(&msg))
	case m.queues:
		m.Arrive(from, to, msg)
	case !m.host.Up(to):
		m.host.Fate(msg.ID, netmodel.DroppedDown)
	case m.partition.severs(from, to):
		m.host.Fate(msg.ID, netmodel.DroppedCut)
	default:
		m.insert(from, to, m.store(&msg))
	}
}

// insert puts a datagram at its position: in the order that the network keeps, or else by content and sender, behind
// equal ones.
func (m *model) insert(from, to sim.NodeID, cell int32) {
	if m.order != Any {
		place, waits := m.behind(from, to)
		m.insertAt(to, place, datagram{from, cell, waits})
		return
	}
	bag := m.bags[to]
	msg := &m.cells[cell].msg
	low, high := 0, len(bag)
	same := false
	for low < high {
		mid := int(uint(low+high) >> 1)
		c := m.host.CompareMessages(&m.cells[bag[mid].cell].msg, msg)
		if c == 0 {
			c = int(bag[mid].from - from)
		}
		if c > 0 {
			high = mid
		} else {
			low, same = mid+1, c == 0
		}
	}
	m.insertAt(to, low, datagram{from, cell, same})
}

func (m *model) insertAt(to sim.NodeID, i int, d datagram) {
	bag := append(m.bags[to], datagram{})
	copy(bag[i+1:], bag[i:])
	bag[i] = d
	m.bags[to] = bag
	m.prints.bag(to)
	m.host.Dirty(to)
}

// appendDatagrams appends one event for each set of equal datagrams to node. The slot is the position of the oldest of
// them in the bag.
func (m *model) appendDatagrams(kind eventkind.Kind, msgs int32, node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	for i, d := range m.bags[node] {
		if !d.same {
			buf = append(buf, netmodel.Event{Kind: kind, Node: node, Peer: d.from, Slot: int32(i), Msgs: msgs})
		}
	}
	return buf
}

// takeDatagram removes the oldest of a set of equal datagrams. The result is valid until the next
// message is stored.
func (m *model) takeDatagram(node sim.NodeID, slot int32) *netmodel.Message {
	bag := m.bags[node]
	cell := bag[slot].cell
	if next := slot + 1; int(next) < len(bag) {
		bag[next].same = false
		copy(bag[slot:], bag[next:])
	}
	m.bags[node] = bag[:len(bag)-1]
	m.prints.bag(node)
	m.host.Dirty(node)
	return m.release(cell)
}

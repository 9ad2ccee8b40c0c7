package netsim

import (
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

var _ netmodel.Parted = (*model)(nil)

// Kinds implements [netmodel.Parted].
func (m *model) Kinds() (datagrams, streams bool) { return m.datagrams, m.streams }

// Bag implements [netmodel.Parted].
func (m *model) Bag(to sim.NodeID) []netmodel.Datagram {
	bag := make([]netmodel.Datagram, len(m.bags[to]))
	for i, d := range m.bags[to] {
		bag[i] = netmodel.Datagram{From: d.from, Msg: m.cells[d.cell].msg, Behind: d.same}
	}
	return bag
}

// SetBag implements [netmodel.Parted].
func (m *model) SetBag(to sim.NodeID, bag []netmodel.Datagram) {
	for i, d := range bag {
		m.insertAt(to, i, datagram{d.From, m.store(&d.Msg), i > 0 && m.waits(&bag[i-1], &bag[i])})
	}
}

// waits reports whether the second of two neighbours in a bag cannot be delivered before the first.
func (m *model) waits(first, second *netmodel.Datagram) bool {
	switch {
	case m.order == Arrival:
		return first.From < 0 == (second.From < 0)
	case first.From != second.From:
		return false
	}
	return m.order == PerPair || m.host.CompareMessages(&first.Msg, &second.Msg) == 0
}

// Connection implements [netmodel.Parted].
func (m *model) Connection(a, b sim.NodeID) netmodel.Connection {
	m.shown[1] = netmodel.ConnectionEnd{Queue: m.shown[1].Queue[:0]}
	m.showEnd(&m.shown[0], a, b)
	if a != b {
		m.showEnd(&m.shown[1], b, a)
	}
	return m.shown
}

func (m *model) showEnd(c *netmodel.ConnectionEnd, node, peer sim.NodeID) {
	e := m.end(node, peer)
	c.Flags, c.Queue = uint8(e.flags), c.Queue[:0]
	for cell, n := e.head, e.n; n > 0; cell, n = m.cells[cell].next, n-1 {
		c.Queue = append(c.Queue, m.cells[cell].msg)
	}
}

// SetConnection implements [netmodel.Parted].
func (m *model) SetConnection(a, b sim.NodeID, c netmodel.Connection) {
	m.setEnd(a, b, c[0])
	if a != b {
		m.setEnd(b, a, c[1])
	}
	m.refresh(a, b)
	m.refresh(b, a)
}

func (m *model) setEnd(node, peer sim.NodeID, c netmodel.ConnectionEnd) {
	e := m.end(node, peer)
	e.flags = flags(c.Flags)
	for k := range c.Queue {
		i := m.store(&c.Queue[k])
		if e.n == 0 {
			e.head = i
		} else {
			m.cells[e.tail].next = i
		}
		e.tail = i
		e.n++
	}
	m.changed(e, node, peer)
}

// Rest implements [netmodel.Parted].
func (m *model) Rest() netmodel.Rest {
	r := netmodel.Rest{Left: m.left}
	if m.partition.active {
		r.Cut, r.Node, r.Peer = true, m.partition.node, m.partition.peer
	}
	return r
}

// SetRest implements [netmodel.Parted].
func (m *model) SetRest(r netmodel.Rest) {
	m.left = r.Left
	m.setPartition(partition{r.Cut, r.Node, r.Peer})
	m.prints.globals()
}

// Severed implements [netmodel.Parted].
func (m *model) Severed(a, b sim.NodeID) bool { return m.partition.severs(a, b) }

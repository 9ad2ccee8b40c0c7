package netsim

import (
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

var _ simext.Parted = (*model)(nil)

// Kinds implements [simext.Parted].
func (m *model) Kinds() (datagrams, streams bool) { return m.datagrams, m.streams }

// Bag implements [simext.Parted].
func (m *model) Bag(to sim.NodeID) []simext.Datagram {
	bag := make([]simext.Datagram, len(m.bags[to]))
	for i, d := range m.bags[to] {
		bag[i] = simext.Datagram{From: d.from, Msg: m.cells[d.cell].msg, Behind: d.same}
	}
	return bag
}

// SetBag implements [simext.Parted].
func (m *model) SetBag(to sim.NodeID, bag []simext.Datagram) {
	for i, d := range bag {
		m.insertAt(to, i, datagram{d.From, m.store(&d.Msg), i > 0 && m.waits(&bag[i-1], &bag[i])})
	}
}

// waits reports whether the second of two neighbours in a bag cannot be delivered before the first.
func (m *model) waits(first, second *simext.Datagram) bool {
	switch {
	case m.order == Arrival:
		return first.From < 0 == (second.From < 0)
	case first.From != second.From:
		return false
	}
	return m.order == PerPair || m.host.CompareMessages(&first.Msg, &second.Msg) == 0
}

// Connection implements [simext.Parted].
func (m *model) Connection(a, b sim.NodeID) simext.Connection {
	m.shown[1] = simext.ConnectionEnd{Queue: m.shown[1].Queue[:0]}
	m.showEnd(&m.shown[0], a, b)
	if a != b {
		m.showEnd(&m.shown[1], b, a)
	}
	return m.shown
}

func (m *model) showEnd(c *simext.ConnectionEnd, node, peer sim.NodeID) {
	e := m.end(node, peer)
	c.Flags, c.Queue = uint8(e.flags), c.Queue[:0]
	for cell, n := e.head, e.n; n > 0; cell, n = m.cells[cell].next, n-1 {
		c.Queue = append(c.Queue, m.cells[cell].msg)
	}
}

// SetConnection implements [simext.Parted].
func (m *model) SetConnection(a, b sim.NodeID, c simext.Connection) {
	m.setEnd(a, b, c[0])
	if a != b {
		m.setEnd(b, a, c[1])
	}
	m.refresh(a, b)
	m.refresh(b, a)
}

func (m *model) setEnd(node, peer sim.NodeID, c simext.ConnectionEnd) {
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

// Rest implements [simext.Parted].
func (m *model) Rest() simext.NetRest {
	r := simext.NetRest{Left: m.left}
	if m.partition.active {
		r.Cut, r.Node, r.Peer = true, m.partition.node, m.partition.peer
	}
	return r
}

// SetRest implements [simext.Parted].
func (m *model) SetRest(r simext.NetRest) {
	m.left = r.Left
	m.setPartition(partition{r.Cut, r.Node, r.Peer})
	m.prints.globals()
}

// Severed implements [simext.Parted].
func (m *model) Severed(a, b sim.NodeID) bool { return m.partition.severs(a, b) }

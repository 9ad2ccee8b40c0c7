package netsim

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// partition is a set of links that are down. The zero value means no partition.
type partition struct {
	active bool
	node   sim.NodeID
	peer   sim.NodeID // the other end of the link; -1 means all links of node
}

func (c *partition) severs(a, b sim.NodeID) bool {
	return c.active && c.between(a, b)
}

func (c *partition) between(a, b sim.NodeID) bool {
	switch {
	case a == b:
		return false
	case c.peer < 0:
		return a == c.node || b == c.node
	}
	return a == c.node && b == c.peer || a == c.peer && b == c.node
}

// AppendGlobal implements [netmodel.Model].
func (m *model) AppendGlobal(buf []netmodel.Event) []netmodel.Event {
	if m.partition.active {
		buf = append(buf, netmodel.Event{Kind: eventkind.Heal, Node: m.partition.node, Peer: m.partition.peer, Slot: noSlot})
	}
	return buf
}

// appendPartitions appends the cuts of each node, then those of each link, unless one is active. With fewer than three
// nodes, cutting off a node equals cutting its only link.
func (m *model) appendPartitions(buf []netmodel.Event) []netmodel.Event {
	if m.partition.active {
		return buf
	}
	n := sim.NodeID(m.nodes)
	if n > 2 {
		for a := range n {
			buf = append(buf, netmodel.Event{Kind: eventkind.Partition, Node: a, Peer: -1, Slot: noSlot})
		}
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			buf = append(buf, netmodel.Event{Kind: eventkind.Partition, Node: a, Peer: b, Slot: noSlot})
		}
	}
	return buf
}

func (m *model) setPartition(c partition) {
	old := m.partition
	m.partition = c
	if !c.active {
		c = old
	}
	if !m.streams {
		return
	}
	if c.peer >= 0 {
		m.refresh(c.node, c.peer)
		m.refresh(c.peer, c.node)
		return
	}
	for peer := range sim.NodeID(m.nodes) {
		if peer != c.node {
			m.refresh(c.node, peer)
			m.refresh(peer, c.node)
		}
	}
}

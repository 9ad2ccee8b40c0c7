package netsim

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// fault is a fault that networks can have.
type fault struct {
	of      sim.Fault
	exists  func(*config) bool
	lacking string                                          // error of a network without it, with the place of a number
	list    func(*model, []netmodel.Event) []netmodel.Event // appends the events that inject it, if any is left
	inject  func(*model, netmodel.Event)
}

// faults are all faults, in the order of their events. Those of datagrams are first, in the order of their kinds in package eventkind.
var faults = [...]fault{
	datagramFault(sim.Loss, "lost datagrams", lose),
	datagramFault(sim.Dup, "duplicated datagrams", duplicate),
	{sim.NetErrors, ofStreams, "%d socket errors requested, but only netsim.Streams and netsim.Both have connections",
		(*model).appendBreaks, (*model).injectBreak},
	{sim.Partitions, ofAll, "%d partitions requested, but the network has none",
		(*model).appendPartitions, func(m *model, ev netmodel.Event) {
			m.setPartition(partition{active: true, node: ev.Node, peer: ev.Peer})
		}},
}

func ofDatagrams(c *config) bool { return c.datagrams }
func ofStreams(c *config) bool   { return c.streams }
func ofAll(*config) bool         { return true }

// datagramFault returns a fault that can strike each datagram, see [netmodel.Parted]. what names datagrams that it has struck.
func datagramFault(f sim.Fault, what string, inject func(*model, netmodel.Event)) fault {
	kind, msgs := f.Event(), f.Event().Consumed()
	list := func(m *model, buf []netmodel.Event) []netmodel.Event {
		for node := range m.bags {
			buf = m.appendDatagrams(kind, msgs, sim.NodeID(node), buf)
		}
		return buf
	}
	return fault{f, ofDatagrams, "%d " + what + " requested, but only netsim.Datagrams and netsim.Both have datagrams", list, inject}
}

func lose(m *model, ev netmodel.Event) {
	m.host.Fate(m.takeDatagram(ev.Node, ev.Slot).ID, netmodel.Lost)
}

func duplicate(m *model, ev netmodel.Event) {
	d := m.bags[ev.Node][ev.Slot]
	msg := m.cells[d.cell].msg
	msg.ID = m.host.Duplicated(msg.ID)
	m.insertAt(ev.Node, int(ev.Slot)+1, datagram{d.from, m.store(&msg), true})
}

// AppendInjections implements [netmodel.Model]: each fault of datagrams by receiver, content and sender; then broken connections by lower
// and higher end; then partitions, first of nodes, then of links.
func (m *model) AppendInjections(buf []netmodel.Event) []netmodel.Event {
	for i := range faults {
		if f := &faults[i]; m.left[f.of] > 0 {
			buf = f.list(m, buf)
		}
	}
	return buf
}

// Inject implements [netmodel.Model].
func (m *model) Inject(ev netmodel.Event) {
	m.prints.globals()
	switch ev.Kind {
	case eventkind.Heal:
		m.setPartition(partition{})
	case eventkind.Arrive:
		m.arrive(ev.Node)
	}
	for i := range faults {
		if f := &faults[i]; f.of.Event() == ev.Kind {
			m.left[f.of]--
			f.inject(m, ev)
		}
	}
}

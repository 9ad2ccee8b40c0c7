package netsim

import (
	"fmt"

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

// faults are all faults, in the order of their events.
var faults = [...]fault{
	{sim.Loss, ofDatagrams, "%d lost datagrams requested, but only netsim.Datagrams and netsim.Both have datagrams",
		(*model).appendLosses, (*model).lose},
	{sim.Dup, ofDatagrams, "%d duplicated datagrams requested, but only netsim.Datagrams and netsim.Both have datagrams",
		(*model).appendDuplications, func(m *model, ev netmodel.Event) { m.duplicate(ev.Node, ev.Slot) }},
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

// AppendInjections implements [netmodel.Model]: losses, then duplications, by receiver, content and
// sender; then broken connections by lower and higher end; then partitions, first of nodes, then of links.
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

// limitFields holds by fault the field of a network that limits it, or nil if the network lacks the fault.
type limitFields [sim.FaultCount]*int

func (d *Datagrams) limits() limitFields {
	return limitFields{sim.Loss: &d.Loss, sim.Dup: &d.Dup, sim.Partitions: &d.Partitions}
}

func (s *Streams) limits() limitFields {
	return limitFields{sim.NetErrors: &s.Errors, sim.Partitions: &s.Partitions}
}

func (b *Both) limits() limitFields {
	return limitFields{
		sim.Loss: &b.Datagrams.Loss, sim.Dup: &b.Datagrams.Dup, sim.NetErrors: &b.Streams.Errors, sim.Partitions: &b.Partitions,
	}
}

func (fields limitFields) get() (l sim.Limits) {
	for f, limit := range fields {
		if limit != nil {
			l[f] = *limit
		}
	}
	return l
}

// set replaces all limits. It fails if the network lacks a limited fault.
func (fields limitFields) set(l sim.Limits) error {
	for f := range sim.FaultCount {
		if l[f] != 0 && !f.Event().OfNetwork() {
			return fmt.Errorf("%d %v requested for the network: %[2]v are a limit of the system", l[f], f)
		}
	}
	for i := range faults {
		if f := &faults[i]; l[f.of] != 0 && fields[f.of] == nil {
			return fmt.Errorf(f.lacking, l[f.of])
		}
	}
	for f, limit := range fields {
		if limit != nil {
			*limit = l[f]
		}
	}
	return l.Validate()
}

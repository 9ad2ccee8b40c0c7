package bench

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// The bench evaluates properties over local states that it is shown. The values of node predicates are cached in the
// local states.

// Show makes l the state of a node that properties see. Unlike most methods it keeps l.
func (b *Bench) Show(id sim.NodeID, l *kernel.Local) {
	b.shown[id] = l
	b.w.Properties.Shown.Services[id] = l.Code
}

// ShowInFlight sets the messages in flight that properties see.
func (b *Bench) ShowInFlight(f func(yield func(sim.Envelope) bool)) { b.inFlight = f }

// Check is [kernel.World.Check] of the shown state.
func (b *Bench) Check() error { return b.w.Check() }

// Holds is [kernel.World.Holds] of the shown state.
func (b *Bench) Holds(p *sim.Property) bool { return b.w.Holds(p) }

// Explain is [kernel.World.Explain] of the shown state.
func (b *Bench) Explain(p *sim.Property) string { return b.w.Explain(p) }

// Reads returns the parts of the state that properties have read since the last call.
func (b *Bench) Reads() simhook.Reads {
	r := b.w.Properties.Shown.Reads
	b.w.Properties.Shown.Reads = simhook.Reads{}
	return r
}

// Predicates returns the values of the n cached node predicates in a local state of a node. Bit k of holds is predicate
// k.
func (b *Bench) Predicates(id sim.NodeID, l *kernel.Local) (holds uint64, n int) {
	b.Show(id, l)
	c := &b.w.Properties
	for k, p := range c.Predicates {
		bit := uint64(1) << k
		if l.Known&bit == 0 {
			if c.Consult(func(*sim.View) bool { return p.HoldsAt(c.Shown, id) }) {
				l.Holds |= bit
			}
			l.Known |= bit
		}
	}
	return l.Holds, len(c.Predicates)
}

// benchView is the world of the bench's view.
type benchView struct{ b *Bench }

func (l benchView) VisitInFlight(yield func(sim.Envelope) bool) { l.b.inFlight(yield) }

func (l benchView) TimerSet(id sim.NodeID, t any) bool { return l.b.shown[id].TimerSet(t) }

func (l benchView) Halted(id sim.NodeID) bool { return l.b.shown[id].Halted }

func (l benchView) Each(v *properties.View, p *properties.Predicate) bool {
	b := l.b
	c := &b.w.Properties
	k := c.Slot(p)
	if n := len(b.shown); n < 64 {
		v.Reads.Nodes |= 1<<n - 1
	} else {
		v.Reads.Nodes = ^uint64(0)
	}
	if k < 0 {
		v.Reads.Closely |= v.Reads.Nodes
		return properties.HoldsAtAll(v, p, len(b.shown))
	}
	bit := uint64(1) << k
	for id, s := range b.shown {
		if s.Known&bit == 0 {
			if p.HoldsAt(v, sim.NodeID(id)) {
				s.Holds |= bit
			}
			s.Known |= bit
		}
		if s.Holds&bit == 0 {
			return false
		}
	}
	return true
}

package kernel

import (
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/sim"
)

// Check implements [World].
func (w *Machine) Check() error { return w.Properties.Check() }

// Live implements [World].
func (w *Machine) Live() bool { return w.Properties.Live() }

// Holds implements [World].
func (w *Machine) Holds(p *sim.Property) bool { return w.Properties.Holds(p) }

// Explain implements [World].
func (w *Machine) Explain(p *sim.Property) string { return w.Properties.Explain(p) }

// Each lets views read the machine, like VisitInFlight, TimerSet and Halted.
func (w *Machine) Each(v *properties.View, p *properties.Predicate) bool {
	return w.Properties.Each(v, p)
}

// HardlyJudged reports whether hardly any requested property value was known in a world, because nodes showed earlier
// states.
func HardlyJudged(w World) bool {
	m, ok := w.(*Machine)
	return ok && m.Properties.HardlyJudged()
}

// ReadBy returns the nodes that the named property reads in the current state, see [properties.State.ReadBy]. Nil means
// that the property does not exist, or that these nodes are unknown.
func ReadBy(w World, name string) []int { return nodesOf(w, name, (*properties.State).ReadBy) }

// FailsAt returns the nodes at which the named property, which does not hold, fails, see [properties.State.FailsAt].
func FailsAt(w World, name string) []int { return nodesOf(w, name, (*properties.State).FailsAt) }

func nodesOf(w World, name string, nodes func(*properties.State, *sim.Property) []int) []int {
	m, ok := w.(*Machine)
	if !ok {
		return nil
	}
	for i := range m.Sys.Properties {
		if p := &m.Sys.Properties[i]; p.Name == name {
			return nodes(&m.Properties, p)
		}
	}
	return nil
}

package kernel

import (
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/sim"
)

// Check implements [World].
func (w *machine) Check() error { return w.check.Check() }

// Live implements [World].
func (w *machine) Live() bool { return w.check.Live() }

// Holds implements [World].
func (w *machine) Holds(p *sim.Property) bool { return w.check.Holds(p) }

// Explain implements [World].
func (w *machine) Explain(p *sim.Property) string { return w.check.Explain(p) }

// Each makes the machine what views look through.
func (w *machine) Each(v *properties.View, p *properties.Predicate) bool { return w.check.Each(v, p) }

// Unjudged reports whether hardly any value of a property that a world was asked for was known, because nodes showed earlier states.
func Unjudged(w World) bool {
	m, ok := w.(*machine)
	return ok && m.check.Unjudged()
}

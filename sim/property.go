package sim

import "errors"

// Property is a requirement on a system, or a state that a search should reach. Exactly one of Always, Eventually,
// Inevitably and Sometimes is set. The functions must depend only on values that they read through the view.
type Property struct {
	Name string
	// Always must hold in every state. It is a safety property.
	Always func(*View) bool
	// Eventually is a liveness property: from every state, a state in which all Eventually properties hold must be
	// reachable without further faults. A panic of one of these functions is a violation unless another of them
	// returns false in the state.
	Eventually func(*View) bool
	// Inevitably must hold infinitely often in every fair infinite run. A run that ends, or that has no event left
	// that must happen, stays in its last state. docs/machines.md defines fairness.
	Inevitably func(*View) bool
	// Sometimes should hold in some state of the search. The report shows how often it held. Once it has held it may
	// not be evaluated again, so a later panic of the function may be missed.
	Sometimes func(*View) bool
	// Explain describes a state in which the property does not hold, for reports. It may be nil. The text of the
	// violation mentions a panic in it, or that it does not return.
	Explain func(*View) string
}

func (p *Property) validate() error {
	n := 0
	for _, f := range []func(*View) bool{p.Always, p.Eventually, p.Inevitably, p.Sometimes} {
		if f != nil {
			n++
		}
	}
	switch {
	case p.Name == "":
		return errors.New("it has no name")
	case n != 1:
		return errors.New("exactly one of Always, Eventually, Inevitably and Sometimes must be set")
	}
	return nil
}

package sim

import "errors"

// Property is something that a system should do, or never do. Exactly one of Always, Eventually,
// Inevitably and Sometimes is set. Functions must depend on nothing but what they read through the view.
type Property struct {
	Name string
	// Always holds in every state: a safety property.
	Always func(*View) bool
	// Eventually holds, together with all other Eventually properties, in some state that stays
	// reachable: a liveness property. A panic of one's function is a finding where no other one fails.
	Eventually func(*View) bool
	// Inevitably holds again and again in every run without end that is fair: liveness without luck. A run that ends, or in
	// which nothing is left that has to happen, stays in its last state. See docs/machines.md for what is fair.
	Inevitably func(*View) bool
	// Sometimes holds in some state of the search; the report says how often it was seen. It may not be asked any more once it
	// was seen, so that a panic of its function may not be found then.
	Sometimes func(*View) bool
	// Explain says more about a state in which the property does not hold. It is called only when
	// something is shown. May be nil.
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

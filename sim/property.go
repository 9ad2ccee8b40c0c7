package sim

import "errors"

// Property is a requirement on a system, or an event that a search should observe. Exactly one of Always, Eventually,
// Inevitably and Sometimes is set. The functions must depend only on what they read through the view.
type Property struct {
	Name string
	// Always holds in every state: a safety property.
	Always func(*View) bool
	// Eventually holds, together with all other Eventually properties, in some state that stays reachable: a liveness
	// property. A panic of one of these functions is a finding if no other of them fails in the state.
	Eventually func(*View) bool
	// Inevitably holds again and again in every fair infinite run: liveness that does not rely on luck. A run that
	// ends, or that has no event left that must happen, stays in its last state. docs/machines.md defines fairness.
	Inevitably func(*View) bool
	// Sometimes holds in some state of the search; the report shows how often it was seen. Once it was seen it may not
	// be evaluated again, so a panic of its function may then be missed.
	Sometimes func(*View) bool
	// Explain describes a state in which the property does not hold. It is called only for display. It may be nil.
	// A panic in it, and a call that does not return, are mentioned in the text of the violation.
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

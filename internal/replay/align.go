package replay

import (
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
)

// Occurrence identifies a step for [Align]: the stable key of its event, and its kind.
type Occurrence struct {
	Key  string
	Kind eventkind.Kind
}

// identity returns what corresponding steps have in common: the key, or, where a message leaves the network, the message alone, so that
// its loss in one run corresponds to its delivery in the other.
func (o Occurrence) identity() string {
	if o.Kind.Consumed() > 0 {
		if _, message, ok := strings.Cut(o.Key, " "); ok {
			return message
		}
	}
	return o.Key
}

// Counterpart is the step of another run that corresponds to a step.
type Counterpart struct {
	Step int
	// Same reports whether the step has the same event, or ends the same message. Else it is the step with the same number, or the last one.
	Same bool
}

// Align returns the counterparts in run b of the steps of run a, by their numbers. Element 0 is for the state before the first step. The
// runs have their first shared steps in common. A later step corresponds to the same occurrence of the same event, counted from there.
func Align(a, b []Occurrence, shared int) []Counterpart {
	steps := map[string][]int{} // of b, by identity
	for i := shared; i < len(b); i++ {
		id := b[i].identity()
		steps[id] = append(steps[id], i+1)
	}
	all := make([]Counterpart, len(a)+1)
	for n := range all {
		if n <= shared {
			all[n] = Counterpart{min(n, len(b)), n <= len(b)}
			continue
		}
		id := a[n-1].identity()
		if left := steps[id]; len(left) > 0 {
			all[n], steps[id] = Counterpart{left[0], true}, left[1:]
		} else {
			all[n] = Counterpart{min(n, len(b)), false}
		}
	}
	return all
}

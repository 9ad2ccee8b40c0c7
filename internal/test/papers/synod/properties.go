package synod

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	Agreement = "agreement"
	Chosen    = "a value is chosen"
)

func properties() []sim.Property {
	return []sim.Property{
		{Name: Agreement, Always: func(v *sim.View) bool { return len(chosen(v)) <= 1 }, Explain: explain},
		{Name: Chosen, Sometimes: func(v *sim.View) bool { return len(chosen(v)) > 0 }},
	}
}

// chosen returns the values that learners consider chosen, each once.
func chosen(v *sim.View) []int {
	var values []int
	var seen uint64
	for _, l := range sim.Nodes[*Learner](v) {
		for value, ok := range l.Chosen {
			if ok && seen&(1<<value) == 0 {
				seen |= 1 << value
				values = append(values, value)
			}
		}
	}
	return values
}

func explain(v *sim.View) string {
	var b strings.Builder
	for id, l := range sim.Nodes[*Learner](v) {
		for value, ok := range l.Chosen {
			if ok {
				fmt.Fprintf(&b, "n%d: value %d is chosen\n", id, value)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

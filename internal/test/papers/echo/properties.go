package echo

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	Agreement = "agreement"
	Delivered = "a value is delivered"
)

func properties() []sim.Property {
	return []sim.Property{
		{Name: Agreement, Always: agreement, Explain: explain},
		{Name: Delivered, Sometimes: func(v *sim.View) bool { return explain(v) != "" }},
	}
}

// agreement checks that honest receivers have delivered the same value of an initiator, or none yet.
func agreement(v *sim.View) bool {
	values := make([]int, v.Len())
	for _, r := range sim.Nodes[*Receiver](v) {
		for i, value := range r.Delivered {
			if value != 0 && values[i] != 0 && value != values[i] {
				return false
			}
			values[i] = max(values[i], value)
		}
	}
	return true
}

func explain(v *sim.View) string {
	var b strings.Builder
	for id, r := range sim.Nodes[*Receiver](v) {
		for i, value := range r.Delivered {
			if value != 0 {
				fmt.Fprintf(&b, "n%d has delivered value %d of n%d\n", id, value, i)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

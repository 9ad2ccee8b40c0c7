package paxos

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

// properties returns the properties. "A value is chosen" is not a liveness property: each proposer proposes once, so
// for example a crash of the proposer with the highest ballot prevents it.
func properties() []sim.Property {
	return []sim.Property{
		{Name: Agreement, Always: agreement, Explain: explain},
		{Name: Chosen, Sometimes: chosen},
	}
}

// agreement reports whether no two different values have a majority.
func agreement(v *sim.View) bool {
	var value Value
	for _, l := range sim.Nodes[*Learner](v) {
		for _, t := range l.Tallies {
			if t.Value != 0 && value != 0 && t.Value != value {
				return false
			}
			value = max(value, t.Value)
		}
	}
	return true
}

// chosen reports whether some learner has seen a majority.
func chosen(v *sim.View) bool {
	for _, l := range sim.Nodes[*Learner](v) {
		for _, t := range l.Tallies {
			if t.Value != 0 {
				return true
			}
		}
	}
	return false
}

func explain(v *sim.View) string {
	var b strings.Builder
	for id, l := range sim.Nodes[*Learner](v) {
		for i, t := range l.Tallies {
			if t.Value != 0 {
				fmt.Fprintf(&b, "n%d: value %d is chosen in ballot %d\n", id, t.Value, i+1)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

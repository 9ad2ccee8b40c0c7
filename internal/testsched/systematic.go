package testsched

import "strings"

// Plan determines the decisions of a run under policy Systematic.
type Plan struct {
	Taken  []uint32 // options taken by the first decisions
	Asleep []uint64 // the sleep set after these decisions: a goroutine in it does not run next until a dependent operation removes it
	Reduce bool     // record also decisions with a single option
}

// Decision is a choice in a run. Kind is AtPoint, AtEnd, AtSelect or AtPool.
type Decision struct {
	Kind, Taken uint32
	Options     []Option
}

// String lists the sources, such as "random numbers and orders of maps".
func (s Sampled) String() string {
	var list []string
	for i, text := range []string{"random numbers", "orders of maps", "cases of selects with one channel twice", "values of large pools"} {
		if s>>i&1 != 0 {
			list = append(list, text)
		}
	}
	return strings.Join(list, " and ")
}

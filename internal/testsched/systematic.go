package testsched

import (
	"strings"
)

// Plan determines the decisions of a run under policy Systematic.
type Plan struct {
	Taken  []uint32 // options taken by the first decisions
	Asleep []uint64 // the sleep set after these decisions: a goroutine in it does not run next until a dependent operation removes it
	Reduce bool     // record also decisions with a single option
}

// Decision is a choice in a run. Kind is one of the constants below.
type Decision struct {
	Kind, Taken uint32
	Options     []Option
}

const (
	AtPoint  = iota // another goroutine may preempt the running one, which is the first option
	AtEnd           // the running goroutine cannot continue; timers that are due are the first options, others the last
	AtSelect        // several cases are ready
)

// Option is an alternative of a decision.
type Option struct {
	Who  uint64 // goroutine, timer, number of a case, or 1 for the passage of time
	Mask uint64 // objects of its next operation, as bits; see independent
}

// Sampled is a set of sources of randomness that a run used outside its decisions.
type Sampled uint32

const (
	SampledNumbers Sampled = 1 << iota
	SampledMaps
	sampledCases
	sampledPools
)

// String lists the sources, such as "random numbers and orders of maps".
func (s Sampled) String() string {
	var list []string
	for i, text := range []string{"random numbers", "orders of maps", "cases of selects with one channel twice", "values of pools"} {
		if s>>i&1 != 0 {
			list = append(list, text)
		}
	}
	return strings.Join(list, " and ")
}

// timer reports whether a timer fires or time passes.
func (o Option) Timer() bool { return o.Who == TimePasses || o.Who&7 == timerBits }

// same compares the goroutines of two options. Masks depend on addresses and differ between runs.
func (o Option) Same(p Option) bool { return o.Who == p.Who }

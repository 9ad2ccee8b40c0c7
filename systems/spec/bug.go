package spec

import (
	"fmt"
	"maps"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Bug is a known defect of a system that can be put back into the corrected code.
type Bug struct {
	// ID is unique among all systems, as in "RT4".
	ID string
	// Summary says in one line what the defective code does.
	Summary string
	// Shows says how the defect shows. May be empty.
	Shows string
	// Fix says in one line what the corrected code does instead.
	Fix string

	// Kind is the kind of finding that is expected when all properties are checked.
	Kind sim.FindingKind
	// PaperKind is the kind as the defect's original report saw it. It is what is expected when
	// PaperProperty alone is checked.
	PaperKind sim.FindingKind
	// OtherKinds are kinds that the same defect may be reported as, depending on the run that shows it
	// first. Usually empty.
	OtherKinds []sim.FindingKind
	// PaperProperty is the name of the property that alone must catch the defect. Empty when it shows
	// without any property: panics, divergences and what monitors watch.
	PaperProperty string

	// Defaults is a setting in which the defect is found within seconds.
	Defaults Defaults
}

// Accepts reports whether a finding of kind k is an expected one of the bug.
func (b *Bug) Accepts(k sim.FindingKind) bool {
	return k == b.Kind || k == b.PaperKind || slices.Contains(b.OtherKinds, k)
}

// Defaults are the settings of a search that replace the entry's own when a bug is put back. What the
// user sets has precedence.
type Defaults struct {
	// Nodes is the number of nodes; 0: the entry's default.
	Nodes int
	// Params replace the entry's defaults by name. May be nil.
	Params map[string]string
	// Limits replace the entry's limits, all of them.
	Limits sim.Limits
	// Strategy names a strategy of package search; empty means its default.
	Strategy string
	// Prefix says that the search should start from a live state that it makes itself, without faults.
	Prefix bool
	// Weights replace those of random walks. A zero weight keeps the search's default.
	Weights Weights
	// WalkSteps is the walk limit; 0: the search's default.
	WalkSteps int
}

// Weights are the weights of events in random walks, by class and per enabled event.
type Weights struct {
	Action      int `json:"action"`
	Message     int `json:"message"`
	Timer       int `json:"timer"`
	Consequence int `json:"consequence"` // boot, errors, ready call-backs, healing
	Fault       int `json:"fault"`       // of each injection, in faulty walks while faults are on
}

// Apply returns c with the defaults of bug b filled in where c leaves something out, and b among the
// bugs. It shares nothing with c or b.
func (b *Bug) Apply(c Config) Config {
	c.filled.params = maps.Clone(c.filled.params)
	if c.Nodes == 0 && b.Defaults.Nodes != 0 {
		c.Nodes, c.filled.nodes = b.Defaults.Nodes, true
	}
	for _, name := range slices.Sorted(maps.Keys(b.Defaults.Params)) {
		if _, given := c.Params[name]; !given {
			c.filled.add(name)
		}
	}
	params := make(map[string]string, len(c.Params)+len(b.Defaults.Params))
	maps.Copy(params, b.Defaults.Params)
	maps.Copy(params, c.Params)
	c.Params = params
	c.Bugs = slices.Clone(c.Bugs)
	if !c.Bugs.Has(b.ID) {
		c.Bugs = append(c.Bugs, b.ID)
	}
	return c
}

// BugSet is a set of bugs by identifier. A service asks it once, when it is built.
type BugSet []string

// Has reports whether the bug is in the set.
func (s BugSet) Has(id string) bool { return slices.Contains(s, id) }

// Bits returns the bugs of the set as bits, bit i for known[i]: what a service keeps of them. It panics
// when B has too few bits for all that are known.
func Bits[B ~uint8 | ~uint16 | ~uint32](set BugSet, known []Bug) B {
	var bits B
	for i := range known {
		bit := B(1) << i
		if bit == 0 {
			panic(fmt.Sprintf("spec: %d bugs are too many for a %T", len(known), bits))
		}
		if set.Has(known[i].ID) {
			bits |= bit
		}
	}
	return bits
}

package spec

import (
	"fmt"
	"maps"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Bug is a known defect of a system that can be reintroduced into the corrected code.
type Bug struct {
	// ID is unique among all systems, for example "RT4".
	ID string `json:"id"`
	// Summary describes the defective code in one line.
	Summary string `json:"summary"`
	// Shows describes the effect of the defect. It may be empty.
	Shows string `json:"shows,omitempty"`
	// Fix describes the corrected code in one line.
	Fix string `json:"fix"`

	// Kind is the expected kind of finding if all properties are checked.
	Kind sim.FindingKind `json:"kind"`
	// PaperKind is the kind in the defect's original report. It is expected if PaperProperty alone is checked.
	PaperKind sim.FindingKind `json:"paper_kind"`
	// OtherKinds are further kinds as which the defect may be reported, depending on the first run that shows it.
	// Usually empty.
	OtherKinds []sim.FindingKind `json:"other_kinds,omitempty"`
	// PaperProperty is the property that must detect the defect alone. It is empty if no property is needed: for
	// panics, divergences and violations of monitors.
	PaperProperty string `json:"paper_property,omitempty"`

	// Defaults are settings with which the defect is found within seconds.
	Defaults Defaults `json:"-"`
}

// Accepts reports whether a finding of kind k is expected for the bug.
func (b *Bug) Accepts(k sim.FindingKind) bool {
	return k == b.Kind || k == b.PaperKind || slices.Contains(b.OtherKinds, k)
}

// Defaults are the settings of a search that replace the entry's own when a bug is reintroduced. Settings by the user
// take precedence.
type Defaults struct {
	// Nodes is the number of nodes; 0 means the entry's default.
	Nodes int
	// Params override the entry's defaults by name. It may be nil.
	Params map[string]string
	// Limits replace all limits of the entry.
	Limits sim.Limits
	// Strategy names a strategy of package search; empty means its default.
	Strategy string
	// Prefix makes the search start from a live state that it computes itself, without faults.
	Prefix bool
	// Weights replace those of random walks. A zero weight keeps the search's default.
	Weights Weights
	// WalkSteps is the walk limit; 0 means the search's default.
	WalkSteps int
}

// Weights are the weights of events in random walks, by class and per enabled event.
type Weights struct {
	Action      int `json:"action"`
	Message     int `json:"message"`
	Timer       int `json:"timer"`
	Consequence int `json:"consequence"` // boot, errors, ready call-backs, healing
	Fault       int `json:"fault"`       // of each injection, in faulty walks while faults are enabled
}

// Apply returns c with bug b added, and with the defaults of b where c has no setting. The result shares no memory with
// c or b.
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

// BugSet is a set of bugs by identifier. A service reads it once, when it is built.
type BugSet []string

// Has reports whether the bug is in the set.
func (s BugSet) Has(id string) bool { return slices.Contains(s, id) }

// Bits returns the bugs of the set as bits, with bit i for known[i], in the form that a service stores. It panics if B
// has too few bits for all known bugs.
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

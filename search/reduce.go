package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
)

// Reduction selects the states that strategies that visit states may leave out without changing the verdict.
type Reduction string

// The reductions, see [options.Reduction].
const (
	ReduceNone = Reduction(options.ReduceNone)
	ReduceDrop = Reduction(options.ReduceDrop)
	ReduceFull = Reduction(options.ReduceFull)
	ReduceAuto = Reduction(options.ReduceAuto)
)

// Reduced describes how states were left out, for reports. Its fields are those of por.Reduced in
// internal/table/por/reduction.go, which Config.reduced converts to it.
type Reduced struct {
	Used   options.Reduction `json:"used"`
	Why    string            `json:"why,omitempty"`    // why it is weaker than the one asked for, or ""
	Rounds int               `json:"rounds,omitempty"` // number of explorations; each drops the assumptions that fell in those before
	Passed int               `json:"passed,omitempty"` // intermediate states of chains: checked, not stored
	Chains int               `json:"chains,omitempty"` // edges of several steps
	Single int               `json:"single,omitempty"` // stored states in which one event was explored alone
	Dead   int               `json:"dead,omitempty"`   // local states with a dropped datagram

	Permutations int    `json:"permutations,omitempty"` // permutations of nodes by which states were merged; 0: none
	Asymmetry    string `json:"asymmetry,omitempty"`    // why requested symmetry was not used
}

// Reductions returns all reductions. The last is the default.
func Reductions() []Reduction { return []Reduction{ReduceNone, ReduceDrop, ReduceFull, ReduceAuto} }

// ReductionNames returns their names.
func ReductionNames() (names []string) {
	for _, r := range Reductions() {
		names = append(names, string(r))
	}
	return names
}

func (r Reduction) fits() error {
	if r != "" && !slices.Contains(Reductions(), r) {
		return fmt.Errorf("reduction %q is not one of %s", r, strings.Join(ReductionNames(), ", "))
	}
	return nil
}

// reduced returns how states were left out, or nil if no reduction was requested.
func (c *Config) reduced(x *table.Exploration) *Reduced {
	if c.Reduce == ReduceNone && !c.Symmetry {
		return nil
	}
	return (*Reduced)(&x.Reduced)
}

package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim/table"
)

// Reduction says which states strategies that visit states leave out, so that the verdict is the same.
type Reduction string

// The reductions, see [table.Reduction].
const (
	ReduceNone = Reduction(table.ReduceNone)
	ReduceDrop = Reduction(table.ReduceDrop)
	ReduceFull = Reduction(table.ReduceFull)
)

// Reduced tells how states were left out.
type Reduced = table.Reduced

// Reductions are all of them, each of which leaves out what those before it do.
func Reductions() []Reduction { return []Reduction{ReduceNone, ReduceDrop, ReduceFull} }

// ReductionNames are their names.
func ReductionNames() (names []string) {
	for _, r := range Reductions() {
		names = append(names, string(r))
	}
	return names
}

func (r Reduction) fits(s Name) error {
	switch {
	case r != "" && !slices.Contains(Reductions(), r):
		return fmt.Errorf("reduction %q is none of %s", r, strings.Join(ReductionNames(), ", "))
	case r != "" && r != ReduceNone && !s.Stateful():
		return fmt.Errorf("only the strategies %s and %s visit states, some of which could be left out", BFS, DFS)
	}
	return nil
}

// reduced tells how states were left out; nil: that was not asked for.
func (c *Config) reduced(x *table.Exploration) *Reduced {
	if c.Reduce == "" || c.Reduce == ReduceNone {
		return nil
	}
	return &x.Reduced
}

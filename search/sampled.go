package search

import (
	"maps"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// sampledByServices returns the choices that services sample by themselves.
func sampledByServices(sys *sim.System) (s choose.Samples) {
	l := declared.Limited(sys)
	if l == nil {
		return nil
	}
	taken := l.Sampled(sys.Interleave)
	for _, label := range slices.Sorted(maps.Keys(taken)) {
		s.Merge(choose.Samples{{Label: label, Arity: choose.MaxArity, Taken: taken[label]}})
	}
	return s
}

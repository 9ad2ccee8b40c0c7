// Package declared reads what a system and its services say of themselves.
package declared

import (
	"slices"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Limited returns a service of which a search cannot see all that it may do; nil means that there is none.
func Limited(sys *sim.System) simext.Limited {
	for id := range sim.NodeID(sys.Nodes) {
		s := sys.New(id)
		defer Discard(s)
		if l, ok := s.(simext.Limited); ok {
			return l
		}
	}
	return nil
}

// Compare returns what a service says on how other, the same in another execution of its path, differs; see [simext.Comparer].
func Compare(s, other sim.Service) []string {
	if c, ok := s.(simext.Comparer); ok {
		return c.Compare(other)
	}
	return nil
}

// NodeLimits returns how often each of them can strike in a run; faults of the network are 0.
func NodeLimits(sys *sim.System) sim.Limits {
	return sim.Limits{sim.Crashes: sys.Crashes, sim.Halts: MostHalts(sys)}
}

// MostHalts is how many nodes can halt in a run.
func MostHalts(sys *sim.System) int { return min(sys.Halts, sys.Nodes) }

// Mates are by node those that run in its process, ascending; nil: each node has one of its own.
func Mates(sys *sim.System) [][]sim.NodeID {
	if len(sys.Containers) == 0 {
		return nil
	}
	mates := make([][]sim.NodeID, sys.Nodes)
	for id := range mates {
		mates[id] = slices.DeleteFunc(sys.Process(sim.NodeID(id)), func(mate sim.NodeID) bool { return int(mate) == id })
	}
	return mates
}

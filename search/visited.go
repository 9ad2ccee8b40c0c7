package search

import (
	"fmt"
	"strconv"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runs"
)

// Visited selects how seen states are stored: one of the constants or, for deepening, a number of bits, from 1 to 128,
// to which fingerprints are truncated. States with equal fingerprints are taken for one. A short fingerprint saves
// nothing but loses states, and those after them. It serves for comparison with searches that have only such a hash.
type Visited string

const (
	AllStates Visited = "none" // for deepening: no state is stored, and each is explored as often as it is reached

	// These are names of stateset.Kinds to which other packages refer.
	ExactStates     Visited = "exact" // for bfs and dfs: whole states
	Fingerprints64  Visited = "64"    // fingerprints of 64 bits: states may be missed
	Fingerprints128 Visited = "128"
)

// VisitedNames returns the values for strategies that visit states. Each is a kind of set of package stateset.
func VisitedNames() (names []string) {
	for _, k := range stateset.Kinds {
		names = append(names, k.Name)
	}
	return names
}

// fits returns an error if v does not fit a strategy.
func (v Visited) fits(s Name) error {
	switch {
	case v == "":
		return nil
	case s.Can(Deepens):
		if n, err := strconv.Atoi(string(v)); v != AllStates && (err != nil || n < 1 || n > 128) {
			return fmt.Errorf("visited set %q of strategy %s is neither %s nor a number of bits, 1 to 128", v, s, AllStates)
		}
	default:
		if _, err := stateset.Named(string(v)); err != nil {
			return fmt.Errorf("strategy %s: %w", s, err)
		}
	}
	return nil
}

// key returns the key of deepening.
func (v Visited) key() runs.Key {
	if v == AllStates {
		return runs.Key{}
	}
	n, err := strconv.Atoi(string(v))
	if err != nil {
		n = 128
	}
	return runs.NewKey(n)
}

// MostOmission is the largest bound on the probability that a state was missed with which a search still counts as
// complete. A verdict is never better than its bound.
const MostOmission = 1e-3

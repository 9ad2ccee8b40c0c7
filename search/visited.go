package search

import (
	"fmt"
	"math"
	"strconv"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// Visited selects how seen states are stored: one of the constants or, for deepening, a number of bits, from 1 to 128,
// to which fingerprints are truncated. States with equal fingerprints are taken for one. A short fingerprint saves
// nothing but loses states, and those after them. It serves for comparison with searches that have only such a hash.
type Visited string

const (
	AllStates       Visited = "none"  // for deepening: no state is stored, and each is explored as often as it is reached
	ExactStates     Visited = "exact" // for bfs and dfs: whole states
	Fingerprints64  Visited = "64"    // fingerprints of 64 bits: states may be missed
	Fingerprints128 Visited = "128"
)

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

// key selects how states are identified: by the bits of their fingerprints in mask, or not at all.
type key struct {
	none bool
	bits int
	mask sim.Fingerprint
}

// key returns the key of deepening.
func (v Visited) key() key {
	if v == AllStates {
		return key{none: true}
	}
	n, err := strconv.Atoi(string(v))
	if err != nil {
		n = 128
	}
	// A shift by 64 and more gives 0.
	return key{bits: n, mask: sim.Fingerprint{Lo: ^(^uint64(0) << n), Hi: ^(^uint64(0) << max(0, n-64))}}
}

func (k key) of(at *runloop.Node) sim.Fingerprint {
	if k.none {
		return sim.Fingerprint{}
	}
	f := at.Fingerprint()
	return sim.Fingerprint{Lo: f.Lo & k.mask.Lo, Hi: f.Hi & k.mask.Hi}
}

// MostOmission is the largest bound on the probability that a state was missed with which a search still counts as
// complete. A verdict is never better than its bound.
const MostOmission = 1e-3

// omission bounds the probability that among n states and the next one, two had the same key.
func (k key) omission(n int) float64 {
	if k.none {
		return 0
	}
	return min(1, float64(n)*float64(n+1)/2*math.Pow(2, -float64(k.bits)))
}

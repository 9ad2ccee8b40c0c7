package runs

import (
	"math"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// Key selects how [Deepening] identifies states: by some bits of their fingerprints. The zero Key identifies none.
type Key struct {
	bits int
	mask sim.Fingerprint
}

// NewKey returns the key of 1 to 128 bits.
func NewKey(bits int) Key {
	// A shift by 64 and more gives 0.
	return Key{bits, sim.Fingerprint{Lo: ^(^uint64(0) << bits), Hi: ^(^uint64(0) << max(0, bits-64))}}
}

// None reports whether k identifies no states.
func (k Key) None() bool { return k.bits == 0 }

func (k Key) of(at *runloop.Node) sim.Fingerprint {
	if k.None() {
		return sim.Fingerprint{}
	}
	f := at.Fingerprint()
	return sim.Fingerprint{Lo: f.Lo & k.mask.Lo, Hi: f.Hi & k.mask.Hi}
}

// Omission bounds the probability that among n states and the next one, two had the same key.
func (k Key) Omission(n int) float64 {
	if k.None() {
		return 0
	}
	return min(1, float64(n)*float64(n+1)/2*math.Pow(2, -float64(k.bits)))
}

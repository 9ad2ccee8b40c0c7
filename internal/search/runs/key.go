package runs

import (
	"math"
	"strconv"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/search/runloop"
)

// Key selects how [Deepening] identifies states: by some bits of their fingerprints. The zero Key identifies none.
type Key struct {
	bits int
	mask encoding.Fingerprint
}

// AllStates is the name of a key that identifies no states: each is explored as often as it is reached.
const AllStates = "none"

// ParseKey returns the key with a name: AllStates, or a number of bits, from 1 to 128. An empty name means 128. A short
// key saves nothing but loses states, and those after them. It serves for comparison with searches that have only such
// a hash.
func ParseKey(name string) (Key, bool) {
	switch n, err := strconv.Atoi(name); {
	case name == AllStates:
		return Key{}, true
	case name == "":
		return NewKey(128), true
	case err == nil && n >= 1 && n <= 128:
		return NewKey(n), true
	}
	return Key{}, false
}

// NewKey returns the key of 1 to 128 bits.
func NewKey(bits int) Key {
	// A shift by 64 and more gives 0.
	return Key{bits, encoding.Fingerprint{Lo: ^(^uint64(0) << bits), Hi: ^(^uint64(0) << max(0, bits-64))}}
}

// None reports whether k identifies no states.
func (k Key) None() bool { return k.bits == 0 }

func (k Key) of(at *runloop.Node) encoding.Fingerprint {
	if k.None() {
		return encoding.Fingerprint{}
	}
	f := at.Fingerprint()
	return encoding.Fingerprint{Lo: f.Lo & k.mask.Lo, Hi: f.Hi & k.mask.Hi}
}

// Omission bounds the probability that among n states and the next one, two had the same key.
func (k Key) Omission(n int) float64 {
	if k.None() {
		return 0
	}
	return min(1, float64(n)*float64(n+1)/2*math.Pow(2, -float64(k.bits)))
}

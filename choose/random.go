package choose

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Random answers points by weighted draws from a pseudo-random stream. The same seed, stream and sequence of draws give
// the same answers in every version of the program. Only [NewRandom] allocates. The zero value is not seeded; call Seed
// before use.
type Random struct {
	// Faults lets faults strike inside steps, with the weights of their points. If it is false, every point of class
	// [Fault] is answered "no fault" without a draw.
	Faults bool

	gen rand.PCG
}

// NewRandom returns a source for the given stream of a seed. Streams are independent of each other, whatever their
// numbers; see also [Derive].
func NewRandom(seed, stream uint64) *Random {
	r := new(Random)
	r.Seed(seed, stream)
	return r
}

// Seed restarts r with the given stream of a seed. It does not change Faults.
func (r *Random) Seed(seed, stream uint64) {
	// People type small seeds and streams, which would give similar generator states; mixing separates them.
	r.gen.Seed(Mix(seed), Mix(stream^0x9e3779b97f4a7c15))
}

// Mix is the finalizer of SplitMix64, a bijection on words.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Choose draws an alternative with probability proportional to its weight; weight 0 is never drawn. It prefers the ends
// in draws that are [Point.Sampled] and have no weights, except for seeds. A point of kind [Reseed] is answered "no new seed"
// without a draw. It panics if a weight is negative or all are zero.
func (r *Random) Choose(p Point) int {
	if p.Arity <= 1 || p.Kind.Class() == Fault && !r.Faults || p.Kind == Reseed {
		return 0
	}
	if len(p.Weights) == 0 {
		if p.Sampled() && p.Kind != Seed && r.gen.Uint64()&1 == 0 {
			return p.Alternative(r.IntN(2 * sampledEnds))
		}
		return r.IntN(p.Arity)
	}
	total, least := 0, 0
	for _, w := range p.Weights {
		total += w
		least = min(least, w)
	}
	if total <= 0 || least < 0 || len(p.Weights) != p.Arity {
		panic(fmt.Sprintf("choose: weights %v of %s: need %d, none negative, not all zero",
			p.Weights, p.Describe(), p.Arity))
	}
	at := r.IntN(total)
	for i, w := range p.Weights {
		if at < w {
			return i
		}
		at -= w
	}
	panic("unreachable: a draw below the total falls into some weight")
}

// IntN draws uniformly from [0, n). It panics if n < 1. Callers that know the total weight of each class draw from the
// total and need no [Point].
func (r *Random) IntN(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("choose: IntN(%d): must be at least 1", n))
	}
	// Lemire, Fast Random Integer Generation in an Interval, 2019: the high half of the product is
	// the draw; rejecting some low halves removes the bias.
	bound := uint64(n)
	hi, lo := bits.Mul64(r.gen.Uint64(), bound)
	if lo < bound {
		for reject := -bound % bound; lo < reject; {
			hi, lo = bits.Mul64(r.gen.Uint64(), bound)
		}
	}
	return int(hi)
}

// Uint64 draws 64 bits.
func (r *Random) Uint64() uint64 { return r.gen.Uint64() }

// Package random draws without asking.
package random

import (
	crand "crypto/rand"
	"hash/maphash"
	"math/rand"
	v2 "math/rand/v2"

	"github.com/macemc/macemc/sim"
)

var shared = rand.New(rand.NewSource(1))

type node struct {
	sim.Nop
	own *v2.Rand
}

func (n *node) Boot(env sim.Env) {
	_ = rand.Intn(3)                 // want "random numbers: uses rand.Intn"
	_ = v2.N(3)                      // want "uses rand.N"
	v2.Shuffle(2, func(i, j int) {}) // want "uses rand.Shuffle"
	var b [8]byte
	crand.Read(b[:])                    // want "uses rand.Read"
	_, _ = crand.Int(crand.Reader, nil) // want "uses rand.Int" "uses rand.Reader"
	_ = maphash.MakeSeed()              // want "uses maphash.MakeSeed"
	n.own = v2.New(v2.NewPCG(1, 2))
	_ = n.own.IntN(3)
	_ = shared.Intn(3) // want "calls Intn of the package variable shared, a math/rand.Rand"
	_ = env.Rand().IntN(3) + env.Choose("which", 2)
}

// Package nodeset implements sets of nodes as values, which messages and states of services can contain.
package nodeset

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"

	"github.com/macemc/macemc/sim"
)

// None means no node.
const None sim.NodeID = -1

// Max is the maximum number of nodes of a [Set].
const Max = 64

// Set is a set of nodes 0 to Max-1. It is a value: messages can carry it and copying is free.
type Set uint64

// Of returns the set of the given nodes.
func Of(ids ...sim.NodeID) Set {
	var s Set
	for _, id := range ids {
		s = s.With(id)
	}
	return s
}

// Has reports whether id is in s. None is in no set.
func (s Set) Has(id sim.NodeID) bool { return id >= 0 && s>>uint(id)&1 == 1 }

// With returns s with id, which must be 0 to Max-1.
func (s Set) With(id sim.NodeID) Set { return s | 1<<uint(id) }

// Without returns s without id, which may be None.
func (s Set) Without(id sim.NodeID) Set {
	if id < 0 {
		return s
	}
	return s &^ (1 << uint(id))
}

// Len returns the number of nodes in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Lowest returns the lowest node of s, which must not be empty.
func (s Set) Lowest() sim.NodeID { return sim.NodeID(bits.TrailingZeros64(uint64(s))) }

// After returns the first node of s that follows id in the ring of addresses, which is id itself if s has no other
// node. s must not be empty.
func (s Set) After(id sim.NodeID) sim.NodeID {
	if higher := s & (^Set(0) << uint(id+1)); higher != 0 {
		return higher.Lowest()
	}
	return s.Lowest()
}

// At returns the i-th lowest node of s, counted from 0; i must be less than Len.
func (s Set) At(i int) sim.NodeID {
	for range i {
		s &= s - 1
	}
	return s.Lowest()
}

// All yields the nodes of s from the lowest to the highest.
func (s Set) All() iter.Seq[sim.NodeID] {
	return func(yield func(sim.NodeID) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(s.Lowest()) {
				return
			}
		}
	}
}

// String lists the nodes, such as "{0 3}".
func (s Set) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for id := range s.All() {
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, int(id))
	}
	b.WriteByte('}')
	return b.String()
}

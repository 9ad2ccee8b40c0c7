// Package stateset has the sets by which an exploration recognizes states.
package stateset

import "github.com/macemc/macemc/internal/explore/graph"

// Visited is a set of states. One goroutine at a time calls its methods, not always the same; but see [Whole].
type Visited interface {
	// Width is how many words of a fingerprint tell states apart, 1 or 2; 0: states have keys that the set makes, see [Whole].
	Width() int
	// AddAll adds states, and appends to fresh the names of those that were not there, in order.
	AddAll(k *Keys, fresh []uint32) []uint32
	// Bytes is the memory that the set takes, and how much more it takes for a moment when it grows, if that is due soon.
	Bytes() (now, growth int)
	// Omission bounds the probability that among n states two were taken for one.
	Omission(n int) float64
	// Close gives memory back. The set is not used any more.
	Close()
}

// Keys are states that are looked up.
type Keys struct {
	Names  []uint32 // of the edges that lead to them
	Lo, Hi []uint64 // fingerprints, or keys of whole states; Hi is empty when the width is not 2
	Depth  int32    // how many steps from the start they are met
}

// Whole is a visited set that keeps whole states. A key of one word stands for each.
type Whole interface {
	Visited
	// Unnumbered says, before anything is added, that neither AddNumbered, nor Key, nor, if it is a [Finder], its methods will be called.
	Unnumbered()
	// AddNumbered is AddAll, and appends to numbers that of each state, of those that were added, see Key.
	AddNumbered(k *Keys, fresh, numbers []uint32) (allFresh, allNumbers []uint32)
	// Size is how many words the tree of a state has.
	Size() int
	// Enter returns the tree of a state, which begins with the state, for Resolve. It is valid until the next call. Meanwhile, another goroutine
	// may call the other methods.
	Enter(key uint64) []uint32
	// Resolve makes Lo of all edges the keys of the states that they lead to. Trees are those of the states that they lead from, one after the
	// other, nil: these are zeros; last are the ends of the edges of each.
	Resolve(e *graph.Edges, trees, last []uint32)
	// Key is that of the state that was added as the number'th.
	Key(number uint32) uint64
}

// Bounded is a visited set of an exploration to a depth that does not come to states by shortest ways. AddAll names states
// that were met farther from the start only, too, with the bit [Again].
type Bounded interface {
	Visited
	// Open reports whether a state that waits, and was met at that depth, is to be expanded, and whether for the first time.
	Open(lo, hi uint64, depth int32) (first, ok bool)
}

// Again marks the name of an edge to a state that is to be expanded once more.
const Again = 1 << 31

// Finder is a visited set that can tell states apart once it is complete. An analysis needs that: without, it is not heard, see [explore.Result].
type Finder interface {
	Visited
	// Places is how many places there are. It is asked before FindAll.
	Places() int
	// FindAll appends to places that of each state, or [NoPlace] if it is not in the set.
	FindAll(k *Keys, places []uint32) []uint32
}

// NoPlace is no place of a state.
const NoPlace = ^uint32(0)

package stateset

import "github.com/macemc/macemc/internal/explore/graph"

// Visited is a set of states. Its methods are called by one goroutine at a time, which may change. See [Whole] for an
// exception.
type Visited interface {
	// Width returns the number of fingerprint words that identify states, 1 or 2. 0 means that the set makes keys for
	// states, see [Whole].
	Width() int
	// AddAll adds states, and appends to fresh the edges that lead to new ones, in order.
	AddAll(k *Keys, fresh []uint32) []uint32
	// Bytes returns the memory of the set, and the additional memory needed temporarily for growth, if growth is due
	// soon.
	Bytes() (now, growth int)
	// Omission bounds the probability that two of n states were taken for one.
	Omission(n int) float64
	// Close releases memory. The set must not be used again.
	Close()
}

// Keys holds states to look up.
type Keys struct {
	Edges  []uint32 // by state: an index, chosen by the caller, of the edge that leads to it
	Lo, Hi []uint64 // fingerprints, or keys of whole states; Hi is empty unless the width is 2
	Depth  int32    // number of steps from the start at which they are found
}

// Whole is a visited set that stores whole states. Each has a key of one word. The tree of a state (COLLAPSE) consists of
// the words of the state and of inner nodes, which are interned pairs of words or other inner nodes. Its root is the key.
type Whole interface {
	Visited
	// OmitNumbers declares, before anything is added, that AddNumbered, Key and the methods of [Finder] will not be
	// called.
	OmitNumbers()
	// AddNumbered is AddAll, and also appends to numbers the number of each state, see Key.
	AddNumbered(k *Keys, fresh, numbers []uint32) (allFresh, allNumbers []uint32)
	// Size returns the number of words of a state's tree.
	Size() int
	// ReadTree returns the tree of a state, which begins with the state, for ResolveTargets. It is valid until the next call.
	// Another goroutine may call the other methods concurrently.
	ReadTree(key uint64) []uint32
	// ResolveTargets sets Lo of all edges to the keys of their targets. trees holds the trees of the states that they lead
	// from, concatenated. Nil means states of zeros. last holds the ends of the edges of each.
	ResolveTargets(e *graph.Edges, trees, last []uint32)
	// Key returns the key of the state that was added as the number'th.
	Key(number uint32) uint64
}

// Bounded is a visited set of an exploration to a depth that does not find states by shortest paths. AddAll also
// returns the edges to states that were found only farther from the start before, with the bit [Again].
type Bounded interface {
	Visited
	// Open reports whether a waiting state, found at that depth, is to be expanded, and whether for the first time.
	Open(lo, hi uint64, depth int32) (first, ok bool)
}

// Again marks an edge to a state that is to be expanded once more.
const Again = 1 << 31

// Finder is a visited set that can identify states once it is complete. Without it an analysis does not run, see
// [explore.Result]. A place is a number that identifies a state in the complete set, such as a slot of its table.
type Finder interface {
	Visited
	// Places returns a number above all places. It is called before FindAll.
	Places() int
	// FindAll appends to places the place of each state, or [NoPlace] if it is not in the set.
	FindAll(k *Keys, places []uint32) []uint32
}

// NoPlace stands for the absence of a place.
const NoPlace = ^uint32(0)

// Deferred is a visited set that reports states as new until Flush determines that they are not.
type Deferred interface {
	Visited
	// Pending reports whether states that AddAll reported as new may turn out not to be.
	Pending() bool
	// Due reports whether Flush should be called soon.
	Due() bool
	// Flush calls old with the numbers of states that AddAll reported as new since the last Flush, counted from 0, but
	// that are not. The error is one of the storage on disk, and makes the set unusable.
	Flush(old func(number uint32)) error
	// Disk returns the number of bytes on disk.
	Disk() int64
}

// Package explore visits the states of a graph. There is one loop: a [Graph] tells the edges from a state, a [Visited] set which
// states were met before, a [Frontier] which one is next, a [Reducer] which edges suffice, and a [Analysis] what all
// states together mean. Each is chosen by name from a table, and the loop asks none of them which one it is.
//
// # States and edges
//
// A state is a vector of numbers, whose meaning is the graph's. An edge is what it changes in that vector. Edges are gathered
// and looked up many at a time, since look-ups wait for memory; most are not made at all, since the state was come to
// lately. A second worker looks up what the first one comes to, and reads edges, too, of graphs that know them ([Readable]). States are numbered in the order in which they are found,
// which does not depend on the number of workers.
//
// # Sleep sets
//
// A graph need not list edges to the state that is expanded, nor to those that were found before it, see [Edges.By]: it counts them. Results
// are the same, so a graph may do so as it likes. It is offered by frontiers that expand states in the order in which they are found,
// when no reducer leaves out edges.
//
// # Visited sets
//
// Exact sets keep vectors as trees whose inner nodes are shared, eight bytes and a place in an index for each. Fingerprints
// are kept in lines of the processor's memory; two states with equal ones are taken for one, and [Result.Omission] bounds the
// probability. Tables grow in place, in huge pages where there are any.
//
// What does not fit into memory can be held on disk: see [Spill] and [Deferred].
//
// # Paths
//
// The edge indexes from the start to a state, which edge was taken each time, say how to come to it. A queue keeps for each state the
// one that it was found from (about three bits) and by which edge (as many bits as the largest among its neighbours takes, about
// four); a stack has the edge indexes on it. Nothing is explored again for a path.
//
// # Logs
//
// A [Log] has for each state the one that it was found from, and by which edge: about a byte. What the numbers in states mean is not
// in it. An exploration that goes on takes the same edges again, and no others, but for those of the cache fillers, in whose expansion the
// graph met something for the first time: so all that the graph ever did is done again, and compared.
//
// # Judges
//
// An analysis is told of all states in the order in which a queue finds them. Where the edges of those that it wants lead is kept while there is room
// for that, of fingerprints with which states these are, and in which order they were found; else states are expanded again, see [Space]. After another frontier all states are visited once more, by a queue.
package explore

import (
	"context"

	"github.com/macemc/macemc/internal/encoding"
)

// Fingerprint is a hash of the content of a state.
type Fingerprint = encoding.Fingerprint

// Graph is what is explored. Its methods are called from one goroutine.
type Graph interface {
	// Words is how many numbers a state has: at least 2. They are less than 1<<32 - 1.
	Words() int
	// Together samples what edges change: the places of words that one does. There may be no sample.
	Together() [][]int32
	// Roots appends an edge to each first state, from the state of zeros. The error is as that of Expand.
	Roots(e *Edges) error
	// Expand appends all edges from a state, but for those that sleep (see [Edges]), always in the same order. It is the number'th that is expanded; -1: it was expanded
	// before. The error is a finding about an edge behind those appended, [ErrLimit], or what else makes it impossible to go on.
	Expand(state []uint32, number int, e *Edges) error
	// Check looks at a new state, and tells whether it is live. The error is a finding about it.
	Check(m *FoundState) (live bool, err error)
	// Fingerprint is that of a state, and what edges that lead to it say.
	Fingerprint(state []uint32) Fingerprint
	// Bytes is about the memory that the graph takes.
	Bytes() int
}

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
	Resolve(e *Edges, trees, last []uint32)
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

// Finder is a visited set that can tell states apart once it is complete. An analysis needs that: without, it is not heard, see [Result].
type Finder interface {
	Visited
	// Places is how many places there are. It is asked before FindAll.
	Places() int
	// FindAll appends to places that of each state, or [NoPlace] if it is not in the set.
	FindAll(k *Keys, places []uint32) []uint32
}

// NoPlace is no place of a state.
const NoPlace = ^uint32(0)

// Frontier holds the states that wait to be expanded.
type Frontier interface {
	// AtOnce is how many edges may be gathered before it is told where they lead. 0: those of one state.
	AtOnce() int
	// Push adds the new states of a batch, the first of which is to be expanded first among them; of a final one, see [Batch], none is.
	Push(b *Batch)
	// Pop takes the next state, but for Rest; false: more may wait once all that was gathered has been pushed, see More.
	Pop(item *Item) bool
	// More reports whether any state waits, all that was gathered having been pushed.
	More() bool
	// Path is the edge indexes to a state that was popped: number of the root, then of one edge after the other.
	// A stack knows those of the last one only.
	Path(id uint32) []uint32
	// Bytes is the memory for all states that were ever pushed, and the most that was taken by those that waited.
	Bytes() (kept, waiting int)
	Close()
}

// Ordered is a frontier that numbers states in the order of their distance, and remembers them all.
type Ordered interface {
	Frontier
	// Origin is the state that a state was found from, plus one, 0: it is a root; and by which edge.
	Origin(id uint32) (from, turn uint32)
	// Monotone reports whether origins never decrease.
	Monotone() bool
}

// Item is a state that waits to be expanded.
type Item struct {
	Record []uint32 // as in [Found]; valid until the next call of the frontier
	ID     uint32   // the frontier's own number
	Depth  int32
	By     uint32 // see [Edges]
	Rest   bool   // the edges that a reducer left out are wanted
}

// Reducer says which edges of a state suffice. The zero value of an exploration has none: nothing is left out.
type Reducer interface {
	// Sufficient appends to keep the numbers of those edges of a state that are to be followed first, ascending, counting
	// from the first one. All of them: nothing is left out. Asked again about a state it says the same.
	Sufficient(state []uint32, e Row, keep []uint32) []uint32
	// Rest reports whether the others are to be followed, too, now that it is known whether one of those kept led to a new
	// state. It is the proviso.
	Rest(state []uint32, anyNew bool) bool
}

// Analysis says what all states together mean.
type Analysis interface {
	// Visit is told of each state. An error ends the exploration, there.
	Visit(id uint32, live bool, note uint8) error
	// NeedsEdges reports whether the edges of a state, which was met, are likely to be asked for: they are kept then, if there is room, of whole states perhaps
	// without those that sleep, see [Space.PassKept]. It says the same until Judge is called.
	NeedsEdges(id uint32) bool
	// Analysis is called once all states were visited. The error is one of Expand.
	Analyze(ctx context.Context, s *Space) error
	// Bytes is about the memory that the analysis takes.
	Bytes() int
}

// Namer is an analysis that may ask for names of edges, see [StateEdges].
type Namer interface {
	Analysis
	// Names reports whether it does. It always says the same.
	Names() bool
}

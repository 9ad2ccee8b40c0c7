// Package explore visits the states of a graph. There is one loop: a [graph.Graph] tells the edges from a state, a [stateset.Visited] set which
// states were met before, a [Frontier] which one is next, a [Reducer] which edges suffice, and a [Analysis] what all
// states together mean. Each is chosen by name from a table, and the loop asks none of them which one it is.
//
// # States and edges
//
// A state is a vector of numbers, whose meaning is the graph's. An edge is what it changes in that vector. Edges are gathered
// and looked up many at a time, since look-ups wait for memory; most are not made at all, since the state was come to
// lately. A second worker looks up what the first one comes to, and reads edges, too, of graphs that know them ([graph.Readable]). States are numbered in the order in which they are found,
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
// What does not fit into memory can be held on disk: see [stateset.Spill] and [stateset.Deferred].
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

	"github.com/macemc/macemc/internal/explore/graph"
)

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
	By     uint32 // see [graph.Edges]
	Rest   bool   // the edges that a reducer left out are wanted
}

// Reducer says which edges of a state suffice. The zero value of an exploration has none: nothing is left out.
type Reducer interface {
	// Sufficient appends to keep the numbers of those edges of a state that are to be followed first, ascending, counting
	// from the first one. All of them: nothing is left out. Asked again about a state it says the same.
	Sufficient(state []uint32, e graph.Row, keep []uint32) []uint32
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

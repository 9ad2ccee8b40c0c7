// Package explore visits the states of a graph. There is one loop over five interfaces. A [graph.Graph] lists the edges
// from a state. A [stateset.Visited] set recognizes states found before. A [Frontier] selects the next state. A
// [Reducer] selects sufficient edges. An [Analysis] evaluates all states together. Each is chosen by name from a table,
// and the loop does not distinguish the implementations.
//
// # States and edges
//
// A state is a vector of numbers with a meaning private to the graph. An edge is a list of changes to that vector.
// Edges are gathered and looked up many at a time, since look-ups wait for memory. Most are never looked up, because
// their state was found recently. A second worker looks up the edges that the first one gathers. It also reads edges of
// graphs that are [graph.Readable]. States are numbered in the order in which they are found, which does not depend on
// the number of workers.
//
// # Sleep sets
//
// A graph may omit edges to the state being expanded, and to states found before it, see [graph.Edges.By]: it only counts
// them. Results are the same, so the graph may choose freely. This is available with frontiers that expand states in
// the order in which they are found, without a reducer.
//
// # Visited sets
//
// Exact sets store vectors as trees with shared inner nodes, at eight bytes and an index entry each. Fingerprints are
// stored in cache lines. Two states with equal fingerprints are taken for one, and [Result.Omission] bounds the
// probability of that. Tables grow in place, in huge pages where available.
//
// States that do not fit into memory can be held on disk, see [stateset.Spill] and [stateset.Deferred].
//
// # Paths
//
// The edge indexes taken from the start to a state form its path. A queue stores for each state its predecessor (about
// three bits) and the index of the edge from there (as many bits as the largest among its neighbours takes, about
// four). A stack holds the edge indexes itself. No path needs a second exploration.
//
// # Logs
//
// A [Log] stores for each state its predecessor and the edge index, about a byte. It does not store the meaning of the
// numbers in states. A resumed exploration repeats the same edges, and no others, except for those of cache fillers, in
// whose expansion the graph added something to its caches. Everything the graph ever did is thus repeated, and
// compared.
//
// # Analyses
//
// An analysis visits all states in the order in which a queue finds them. The targets of edges that it needs are kept
// while there is room. With fingerprints, the fingerprints of these states and the order in which they were found are
// kept. Otherwise states are expanded again, see [Space]. After another frontier, all states are visited once more by a
// queue.
//
// # Files
//
//	loop.go, batch.go, lookup.go                       the loop: expands states, looks targets up in
//	                                                   batches
//	worker.go, reader.go                               the second worker of the loop
//	options.go, limits.go                              options; when an exploration stops
//	tables.go                                          the table of frontiers
//	queue.go, diskqueue.go, stack.go                   frontiers
//	reduce.go                                          states of chains that a reducer passes
//	pendingbatches.go                                  batches that wait for a set on disk
//	space.go, rows.go, rows_unknown.go, regenerate.go  all states and edges, for analyses
//	dead.go                                            the analysis that finds dead states
//	parts.go, deadparts.go                             the same for one part of the states, in a cluster
//	log.go, replay.go                                  the interface of logs; continues from one
//
// # Packages
//
//	graph         states and edges
//	stateset      visited sets
//	predecessors  links to predecessors
//	statelog      logs of states
//	spill         lists on disk
//	memory        lists outside the collector's memory
package explore

import (
	"context"

	"github.com/macemc/macemc/internal/explore/graph"
)

// Frontier holds the states that wait to be expanded.
type Frontier interface {
	// AtOnce returns the number of edges that may be gathered before they are looked up. 0 means those of one state.
	AtOnce() int
	// Push adds the new states of a batch. The first of them is to be expanded first. States of a final batch are not
	// expanded, see [Batch].
	Push(b *Batch)
	// Pop takes the next state and sets all fields but Rest. It returns false if more may follow only once everything
	// gathered is pushed, see More.
	Pop(item *Item) bool
	// More reports whether any state waits, once everything gathered is pushed.
	More() bool
	// Path returns the edge indexes to a popped state: the number of the root, then of one edge after the other. A
	// stack has only the path of the state popped last.
	Path(id uint32) []uint32
	// Bytes returns the memory for all states ever pushed, and the maximum taken by waiting states.
	Bytes() (kept, waiting int)
	Close()
}

// Ordered is a frontier that numbers states in the order of their distance, and keeps them all.
type Ordered interface {
	Frontier
	// Origin returns the predecessor of a state, plus one, or 0 for a root, and the index of the edge from there.
	Origin(id uint32) (from, edge uint32)
	// Monotone reports whether origins never decrease.
	Monotone() bool
}

// Item is a state that waits to be expanded.
type Item struct {
	Record []uint32 // as in [Found]; valid until the next call of the frontier
	ID     uint32   // the frontier's own number
	Depth  int32
	By     uint32 // see [graph.Edges]
	Rest   bool   // the edges that a reducer left out are to be expanded
}

// Reducer selects sufficient edges of states. A nil Reducer leaves out nothing.
type Reducer interface {
	// Sufficient appends to keep the numbers of the edges of a state to be followed first, ascending, counting from the
	// first edge. All edges means that nothing is left out. It is deterministic.
	Sufficient(state []uint32, e graph.Row, keep []uint32) []uint32
	// Rest reports whether the other edges must be followed, too. anyNew reports whether a kept edge led to a new state.
	// It is the cycle proviso of the literature: no event may be left out along a whole cycle.
	Rest(state []uint32, anyNew bool) bool
}

// Analysis evaluates all states together.
type Analysis interface {
	// Visit is called for each state. An error ends the exploration there.
	Visit(id uint32, live bool, note uint8) error
	// NeedsEdges reports whether the edges of a visited state are likely to be needed. They are then kept while there
	// is room, with whole states perhaps without those that sleep, see [Space.PassKept]. The result is constant until
	// Analyze is called.
	NeedsEdges(id uint32) bool
	// Analyze is called once all states were visited. The error is one of Expand.
	Analyze(ctx context.Context, s *Space) error
	// Bytes returns the approximate memory of the analysis.
	Bytes() int
}

// Namer is an analysis that may need the names of edges, see [StateEdges].
type Namer interface {
	Analysis
	// Names reports whether it needs names. The result is constant.
	Names() bool
}

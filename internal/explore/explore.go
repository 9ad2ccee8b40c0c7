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

// Package graph defines the graphs that package explore visits: states, and edges between them.
package graph

import "github.com/macemc/macemc/internal/encoding"

// Fingerprint is a hash of the content of a state.
type Fingerprint = encoding.Fingerprint

// Graph is a graph to explore. Its methods are called from one goroutine.
type Graph interface {
	// Words returns the number of words of a state, at least 2. Words are less than 1<<32 - 1.
	Words() int
	// Together returns a sample of the sets of words that edges change. The sample may be empty.
	Together() [][]int32
	// Roots appends an edge to each root, from the state of zeros. The error is as for Expand.
	Roots(e *Edges) error
	// Expand appends all edges from a state, except for those that sleep (see [Edges]), always in the same order. The
	// state is the number'th to be expanded. -1 means that it was expanded before. The error is a finding about an edge
	// after those appended, [explore.ErrLimit], or an error that prevents the exploration from continuing.
	Expand(state []uint32, number int, e *Edges) error
	// Check checks a new state, and reports whether it is live. The error is a finding about it.
	Check(m *FoundState) (live bool, err error)
	// Fingerprint returns the fingerprint of a state, which is also that of edges that lead to it.
	Fingerprint(state []uint32) Fingerprint
	// Bytes returns the approximate memory of the graph.
	Bytes() int
}

// Readable is a graph with edges that can be read once the graph has computed what they depend on.
type Readable interface {
	Graph
	// Reader returns a reader of edges, or nil if there is none.
	Reader() Reader
}

// Reader reads edges. Several may do so concurrently, each on one goroutine, but not during Roots or Expand of the
// graph.
type Reader interface {
	// Read is Expand if reading suffices. Otherwise it returns false, and the caller drops the edges that it appended.
	Read(state []uint32, e *Edges) bool
	// Verifies reports whether Expand does more with the number'th state than append edges. The additional work does
	// not change the result of reads, and may be done at any time.
	Verifies(number int) bool
}

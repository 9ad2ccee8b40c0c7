// Package graph has what package explore visits: states, and edges between them.
package graph

import "github.com/macemc/macemc/internal/encoding"

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
	// before. The error is a finding about an edge behind those appended, [explore.ErrLimit], or what else makes it impossible to go on.
	Expand(state []uint32, number int, e *Edges) error
	// Check looks at a new state, and tells whether it is live. The error is a finding about it.
	Check(m *FoundState) (live bool, err error)
	// Fingerprint is that of a state, and what edges that lead to it say.
	Fingerprint(state []uint32) Fingerprint
	// Bytes is about the memory that the graph takes.
	Bytes() int
}

// Readable is a graph from which edges can be read, as long as it knows all that they follow from.
type Readable interface {
	Graph
	// Reader returns what reads edges; nil: nothing can.
	Reader() Reader
}

// Reader reads edges. Several may do so at a time, each in a goroutine of its own, but not while Roots or Expand of the graph go on.
type Reader interface {
	// Read does what Expand does, unless that takes more than to read: then it returns false, and what it appended is dropped.
	Read(state []uint32, e *Edges) bool
	// Verifies reports whether Expand does more with the number'th state than to append edges. That changes nothing that is read, and does not
	// depend on when it is done.
	Verifies(number int) bool
}

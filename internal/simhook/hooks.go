package simhook

import (
	"reflect"
	"sync/atomic"
)

// Types holds the type information that an action or quorum loses with its type parameters.
type Types struct {
	Has     func(service any) bool // whether a service has the right type
	Message reflect.Type           // of the messages that a quorum takes
	Do      any                    // the function that Do runs, for source lines
}

// View is the content of a view, and the record of reads.
type View[Service any, NodeID ~int, Envelope any] struct {
	World    World[Service, NodeID, Envelope]
	Services []Service // by node; nil if down
	Reads    Reads
}

// World is the part of a world that a view needs.
type World[Service any, NodeID ~int, Envelope any] interface {
	// VisitInFlight calls yield for each message in flight, in canonical order, until it returns false.
	VisitInFlight(yield func(Envelope) bool)
	TimerSet(NodeID, any) bool
	// Halted reports whether a node is down permanently.
	Halted(NodeID) bool
	// Each reports whether a predicate holds at every node.
	Each(v *View[Service, NodeID, Envelope], p *Predicate[Service, NodeID, Envelope]) bool
}

// Predicate is a predicate over the local state of one node. There is one value for each predicate.
type Predicate[Service any, NodeID ~int, Envelope any] struct {
	HoldsAt func(v *View[Service, NodeID, Envelope], id NodeID) bool
	Negated bool // the user's predicate is the negation
	asked   atomic.Bool
}

// Again reports whether the predicate was evaluated before, by any world.
func (p *Predicate[Service, NodeID, Envelope]) Again() bool {
	return p.asked.Load() || p.asked.Swap(true)
}

// Reads records the reads of a property: nodes, and whether the messages in flight.
type Reads struct {
	Nodes    uint64 // by predicates with cached values; bit i: node i; reading a node from 64 on sets all bits
	Closely  uint64 // by other reads
	InFlight bool
}

// Read records that a node was read other than by a predicate with cached values.
func (r *Reads) Read(node int) {
	if uint(node) < 64 {
		r.Closely |= 1 << uint(node)
	} else {
		r.Closely = ^uint64(0)
	}
}

// All returns the nodes that were read in any way.
func (r *Reads) All() uint64 { return r.Nodes | r.Closely }

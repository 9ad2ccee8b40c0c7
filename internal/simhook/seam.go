// Package seam is what package sim shows of the types that users write to those who execute them (internal/kernel), and to nobody else.
// Its types are generic where they are made of types of sim, which is above it.
package simhook

import (
	"reflect"
	"sync/atomic"

	"github.com/macemc/macemc/internal/encoding"
)

// Types tell of an action or a quorum what its form without type parameters does not.
type Types struct {
	Has     func(service any) bool // whether a service is of the type that it is for
	Message reflect.Type           // of what a quorum takes
	Do      any                    // the function that Do runs, for source lines
}

// Message is what is kept with a message.
type Message struct {
	Sent     any // what the sender passed, when it can still be changed and this is checked
	Hash     encoding.Fingerprint
	Hashed   bool
	Encoding []byte // once asked for
}

// View is what a view shows, and what was read through it.
type View[Service any, NodeID ~int, Envelope any] struct {
	World    World[Service, NodeID, Envelope]
	Services []Service // by node; nil when down
	Reads    Reads
}

// World is the side of a world that a view shows.
type World[Service any, NodeID ~int, Envelope any] interface {
	// VisitInFlight calls yield for each message in flight, in canonical order, until it returns false.
	VisitInFlight(yield func(Envelope) bool)
	TimerSet(NodeID, any) bool
	// Halted reports whether a node is down for ever.
	Halted(NodeID) bool
	// Each reports whether a predicate holds at every node.
	Each(v *View[Service, NodeID, Envelope], p *Predicate[Service, NodeID, Envelope]) bool
}

// Predicate is a predicate over the local state of one node. There is one value for each predicate.
type Predicate[Service any, NodeID ~int, Envelope any] struct {
	HoldsAt func(v *View[Service, NodeID, Envelope], id NodeID) bool
	asked   atomic.Bool
}

// Again reports whether the predicate was asked before, by any world.
func (p *Predicate[Service, NodeID, Envelope]) Again() bool {
	return p.asked.Load() || p.asked.Swap(true)
}

// Reads is what a property read: which nodes, and whether the messages in flight.
type Reads struct {
	Nodes    uint64 // by predicates whose values are kept; bit i: node i; reading a node from 64 on sets all bits
	Closely  uint64 // otherwise
	InFlight bool
}

// Read notes that a node was read, otherwise than by a predicate whose values are kept.
func (r *Reads) Read(node int) {
	if uint(node) < 64 {
		r.Closely |= 1 << uint(node)
	} else {
		r.Closely = ^uint64(0)
	}
}

// All are the nodes that were read in any way.
func (r *Reads) All() uint64 { return r.Nodes | r.Closely }

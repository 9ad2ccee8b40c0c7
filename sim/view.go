package sim

import (
	"iter"
	"sync/atomic"
)

// View is what a property sees of a state. It records what was read. It is valid only during the
// property's call.
type View struct {
	w        viewed
	services []Service // by node; nil when down
	reads    Reads
}

// viewed is the side of a world that a view shows.
type viewed interface {
	inFlight(func(Envelope) bool)
	timerSet(NodeID, any) bool
	each(v *View, p nodePredicate) bool
}

// Reads is what a property read: which nodes, and whether the messages in flight.
type Reads struct {
	Nodes    uint64 // bit i: node i; reading a node from 64 on sets all bits
	Closely  uint64 // of these, those read otherwise than by predicates whose values are kept, see [Bench.Predicates]
	InFlight bool
}

// Len is the number of nodes of the system, whether up or not.
func (v *View) Len() int { return len(v.services) }

// Service returns the service of a node, nil when it is down. It must not be changed.
func (v *View) Service(id NodeID) Service {
	v.read(id)
	return v.services[id]
}

// TimerSet reports whether the node has armed the timer t; false when it is down.
func (v *View) TimerSet(id NodeID, t any) bool {
	v.read(id)
	return v.w.timerSet(id, t)
}

func (v *View) read(id NodeID) {
	if id < 64 {
		v.reads.Nodes |= 1 << id
		v.reads.Closely |= 1 << id
	} else {
		v.reads.Nodes, v.reads.Closely = ^uint64(0), ^uint64(0)
	}
}

// InFlight yields the messages in flight in canonical order.
func (v *View) InFlight() iter.Seq[Envelope] {
	v.reads.InFlight = true
	return v.w.inFlight
}

// Nodes yields the nodes that are up and run an S, in order.
func Nodes[S Service](v *View) iter.Seq2[NodeID, S] {
	return func(yield func(NodeID, S) bool) {
		for id := range NodeID(v.Len()) {
			s, ok := v.services[id].(S)
			if ok || v.services[id] == nil {
				v.read(id) // else its service is of another type, always
			}
			if ok && !yield(id, s) {
				return
			}
		}
	}
}

// Each lifts a predicate over one node to all nodes that are up and run an S. The predicate must
// depend on nothing but its arguments: its value is kept until the node's next step.
func Each[S Service](holds func(NodeID, S) bool) func(*View) bool {
	p := &each[S]{holds: holds}
	return func(v *View) bool { return v.w.each(v, p) }
}

// EachArmed is like [Each] with a predicate that is also told whether the node has armed the timer t.
func EachArmed[S Service](t any, holds func(id NodeID, s S, armed bool) bool) func(*View) bool {
	p := &eachArmed[S]{timer: t, holds: holds}
	return func(v *View) bool { return v.w.each(v, p) }
}

// nodePredicate is a predicate over the local state of one node. Values are compared by identity.
type nodePredicate interface {
	holdsAt(v *View, id NodeID) bool
	again() bool // whether this was asked before
}

// asked remembers that a predicate was asked, by any world.
type asked struct{ before atomic.Bool }

func (a *asked) again() bool { return a.before.Load() || a.before.Swap(true) }

type each[S Service] struct {
	asked
	holds func(NodeID, S) bool
}

func (e *each[S]) holdsAt(v *View, id NodeID) bool {
	s, ok := v.services[id].(S)
	return !ok || e.holds(id, s)
}

type eachArmed[S Service] struct {
	asked
	timer any
	holds func(NodeID, S, bool) bool
}

func (e *eachArmed[S]) holdsAt(v *View, id NodeID) bool {
	s, ok := v.services[id].(S)
	return !ok || e.holds(id, s, v.w.timerSet(id, e.timer))
}

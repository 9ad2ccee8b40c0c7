package sim

import (
	"iter"

	"github.com/macemc/macemc/internal/simhook"
)

// View is a property's view of one state of the system. It records the parts that the property reads. It is valid only
// during the call of the property.
type View struct{ hook contents }

type (
	contents  = simhook.View[Service, NodeID, Envelope]
	predicate = simhook.Predicate[Service, NodeID, Envelope]
)

// Hook returns fields for packages that execute the system. Properties must not use it.
func (v *View) Hook() *simhook.View[Service, NodeID, Envelope] { return &v.hook }

// Len returns the number of nodes of the system, whether up or not.
func (v *View) Len() int { return len(v.hook.Services) }

// Service returns the service of a node, or nil if the node is down. It must not be changed.
func (v *View) Service(id NodeID) Service {
	v.hook.Reads.Read(int(id))
	return v.hook.Services[id]
}

// Halted reports whether a node has halted: it is down and never boots again. A property that must become true can hold
// only for the other nodes.
func (v *View) Halted(id NodeID) bool {
	v.hook.Reads.Read(int(id))
	return v.hook.World.Halted(id)
}

// TimerSet reports whether the node has armed the timer t. It returns false if the node is down.
func (v *View) TimerSet(id NodeID, t any) bool {
	v.hook.Reads.Read(int(id))
	return v.hook.World.TimerSet(id, t)
}

// InFlight yields the messages in flight in canonical order.
func (v *View) InFlight() iter.Seq[Envelope] {
	v.hook.Reads.InFlight = true
	return v.hook.World.VisitInFlight
}

// Nodes yields the nodes that are up and run an S, in order.
func Nodes[S Service](v *View) iter.Seq2[NodeID, S] {
	return func(yield func(NodeID, S) bool) {
		for id := range NodeID(v.Len()) {
			s, ok := v.hook.Services[id].(S)
			if ok || v.hook.Services[id] == nil {
				v.hook.Reads.Read(int(id)) // otherwise its service is always of another type
			}
			if ok && !yield(id, s) {
				return
			}
		}
	}
}

// Each returns a predicate that holds if the given one holds for all nodes that are up and run an S; it holds without
// such nodes. The given predicate must depend on its arguments alone, because its value is cached until the next step
// of the node. A Sometimes property mostly needs [Any], as Each holds only when all these nodes comply at once.
func Each[S Service](holds func(NodeID, S) bool) func(*View) bool {
	return everywhere(func(v *contents, id NodeID) bool {
		s, ok := v.Services[id].(S)
		return !ok || holds(id, s)
	})
}

// Any returns a predicate that holds if the given one holds for at least one node that is up and runs an S; it does not
// hold without such a node. The given predicate is limited as for [Each].
func Any[S Service](holds func(NodeID, S) bool) func(*View) bool {
	p := &predicate{Negated: true, HoldsAt: func(v *contents, id NodeID) bool {
		s, ok := v.Services[id].(S)
		return !ok || !holds(id, s)
	}}
	return func(v *View) bool { return !v.hook.World.Each(&v.hook, p) }
}

// EachArmed is like [Each] with a predicate that also receives whether the node has armed the timer t.
func EachArmed[S Service](t any, holds func(id NodeID, s S, armed bool) bool) func(*View) bool {
	return everywhere(func(v *contents, id NodeID) bool {
		s, ok := v.Services[id].(S)
		return !ok || holds(id, s, v.World.TimerSet(id, t))
	})
}

func everywhere(holdsAt func(*contents, NodeID) bool) func(*View) bool {
	p := &predicate{HoldsAt: holdsAt}
	return func(v *View) bool { return v.hook.World.Each(&v.hook, p) }
}

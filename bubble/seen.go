package bubble

import (
	"iter"

	"github.com/macemc/macemc/sim"
)

// Seen yields the nodes that are up and expose a T through [Host.Observe], with the observed value, in order of node.
func Seen[T any](v *sim.View) iter.Seq2[sim.NodeID, T] {
	return func(yield func(sim.NodeID, T) bool) {
		for id := range sim.NodeID(v.Len()) {
			if p, ok := v.Service(id).(*Program); ok {
				if seen, ok := p.Seen.(T); ok && !yield(id, seen) {
					return
				}
			}
		}
	}
}

// SeenAt returns the value that a node exposes through [Host.Observe]. ok is false if the node is down or does not expose a T.
func SeenAt[T any](v *sim.View, id sim.NodeID) (seen T, ok bool) {
	if p, up := v.Service(id).(*Program); up {
		seen, ok = p.Seen.(T)
	}
	return seen, ok
}

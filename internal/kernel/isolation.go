package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// watchOthers hashes the services of all nodes but one, before a handler of that one runs. What it returns says afterwards
// whether they are as they were: a handler that holds a pointer into another node's state may have changed it.
func (w *machine) watchOthers(acting *node) (unchanged func() error) {
	before := make([]sim.Fingerprint, len(w.nodes))
	for i := range w.nodes {
		if n := &w.nodes[i]; n != acting {
			before[i] = w.serviceHash(n)
		}
	}
	return func() error {
		for i := range w.nodes {
			if n := &w.nodes[i]; n != acting && w.serviceHash(n) != before[i] {
				where := ""
				if mine, theirs, ok := aliased(acting.service, n.service); ok {
					where = fmt.Sprintf(": %s of n%d and %s of n%d are the same", mine, acting.id, theirs, n.id)
				}
				return &sim.Finding{Kind: sim.Nondeterminism, Node: n.id, Message: fmt.Sprintf(
					"the service %T of n%d was changed while a handler of n%d ran: the nodes share memory%s",
					n.service, n.id, acting.id, where)}
			}
		}
		return nil
	}
}

// closely reports whether what is only to look at a state is watched.
func (w *machine) closely() bool { return w.opts.CheckMessages || w.watching }

// serviceHash hashes what code can come to that holds a pointer to a service.
func (w *machine) serviceHash(n *node) sim.Fingerprint {
	w.scratch = w.appendService(n, w.scratch[:0])
	return encoding.Hash(seed(NodeState, int(n.id)), w.scratch)
}

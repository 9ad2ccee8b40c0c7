package kernel

import (
	"fmt"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/aliasing"
	"github.com/macemc/macemc/sim"
)

// watchOthers hashes the services of all nodes but one, before a handler of that one runs. The function that it returns
// compares them afterwards: a handler that holds a pointer into another node's state may have changed it.
func (w *Machine) watchOthers(acting *Node) (unchanged func() error) {
	before := make([]encoding.Fingerprint, len(w.Members))
	for i := range w.Members {
		if n := &w.Members[i]; n != acting {
			before[i] = w.serviceHash(n)
		}
	}
	return func() error {
		for i := range w.Members {
			if n := &w.Members[i]; n != acting && w.serviceHash(n) != before[i] {
				where := ""
				if mine, theirs, ok := aliasing.Common(acting.Service, n.Service); ok {
					where = fmt.Sprintf(": %s of n%d and %s of n%d are the same", mine, acting.ID, theirs, n.ID)
				}
				return &sim.Finding{Kind: sim.Nondeterminism, Node: n.ID, Message: fmt.Sprintf(
					"the service %T of n%d was changed while a handler of n%d ran: the nodes share memory%s",
					n.Service, n.ID, acting.ID, where)}
			}
		}
		return nil
	}
}

// closely reports whether functions that may only read a state are checked for writes.
func (w *Machine) closely() bool { return w.Opts.CheckMessages || w.Watching }

// serviceHash hashes the state that code can reach through a pointer to a service.
func (w *Machine) serviceHash(n *Node) encoding.Fingerprint {
	w.scratch = w.appendService(n, w.scratch[:0])
	return encoding.Hash(seed(NodeState, int(n.ID)), w.scratch)
}

// Lasting returns a finding if the service of a node shares mutable memory with its service in another execution, see
// [aliasing.Lasting]. w must be a world of [NewWorld]. For others the result is nil.
func Lasting(w World, id sim.NodeID, other sim.Service) error {
	m, ok := w.(*Machine)
	if !ok || m.Members[id].Service == nil || other == nil {
		return nil
	}
	return aliasing.Lasting(id, m.Members[id].Service, other, func(v any, f func(unsafe.Pointer)) { m.PlanOf(v).References(v, f) })
}

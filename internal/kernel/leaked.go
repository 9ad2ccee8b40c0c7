package kernel

import (
	"fmt"
	"unsafe"

	"github.com/macemc/macemc/internal/kernel/aliasing"
	"github.com/macemc/macemc/sim"
)

// Lasting returns a finding if the service of a node shares mutable memory with its service in another execution. Such
// memory was made in a run and outlasts it. Code can distinguish it from memory made anew for each run; encodings do
// not. w must be a world of [NewWorld]; for others the result is nil.
func Lasting(w World, id sim.NodeID, other sim.Service) error {
	m, ok := w.(*Machine)
	if !ok || m.Members[id].Service == nil || other == nil {
		return nil
	}
	there := map[unsafe.Pointer]bool{}
	m.PlanOf(other).References(other, func(at unsafe.Pointer) { there[at] = true })
	var common unsafe.Pointer
	own := m.Members[id].Service
	m.PlanOf(own).References(own, func(at unsafe.Pointer) {
		if common == nil && there[at] {
			common = at
		}
	})
	if common == nil {
		return nil
	}
	return &sim.Finding{Kind: sim.Nondeterminism, Node: id, Message: fmt.Sprintf(
		"the service %T: %s refers to what was made in a run and lasts longer: another run refers to the same. "+
			"States that differ in whether it is this or something alike cannot be told apart. Make it before the check begins, where a variable of a package is declared, say",
		own, aliasing.PathTo(own, common))}
}

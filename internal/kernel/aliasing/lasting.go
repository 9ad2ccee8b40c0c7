package aliasing

import (
	"fmt"
	"unsafe"

	"github.com/macemc/macemc/sim"
)

// Lasting returns a finding if a service shares mutable memory with the service of its node in another execution. Such
// memory was made in a run and outlasts it. Code can distinguish it from memory made anew for each run. Encodings do
// not. references calls a function for all memory that a service refers to.
func Lasting(id sim.NodeID, own, other sim.Service, references func(any, func(unsafe.Pointer))) error {
	there := map[unsafe.Pointer]bool{}
	references(other, func(at unsafe.Pointer) { there[at] = true })
	var common unsafe.Pointer
	references(own, func(at unsafe.Pointer) {
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
		own, PathTo(own, common))}
}

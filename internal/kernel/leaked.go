package kernel

import (
	"unsafe"

	"github.com/macemc/macemc/internal/kernel/aliasing"
	"github.com/macemc/macemc/sim"
)

// Lasting returns a finding if the service of a node shares mutable memory with its service in another execution, see
// [aliasing.Lasting]. w must be a world of [NewWorld]; for others the result is nil.
func Lasting(w World, id sim.NodeID, other sim.Service) error {
	m, ok := w.(*Machine)
	if !ok || m.Members[id].Service == nil || other == nil {
		return nil
	}
	return aliasing.Lasting(id, m.Members[id].Service, other, func(v any, f func(unsafe.Pointer)) { m.PlanOf(v).References(v, f) })
}

package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// closeService tells a service that it is thrown away. The finding is that Close failed, panicked, or did not return.
func closeService(w *contain.Watch, id sim.NodeID, s sim.Service) (found *sim.Finding) {
	defer func() {
		if r := recover(); r != nil {
			found = PanicFinding(id, r)
			if found.Kind == sim.Panic {
				found.Message = "Close: " + found.Message
			}
		}
	}()
	end := simext.Close(s)
	if err := contain.Value(w, end); err != nil {
		return &sim.Finding{Kind: sim.Panic, Node: id, Message: fmt.Sprintf("Close failed: %v", err)}
	}
	return nil
}

// Discard tells the service of a node that it is thrown away, once. A service whose handler did not return is left alone: that may
// still run.
func (w *Machine) Discard(n *Node) *sim.Finding {
	if !w.Closing || n.Service == nil || n.closed {
		return nil
	}
	n.closed = true
	if !declared.Closes(n.Service) {
		return nil
	}
	found := closeService(w.watch, n.ID, n.Service)
	w.Touch(n)
	return found
}

// Finish ends a run of a world: services with a Close are told that they are thrown away. The world shows what they are like then, and
// can only be started anew. The finding is that one of them failed, nil if none did. Without a call the start of the next run does so.
func Finish(w World) *sim.Finding {
	m, ok := w.(*Machine)
	if !ok || !m.Closing {
		return nil // tables hold no service that is to be closed
	}
	var first *sim.Finding
	for i := range m.Members {
		if found := m.Discard(&m.Members[i]); first == nil {
			first = found
		}
	}
	return first
}

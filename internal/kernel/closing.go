package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// closeService closes a service that is discarded. It returns a finding if Close failed, panicked, or did not return.
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

// Discard closes the service of a node, at most once. It skips a service with a handler that did not return, because
// the handler may still be running.
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

// Finish ends a run of a world by closing the services that have a Close method. The world then shows their final
// state, and can only be started anew. The result is the finding of the first service that failed, nil if none did.
// Without this call, the start of the next run closes them.
func Finish(w World) *sim.Finding {
	m, ok := w.(*Machine)
	if !ok || !m.Closing {
		return nil // tables hold no service with a Close method
	}
	var first *sim.Finding
	for i := range m.Members {
		if found := m.Discard(&m.Members[i]); first == nil {
			first = found
		}
	}
	return first
}

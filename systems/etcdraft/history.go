package etcdraft

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/macemc/macemc/sim"
)

// History watches that the registers are linearizable.
type History struct {
	Events []Event
}

// Event is the begin or the end of an operation.
type Event struct {
	Op    Op
	End   bool
	Value Value // at the end of a read: what was read
}

func newHistory() sim.Monitor { return &History{} }

// Observe implements [sim.Monitor]. The beginning of an operation cannot break a history, so that only ends
// are looked at.
func (h *History) Observe(_ sim.NodeID, event any) error {
	switch e := event.(type) {
	case Invoked:
		h.Events = append(h.Events, Event{Op: e.Op})
	case Returned:
		h.Events = append(h.Events, Event{e.Op, true, e.Value})
		if !porcupine.CheckEvents(register, h.complete()) {
			return fmt.Errorf("linearizable reads: no order of the operations explains what was read: %v", h.Events)
		}
	}
	return nil
}

func (e Event) String() string {
	switch {
	case !e.End:
		return e.Op.String() + " begins"
	case e.Op.Write:
		return e.Op.String() + " ends"
	}
	return fmt.Sprintf("%v ends with %d.%d", e.Op, e.Value.Node, e.Value.Count)
}

// complete is the history for porcupine, in which all that began must end: writes that did not may still
// happen, reads that did not are left out.
func (h *History) complete() []porcupine.Event {
	ids := map[Op]int{} // of those that are under way
	var events []porcupine.Event
	for i, e := range h.Events {
		switch {
		case e.End:
			events = append(events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: e.Value, Id: ids[e.Op]})
			delete(ids, e.Op)
		case e.Op.Write || h.ends(i):
			ids[e.Op] = i
			events = append(events, porcupine.Event{Kind: porcupine.CallEvent, Value: e.Op, Id: i})
		}
	}
	for i, e := range h.Events {
		if id, ok := ids[e.Op]; ok && id == i {
			events = append(events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: Value{}, Id: id})
		}
	}
	return events
}

func (h *History) ends(begin int) bool {
	for _, e := range h.Events[begin+1:] {
		if e.End && e.Op == h.Events[begin].Op {
			return true
		}
	}
	return false
}

// register is what an operation does to one register. Registers do not know of each other.
var register = porcupine.Model{
	Init: func() any { return Value{} },
	Step: func(state, input, output any) (bool, any) {
		if op := input.(Op); op.Write {
			return true, op.ID
		}
		return output == state, state
	},
	PartitionEvent: byRegister,
}

func byRegister(history []porcupine.Event) [][]porcupine.Event {
	var parts [][]porcupine.Event
	of := map[int]int{} // register of each operation
	for _, e := range history {
		if e.Kind == porcupine.CallEvent {
			of[e.Id] = e.Value.(Op).Key
		}
		key := of[e.Id]
		for len(parts) <= key {
			parts = append(parts, nil)
		}
		parts[key] = append(parts[key], e)
	}
	return parts
}

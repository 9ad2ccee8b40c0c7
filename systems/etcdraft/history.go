package etcdraft

import (
	"fmt"

	"github.com/macemc/macemc/linear"
	"github.com/macemc/macemc/sim"
)

// History watches that the registers are linearizable.
type History struct {
	Past []Event
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
		h.Past = append(h.Past, Event{Op: e.Op})
	case Returned:
		h.Past = append(h.Past, Event{e.Op, true, e.Value})
		if err := linear.Check(register, h.operations()).Err(); err != nil {
			return fmt.Errorf("linearizable reads: %w: %v", err, h.Past)
		}
	}
	return nil
}

// Events implements [observe.Knower].
func (*History) Events() []any { return []any{Invoked{}, Returned{}} }

func (e Event) String() string {
	switch {
	case !e.End:
		return e.Op.String() + " begins"
	case e.Op.Write:
		return e.Op.String() + " ends"
	}
	return fmt.Sprintf("%v ends with %d.%d", e.Op, e.Value.Node, e.Value.Count)
}

// operations is the history in the terms of package linear. An operation is its own name, as no two are the same.
func (h *History) operations() *linear.History[Op, Op, Value] {
	var all linear.History[Op, Op, Value]
	for _, e := range h.Past {
		if e.End {
			all.End(e.Op, e.Value)
		} else {
			all.Begin(e.Op, e.Op)
		}
	}
	return &all
}

// register is what an operation does to one register. Registers do not know of each other.
var register = linear.Model[Value, Op, Value]{
	Step: func(state Value, op Op, read *Value) (bool, Value) {
		if op.Write {
			return true, op.ID
		}
		return read == nil || *read == state, state
	},
	Key: func(op Op) any { return op.Key },
}

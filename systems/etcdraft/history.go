package etcdraft

import (
	"fmt"

	"github.com/macemc/macemc/linear"
	"github.com/macemc/macemc/sim"
)

// History is a monitor of the linearizability of the registers.
type History struct {
	Past []Event
}

// Event is the begin or the end of an operation.
type Event struct {
	Op    Op
	End   bool
	Value Value // at the end of a read: its result
}

func newHistory() sim.Monitor { return &History{} }

// Observe implements [sim.Monitor]. It checks the history at ends only, because the begin of an operation cannot
// violate it.
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

// Events returns samples of the observed events, see package observe.
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

// operations converts the history for package linear. An operation is its own ID, as no two are equal.
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

// register is the sequential model of one register. Registers are independent.
var register = linear.Model[Value, Op, Value]{
	Step: func(state Value, op Op, read *Value) (bool, Value) {
		if op.Write {
			return true, op.ID
		}
		return read == nil || *read == state, state
	},
	Key: func(op Op) any { return op.Key },
}

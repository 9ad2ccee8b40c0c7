// Package linear checks whether histories of concurrent operations are linearizable: whether each operation can be taken to
// happen at one moment between its begin and its end, so that a sequential [Model] explains all results.
//
// A [History] is a value that a monitor of a system can keep as its state. It is told what clients begin and what they get, by
// events that services announce, and [Check] judges it at each end:
//
//	type history struct{ linear.History[int, Op, string] } // by number of the operation
//
//	func (h *history) Observe(_ sim.NodeID, event any) error {
//		switch e := event.(type) {
//		case Invoked:
//			h.Begin(e.ID, e.Op)
//		case Returned:
//			h.End(e.ID, e.Result)
//			return linear.Check(register, &h.History).Err()
//		}
//		return nil
//	}
//
// The work is bounded by a number of steps of the model, never by a clock, so that the answer is a function of the history. A history
// that takes more has the outcome [Unknown], of which Err is an error, too: what is not known is not taken for right.
//
// The search is that of porcupine, which splits a history by keys and remembers what it has tried.
package linear

import (
	"errors"
	"fmt"

	"github.com/anishathalye/porcupine"
)

// Model is what operations do, one after the other. Its functions must depend on nothing but their arguments, and change none
// of them. The zero value of each field but Step is a default.
type Model[S, In, Out any] struct {
	// Init is the state before the first operation, of each key. Nil: the zero value.
	Init func() S
	// Step reports whether the operation in may have the result out in that state, and the state after it. out is nil of an
	// operation that has not ended: it may happen any time later, or never, and whatever it results in is right, so Step must
	// accept it in every state.
	Step func(state S, in In, out *Out) (ok bool, next S)
	// Key is what an operation is about. Operations of different keys must not influence each other: each key has a state of
	// its own, and is checked by itself, which takes far fewer steps. Keys are comparable. Nil: there is one key.
	Key func(In) any
	// Equal compares states. Nil: by ==, which panics for types that cannot be compared so.
	Equal func(a, b S) bool
	// MaxSteps is how many steps a key may take; 0: [DefaultMaxSteps].
	MaxSteps int
}

// DefaultMaxSteps bounds the work for each key when the model does not say how much it may be: about a second.
const DefaultMaxSteps = 1 << 20

// History is what happened, in order. ID tells apart the operations that are under way. The zero value is the empty
// history. It may be a state that is encoded when its types may.
type History[ID comparable, In, Out any] struct {
	Events []Event[ID, In, Out]
}

// Event is the begin or the end of an operation.
type Event[ID comparable, In, Out any] struct {
	ID  ID
	End bool
	In  In  // of a begin
	Out Out // of an end
}

// Begin adds the begin of an operation. When its client crashes it never ends. An ID may be used again once its operation has
// ended.
func (h *History[ID, In, Out]) Begin(id ID, in In) {
	h.Events = append(h.Events, Event[ID, In, Out]{ID: id, In: in})
}

// End adds the end of an operation that is under way, with its result.
func (h *History[ID, In, Out]) End(id ID, out Out) {
	h.Events = append(h.Events, Event[ID, In, Out]{ID: id, End: true, Out: out})
}

// Outcome is the answer of a check.
type Outcome int

const (
	Linearizable    Outcome = iota
	NotLinearizable         // no order of the operations explains their results
	Unknown                 // it would take more steps than the model allows
)

func (o Outcome) String() string {
	return [...]string{"linearizable", "not linearizable", "unknown"}[o]
}

// What Err of a result wraps.
var (
	ErrNotLinearizable = errors.New("not linearizable: no order of the operations explains their results")
	ErrUnknown         = errors.New("not known whether it is linearizable")
)

// Result is what came of a check.
type Result struct {
	Outcome Outcome
	Key     any // of the first key that is not linearizable, or else unknown; nil: the model has no keys, or all is well
	Steps   int // of the model, over all keys that were checked
	limit   int
}

// Err is nil only when the history is linearizable; it wraps [ErrNotLinearizable] or [ErrUnknown].
func (r Result) Err() error {
	about := ""
	if r.Key != nil {
		about = fmt.Sprintf(" (key %v)", r.Key)
	}
	switch r.Outcome {
	case NotLinearizable:
		return fmt.Errorf("%w%s", ErrNotLinearizable, about)
	case Unknown:
		return fmt.Errorf("%w%s: that would take more than %d steps of the model; have fewer operations, or raise its MaxSteps", ErrUnknown, about, r.limit)
	}
	return nil
}

// operation is one of a history, for porcupine: the value of its begin. The value of its end is the result, nil when it has none.
type operation[In any] struct{ in In }

// Check judges a history. It panics when an operation ends that is not under way, or one begins that is. A key that is not
// linearizable is told before one that is unknown.
func Check[ID comparable, S, In, Out any](m Model[S, In, Out], h *History[ID, In, Out]) Result {
	r := Result{limit: m.MaxSteps}
	if r.limit == 0 {
		r.limit = DefaultMaxSteps
	}
	keys, parts := split(m.Key, h)
	for i, part := range parts {
		outcome, steps := check(m, part, r.limit)
		r.Steps += steps
		if outcome == NotLinearizable || outcome == Unknown && r.Outcome == Linearizable {
			r.Outcome, r.Key = outcome, keys[i]
		}
		if outcome == NotLinearizable {
			break
		}
	}
	return r
}

// split makes a history of each key, in the order in which they come up. What is under way at the end returns there, with no result.
func split[ID comparable, In, Out any](key func(In) any, h *History[ID, In, Out]) (keys []any, parts [][]porcupine.Event) {
	type running struct{ number, part int }
	var (
		order    = map[any]int{}
		underway = map[ID]running{}
		open     []ID // by number of the operation
	)
	for _, e := range h.Events {
		op, on := underway[e.ID]
		switch {
		case e.End && !on:
			panic(fmt.Sprintf("linear: operation %v ends, but is not under way", e.ID))
		case e.End:
			out := e.Out
			parts[op.part] = append(parts[op.part], porcupine.Event{Kind: porcupine.ReturnEvent, Value: &out, Id: op.number})
			delete(underway, e.ID)
			continue
		case on:
			panic(fmt.Sprintf("linear: operation %v begins, but is under way", e.ID))
		}
		var k any
		if key != nil {
			k = key(e.In)
		}
		part, met := order[k]
		if !met {
			part = len(parts)
			order[k] = part
			keys, parts = append(keys, k), append(parts, nil)
		}
		op = running{len(open), part}
		underway[e.ID], open = op, append(open, e.ID)
		parts[part] = append(parts[part], porcupine.Event{Kind: porcupine.CallEvent, Value: operation[In]{e.In}, Id: op.number})
	}
	for number, id := range open {
		if op, on := underway[id]; on && op.number == number {
			parts[op.part] = append(parts[op.part], porcupine.Event{Kind: porcupine.ReturnEvent, Value: (*Out)(nil), Id: number})
		}
	}
	return keys, parts
}

// check judges the history of one key. Once the steps are used up all are refused, so that the search ends, and says nothing. That the model
// panics ends it likewise, and is a panic here: porcupine calls it in a goroutine of its own, where nobody could recover.
func check[S, In, Out any](m Model[S, In, Out], part []porcupine.Event, limit int) (Outcome, int) {
	steps := 0
	var panicked any
	catch := func() {
		if r := recover(); r != nil {
			panicked = r
		}
	}
	of := func(state any) S {
		s, _ := state.(S) // not ok: the nil of an interface type
		return s
	}
	model := porcupine.Model{
		Init: func() any {
			defer catch()
			var s S
			if m.Init != nil {
				s = m.Init()
			}
			return s
		},
		Step: func(state, in, out any) (ok bool, next any) {
			if steps++; steps > limit || panicked != nil {
				return false, state
			}
			defer catch()
			return m.Step(of(state), in.(operation[In]).in, out.(*Out))
		},
		Equal: func(a, b any) bool {
			defer catch()
			if m.Equal == nil {
				return a == b
			}
			return m.Equal(of(a), of(b))
		},
	}
	//macemc:ok it waits for the workers that it starts, and without a time limit its answer is a function of the history
	switch ok := porcupine.CheckEvents(model, part); {
	case panicked != nil:
		panic(panicked)
	case ok:
		return Linearizable, steps
	case steps > limit:
		return Unknown, limit
	}
	return NotLinearizable, steps
}

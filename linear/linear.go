package linear

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Model is the sequential specification of the operations. Its functions must be pure functions of their arguments. The
// zero value of each field but Step is a default.
type Model[S, In, Out any] struct {
	// Init returns the state before the first operation, for each key. Nil means the zero value.
	Init func() S
	// Step reports whether the operation in may have the result out in the given state, and returns the state after it.
	// out is nil for an operation that has not ended: it may happen at any later time, or never, with any result, so
	// Step must accept it in every state.
	Step func(state S, in In, out *Out) (ok bool, next S)
	// Key returns the partition of an operation. Operations with different keys must not influence each other: each key
	// has its own state and is checked separately, which takes far fewer steps. Keys are comparable. Nil means one key.
	Key func(In) any
	// Equal compares states. Nil means ==, which panics for types that are not comparable.
	Equal func(a, b S) bool
	// MaxSteps is the maximum number of steps for a key; 0 means [DefaultMaxSteps].
	MaxSteps int
}

// DefaultMaxSteps is the default maximum number of steps for a key: about a second of work.
const DefaultMaxSteps = 1 << 20

// History is a sequence of begins and ends of operations. ID identifies the operations in progress. The zero value is
// the empty history. It can be part of an encoded state if its types can.
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

// Begin adds the begin of an operation. It never ends if its client crashes. An ID may be reused once its operation has
// ended.
func (h *History[ID, In, Out]) Begin(id ID, in In) {
	h.Events = append(h.Events, Event[ID, In, Out]{ID: id, In: in})
}

// End adds the end of an operation in progress, with its result.
func (h *History[ID, In, Out]) End(id ID, out Out) {
	h.Events = append(h.Events, Event[ID, In, Out]{ID: id, End: true, Out: out})
}

// Outcome is the verdict of a check.
type Outcome int

const (
	Linearizable    Outcome = iota
	NotLinearizable         // no order of the operations explains their results
	Unknown                 // a decision needs more steps than the model allows
)

func (o Outcome) String() string {
	return [...]string{"linearizable", "not linearizable", "unknown"}[o]
}

// Errors wrapped by Result.Err.
var (
	ErrNotLinearizable = errors.New("not linearizable: no order of the operations explains their results")
	ErrUnknown         = errors.New("undecided whether it is linearizable")
)

// Result is the result of a check.
type Result struct {
	Outcome Outcome
	Key     any // the first key that is not linearizable, or else is unknown; nil if the model has no keys, or the history is linearizable
	Steps   int // of the model, over all keys that were checked
	limit   int
}

// Err returns nil only if the history is linearizable; otherwise it wraps [ErrNotLinearizable] or [ErrUnknown].
func (r Result) Err() error {
	about := ""
	if r.Key != nil {
		about = fmt.Sprintf(" (key %v)", r.Key)
	}
	switch r.Outcome {
	case NotLinearizable:
		return fmt.Errorf("%w%s", ErrNotLinearizable, about)
	case Unknown:
		return fmt.Errorf("%w%s: a decision needs more than %d steps of the model; use fewer operations, or raise its MaxSteps",
			ErrUnknown, about, r.limit)
	}
	return nil
}

// operation is the value of a begin event for porcupine. The value of an end event is the result, nil if there is none.
type operation[In any] struct{ in In }

// Check judges a history. It panics if an operation ends that is not in progress, or one begins that is. A key that is
// not linearizable takes precedence over an unknown one.
func Check[ID comparable, S, In, Out any](m Model[S, In, Out], h *History[ID, In, Out]) Result {
	r := Result{limit: m.MaxSteps}
	if r.limit == 0 {
		r.limit = DefaultMaxSteps
	}
	keys, parts := split(m.Key, h)
	for i, part := range parts {
		outcome, steps := Linearizable, 0
		if found, tried := inOrder(m, part, r.limit); found {
			steps = tried
		} else {
			outcome, steps = check(m, part, r.limit)
		}
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

// split returns a history for each key, in the order of first occurrence. Operations still in progress at the end get
// an end without a result.
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
			panic(fmt.Sprintf("linear: operation %v ends, but is not in progress", e.ID))
		case e.End:
			out := e.Out
			parts[op.part] = append(parts[op.part], porcupine.Event{Kind: porcupine.ReturnEvent, Value: &out, Id: op.number})
			delete(underway, e.ID)
			continue
		case on:
			panic(fmt.Sprintf("linear: operation %v begins, but is in progress", e.ID))
		}
		var k any
		if key != nil {
			k = key(e.In)
		}
		part, known := order[k]
		if !known {
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

// pending is an operation that began and did not take effect yet.
type pending[In, Out any] struct {
	number int
	in     In
	out    *Out
}

// inOrder reports whether the operations of one key can take effect in the order in which they end, each perhaps
// behind one other operation in progress. Most linearizable histories are of that kind, and need no search on another
// goroutine. It gives up after a number of steps.
func inOrder[S, In, Out any](m Model[S, In, Out], part []porcupine.Event, limit int) (found bool, steps int) {
	outs := make(map[int]*Out, len(part)/2)
	for _, e := range part {
		if e.Kind == porcupine.ReturnEvent {
			outs[e.Id] = e.Value.(*Out)
		}
	}
	var state S
	if m.Init != nil {
		state = m.Init()
	}
	var open []pending[In, Out]
	take := func(from S, k int) (next S, ok bool) {
		if steps++; steps > limit {
			return from, false
		}
		ok, next = m.Step(from, open[k].in, open[k].out)
		return next, ok
	}
	for _, e := range part {
		if e.Kind == porcupine.CallEvent {
			open = append(open, pending[In, Out]{e.Id, e.Value.(operation[In]).in, outs[e.Id]})
			continue
		}
		i := slices.IndexFunc(open, func(p pending[In, Out]) bool { return p.number == e.Id })
		if i < 0 || open[i].out == nil { // it took effect, or need not
			continue
		}
		next, ok := take(state, i)
		for k := 0; !ok && k < len(open); k++ {
			if k == i {
				continue
			}
			if between, first := take(state, k); first {
				if next, ok = take(between, i); ok {
					open = slices.Delete(open, k, k+1)
					if k < i {
						i--
					}
				}
			}
		}
		if !ok {
			return false, steps
		}
		state, open = next, slices.Delete(open, i, i+1)
	}
	return true, steps
}

// check judges the history of one key. Once the steps are used up, it refuses all further ones, so that the search ends
// without a result. A panic of the model ends the search in the same way and is repeated here, because porcupine calls
// the model on its own goroutine, where the caller could not recover.
func check[S, In, Out any](m Model[S, In, Out], part []porcupine.Event, limit int) (Outcome, int) {
	steps := 0
	var panicked any
	catch := func() {
		if r := recover(); r != nil {
			panicked = r
		}
	}
	of := func(state any) S {
		s, _ := state.(S) // ok is false for the nil of an interface type
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

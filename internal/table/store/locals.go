package store

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// locals interns the local states of all nodes. A number identifies a node and its state.
type locals struct {
	List []Local
	ids  map[string]uint32 // by Encoding
	bulk int               // in bytes, see BulkOf
}

// Local is the local state of one node. Its exported State must not be changed: handlers get copies.
type Local struct {
	State    *kernel.Local
	Node     sim.NodeID
	Events   []netmodel.Event // those independent of the network
	Untimed  int32            // number of leading events that are enabled even when timers must wait
	Busy     bool             // an event in the node can be handled; only set under Prompt timing
	Encoding string           // canonical, preceded by the node: the key in locals.ids
	Hash     encoding.Fingerprint
	Origin   *Origin      // nil if no known step leads to it
	Permuted bool         // moved from another node by package symmetry, not reached by a step
	fields   []diff.Field // of the first few states, for reports of changes
	Downs    []uint32     // by number of surviving writes: the state after a crash, plus one
}

// describedLocals is the number of local states with stored fields.
const describedLocals = 128

// Origin is the step that first reached a local state.
type Origin struct {
	Before  uint32
	Step    Situation
	Answers []Answer
}

// kept returns a copy on the heap, since most steps lead to known states.
func (o *Origin) kept() *Origin {
	if o == nil {
		return nil
	}
	own := *o
	return &own
}

// Answer is the answer to one question: the pick of a choice, or the observed room.
type Answer int32

func (l *locals) init() { l.ids = map[string]uint32{} }

// Intern returns the number of a local state. If it is new, Intern stores state and a copy of from. The error is
// [*options.Unsupported], [*encoding.Error], or the finding that the When of an action, or a
// function of a state rule, fails.
func (e *Tables) Intern(node sim.NodeID, state *kernel.Local, from *Origin) (id uint32, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *encoding.Error:
			err = r
		case *sim.Finding: // of an action's When, or a function of a state rule
			err, e.Unlisted = r, true
		default:
			err = &options.Unsupported{Why: fmt.Sprintf("the state of node %d: %v", node, r)}
		}
	}()
	e.Buf = e.Bench.AppendLocal(node, state, append(e.Buf[:0], byte(node)))
	id, ok := e.Locals.ids[string(e.Buf)]
	if ok {
		// A state without history gets one.
		if l := &e.Locals.List[id]; l.Origin == nil && from != nil {
			l.State, l.Origin, l.Permuted = state, from.kept(), false
		}
		return id, nil
	}
	id = uint32(len(e.Locals.List))
	l := Local{State: state, Node: node, Encoding: string(e.Buf), Origin: from.kept()}
	l.Hash = kernel.Hash(kernel.NodeState, int(node), e.Buf[1:])
	before, err := e.Calls.Enter(options.ListCall, l.Hash.Lo)
	if err != nil {
		e.Unlisted = true
		return 0, err
	}
	defer e.Calls.Leave(before)
	list := e.Bench.Events
	if e.Samples.Sampled(int(id)) {
		list = e.Bench.EventsWatched
	}
	l.Untimed = int32(len(list(node, state, false, nil)))
	l.Events = e.Bench.Events(node, state, true, nil)
	l.Busy = e.Sys.Timing == sim.Prompt && state.HandlesEvent()
	if id < describedLocals && !declared.Carries(state.Service()) { // describing the state of a program is expensive
		l.fields = e.FieldsOf(node, state)
	}
	e.Locals.ids[l.Encoding] = id
	e.Locals.List = append(e.Locals.List, l)
	e.Locals.bulk += BulkOf(&l)
	if e.Recorder != nil {
		e.Recorder.Local(id)
	}
	return id, nil
}

// CatchRule, when deferred, turns the panic that a function of a state rule failed into an error. The replay engine calls such
// functions at other times, so it does not confirm the step.
func (e *Tables) CatchRule(err *error) {
	if r := recover(); r != nil {
		*err = contain.StateError(r)
		_, found := r.(*sim.Finding)
		e.Unlisted = e.Unlisted || found
	}
}

// Listed returns the events of a local state that are independent of the network.
func (l *Local) Listed(timers bool) []netmodel.Event {
	if timers {
		return l.Events
	}
	return l.Events[:l.Untimed]
}

// Unreached reports whether no known step leads to the state.
func (l *Local) Unreached() bool { return l.Origin == nil && l.State.Up() && !l.Permuted }

// HaltedState returns the local state of a node after a halt.
func (e *Tables) HaltedState(node sim.NodeID) (uint32, error) {
	if e.haltedStates[node] == 0 {
		id, err := e.Intern(node, e.Bench.Halted(node), nil)
		if err != nil {
			return 0, err
		}
		e.haltedStates[node] = id + 1
	}
	return e.haltedStates[node] - 1, nil
}

// Crashed returns the local state after a crash in which so many unsynced writes survive.
func (e *Tables) Crashed(id uint32, kept int) (uint32, error) {
	l := &e.Locals.List[id]
	if l.Downs == nil {
		l.Downs = make([]uint32, l.State.Unsynced()+1)
	}
	if down := l.Downs[kept]; down != 0 {
		return down - 1, nil
	}
	down, err := e.Intern(l.Node, e.Bench.Crash(l.Node, l.State, kept), nil)
	if err != nil {
		return 0, err
	}
	e.Locals.List[id].Downs[kept] = down + 1
	return down, nil
}

func (e *Tables) FieldsOf(id sim.NodeID, state *kernel.Local) []diff.Field {
	e.Bench.Place(id, state)
	return e.Bench.NodeFields(id)
}

// Situation identifies a step for look-up.
type Situation struct {
	Local   uint32
	EventID uint32
	Event   netmodel.Event
	Message uint32 // of Deliver; of TakeQuorum the set
	Err     error  // of DeliverError
}

// Classes of events, by the handler's arguments.
const (
	BootEvent = iota
	ActionEvent
	TimerEvent
	ResetEvent
	RefusedEvent
	ReadyEvent
	DeliverEvent
	InternalEvent
	QuorumEvent
	EventClasses
)

// EventID encodes a class, a peer and a value. It is injective.
func (e *Tables) EventID(class int, peer sim.NodeID, what uint32) uint32 {
	return (what*uint32(e.Nodes)+uint32(peer))*EventClasses + uint32(class)
}

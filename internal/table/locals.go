package table

import (
	"fmt"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// locals interns the local states of all nodes; a number stands for a node and its state.
type locals struct {
	list []local
	ids  map[string]uint32
	bulk int // bytes, see bulkOf
}

type local struct {
	state  *kernel.Local
	node   sim.NodeID
	events []sim.Event // those that the network has no part in
	always int32       // how many of them may happen when timers must wait
	busy   bool        // one of them handles an event that is in the node; only kept under Prompt timing
	enc    string      // with the node in front
	hash   sim.Fingerprint
	from   *origin
	moved  bool        // it is that of another node, see symmetry, and was not come to by a step
	fields []sim.Field // of the first few, to tell what has changed
	downs  []uint32    // by number of writes kept: the state after a crash, plus one
}

// describedLocals is of how many local states the fields are kept.
const describedLocals = 128

// origin is how a local state was reached first.
type origin struct {
	before  uint32
	step    stepOf
	answers []answer
}

// kept is a copy that stays: most steps lead to states that are known.
func (o *origin) kept() *origin {
	if o == nil {
		return nil
	}
	own := *o
	return &own
}

// answer is the answer to one question: the pick of a choice, or what the network said of the room.
type answer int32

func (l *locals) init() { l.ids = map[string]uint32{} }

// intern returns the number of a local state. It keeps state, and a copy of from, when that is new. The error is
// [*Unsupported], [*sim.StateError], or the finding that an action's When does not tell whether it can be done there.
func (e *tables) intern(node sim.NodeID, state *kernel.Local, from *origin) (id uint32, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.StateError:
			err = r
		case *sim.Finding: // of an action's When
			err, e.unlisted = r, true
		default:
			err = &Unsupported{fmt.Sprintf("the state of node %d: %v", node, r)}
		}
	}()
	e.buf = e.bench.AppendLocal(node, state, append(e.buf[:0], byte(node)))
	id, ok := e.locals.ids[string(e.buf)]
	if ok {
		// A state that was only looked at so far has a history now.
		if l := &e.locals.list[id]; l.from == nil && from != nil {
			l.state, l.from, l.moved = state, from.kept(), false
		}
		return id, nil
	}
	id = uint32(len(e.locals.list))
	l := local{state: state, node: node, enc: string(e.buf), from: from.kept()}
	l.hash = kernel.Hash(kernel.NodeState, int(node), e.buf[1:])
	before, err := e.calls.call(listCall, l.hash.Lo)
	if err != nil {
		e.unlisted = true
		return 0, err
	}
	defer e.calls.end(before)
	list := e.bench.Events
	if e.samples.sampled(int(id)) {
		list = e.bench.EventsWatched
	}
	l.always = int32(len(list(node, state, false, nil)))
	l.events = e.bench.Events(node, state, true, nil)
	l.busy = e.sys.Timing == sim.Prompt && state.HandlesEvent()
	if id < describedLocals && !kernel.Carries(state.Service()) { // to describe a program costs much
		l.fields = e.fieldsOf(node, state)
	}
	e.locals.ids[l.enc] = id
	e.locals.list = append(e.locals.list, l)
	e.locals.bulk += bulkOf(&l)
	if e.recorder != nil {
		e.recorder.local(id)
	}
	return id, nil
}

// listed returns the events of a local state in which the network has no part.
func (l *local) listed(timers bool) []sim.Event {
	if timers {
		return l.events
	}
	return l.events[:l.always]
}

// lookedAt reports whether the state was only looked at so far: no step that led there is known.
func (l *local) lookedAt() bool { return l.from == nil && l.state.Up() && !l.moved }

// haltedState returns the local state of a node that has halted.
func (e *tables) haltedState(node sim.NodeID) (uint32, error) {
	if e.gone[node] == 0 {
		id, err := e.intern(node, e.bench.Halted(node), nil)
		if err != nil {
			return 0, err
		}
		e.gone[node] = id + 1
	}
	return e.gone[node] - 1, nil
}

// crashed returns the local state after a crash of the node that keeps that many unsynced writes.
func (e *tables) crashed(id uint32, kept int) (uint32, error) {
	l := &e.locals.list[id]
	if l.downs == nil {
		l.downs = make([]uint32, l.state.Unsynced()+1)
	}
	if down := l.downs[kept]; down != 0 {
		return down - 1, nil
	}
	down, err := e.intern(l.node, e.bench.Crash(l.node, l.state, kept), nil)
	if err != nil {
		return 0, err
	}
	e.locals.list[id].downs[kept] = down + 1
	return down, nil
}

func (e *tables) fieldsOf(id sim.NodeID, state *kernel.Local) []sim.Field {
	e.bench.Place(id, state)
	return e.bench.NodeFields(id)
}

// stepOf is a step that is to be looked up.
type stepOf struct {
	local uint32
	event uint32
	ev    sim.Event
	msg   uint32 // of Deliver; of TakeQuorum the set
	err   error  // of DeliverError
}

// Classes of events, by what the handler is told.
const (
	bootEvent = iota
	actionEvent
	timerEvent
	resetEvent
	refusedEvent
	readyEvent
	deliverEvent
	internalEvent
	quorumEvent
	eventClasses
)

// eventID is injective.
func (e *tables) eventID(class int, peer sim.NodeID, what uint32) uint32 {
	return (what*uint32(e.nodes)+uint32(peer))*eventClasses + uint32(class)
}

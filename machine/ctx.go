package machine

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Halt is the event that halts a machine if its state has no rule for it. A halted machine discards its state, and
// events sent to it are dropped.
type Halt struct{}

// Lost is delivered to a machine of a system with Streams after its connection to another one has broken, or after it
// sent to one that was down. The machine's table must have a rule for Lost in some state. Events in flight may be lost.
type Lost struct{ Peer ID }

// Property names of findings about machines.
const (
	// unhandledProperty requires a rule of the state for each event that is taken.
	unhandledProperty = "every event is handled"
	// rulesProperty requires handlers to stay within their rules.
	rulesProperty = "machines keep to their rules"
	// boundProperty forbids machines to create more machines than their pools hold.
	boundProperty = "machine bound"
)

// Ctx is the interface of a handler of a machine. It is valid only during the handler. Monitors can only transfer
// control, assert, and call Self.
type Ctx struct {
	env   sim.Env // nil in a monitor
	host  *Host   // nil in a monitor
	m     *Machine
	id    ID // the machine; in a monitor, the source of the event
	kind  *Kind
	cover *Coverage

	act    *action // the running action
	pass   func()  // called for each state that a monitor enters; may be nil
	failed error   // set by Assert in a monitor
	next   transfer
}

// transfer is the transfer of control that a handler has requested.
type transfer struct {
	how     transferKind
	to      State
	payload any
}

type transferKind uint8

const (
	stay transferKind = iota
	gotoState
	pushState
	popState
	raiseEvent
	haltMachine
)

// Self returns the machine itself. In a monitor it returns the machine that sent or announced the event.
func (x *Ctx) Self() ID { return x.id }

// Env returns the environment of the machine's node, for its disk, clock and log; nil in a monitor.
func (x *Ctx) Env() sim.Env {
	if x.env != nil {
		x.determined("asks for its environment")
	}
	return x.env
}

// determined reports a finding if the kind is Deterministic, because the operation makes it depend on more than its
// events.
func (x *Ctx) determined(does string) {
	if x.kind.function {
		x.fail(rulesProperty, "%s in state %s %s, but a deterministic machine depends on its events only", x.name(), x.m.State(), does)
	}
}

// Send puts an event into the queue of a machine, which may be the sender.
func (x *Ctx) Send(to ID, ev any) {
	x.open("Send")
	x.machine("Send")
	x.host.sys.watchSend(x, to, ev)
	if to == x.id && x.host.sys.Queues.Order != netsim.Arrival {
		x.host.push(x, x.id, ev)
		return
	}
	x.transmit(to, ev)
}

// TrySend sends the event if there is room for it, and returns false otherwise. It requires a system with Streams,
// because queues do not expose how full they are. The machine itself always has room. Live nodes have the same limit,
// while Send queues without a bound.
func (x *Ctx) TrySend(to ID, ev any) bool {
	if x.open("TrySend"); x.env != nil && x.host.sys.Streams == nil {
		x.fail(rulesProperty, "%s in state %s calls TrySend, but queues do not report their length: set System.Streams", x.name(), x.m.State())
	}
	x.machine("TrySend")
	x.determined("asks whether there is room")
	if to != x.id && x.env.Stream(to).Room() == 0 {
		return false
	}
	x.Send(to, ev)
	return true
}

// transmit passes an event to the network.
func (x *Ctx) transmit(to ID, ev any) {
	if x.host.sys.Streams == nil {
		x.env.Send(to, ev)
		return
	}
	send := x.env.Stream(to).Send
	if p, ok := x.env.(simext.Pusher); ok {
		send = func(ev any) error { return p.Push(to, ev) }
	}
	if err := send(ev); err != nil {
		x.fail(netsim.QueueProperty, "%s sends %s%+v to machine %d while its buffer for that machine is full", x.name(),
			eventName(reflect.TypeOf(ev)), ev, to)
	}
}

// Goto transfers control to another state.
func (x *Ctx) Goto(to State) { x.leave(transfer{how: gotoState, to: to}) }

// GotoWith is like Goto, for a state with an entry action that takes the payload.
func (x *Ctx) GotoWith(to State, payload any) { x.leave(transfer{gotoState, to, payload}) }

// Push enters a state on top of the current one.
func (x *Ctx) Push(to State) { x.leave(transfer{how: pushState, to: to}) }

// Pop leaves the current state and returns to the one below it.
func (x *Ctx) Pop() { x.leave(transfer{how: popState}) }

// Raise handles an event immediately, before anything else happens.
func (x *Ctx) Raise(ev any) { x.leave(transfer{how: raiseEvent, payload: ev}) }

// Halt halts the machine.
func (x *Ctx) Halt() { x.leave(transfer{how: haltMachine}) }

func (x *Ctx) leave(t transfer) {
	x.open("a transfer of control")
	if x.act.stays != "" {
		x.fail(rulesProperty, "%s in state %s transfers control in %s", x.name(), x.m.State(), x.act.stays)
	}
	if goes := t.how == gotoState || t.how == pushState; goes && !slices.Contains(x.act.targets, t.to) {
		if x.kind.state(t.to) == nil {
			x.fail(rulesProperty, "%s in state %s goes to the unknown state %q", x.name(), x.m.State(), t.to)
		}
		x.fail(rulesProperty, "%s in state %s goes to state %s, which its rule does not name: %s(f, %q)", x.name(), x.m.State(), t.to,
			x.kind.maker(x.act), t.to)
	}
	x.next = t
}

// open panics with a finding if the handler has already transferred control.
func (x *Ctx) open(what string) {
	if x.next.how != stay {
		x.fail(rulesProperty, "%s in state %s calls %s after its handler has transferred control", x.name(), x.m.State(), what)
	}
}

// runs records the action that handles an event, for traces: the first one that is run.
func (x *Ctx) runs(a *action) {
	if record := simext.Traced(x.env); record != nil && a != nil {
		record.Runs(a.code)
	}
}

// name returns the name of the machine or the monitor for people.
func (x *Ctx) name() string {
	if x.env == nil {
		return x.kind.name
	}
	if x.kind == nil { // not created yet
		return x.host.sys.label(x.id)
	}
	return fmt.Sprintf("%s%d", x.kind.name, x.id)
}

// machine panics with a finding if the operation is called in a monitor.
func (x *Ctx) machine(what string) {
	if x.env == nil {
		x.fail(rulesProperty, "monitor %s in state %s calls %s; monitors only observe", x.name(), x.m.State(), what)
	}
}

// fail ends the step with a finding.
func (x *Ctx) fail(property, format string, args ...any) {
	panic(&sim.Finding{Kind: sim.Safety, Property: property, Node: x.id, Message: fmt.Sprintf(format, args...)})
}

// Announce passes an event to the monitors.
func (x *Ctx) Announce(ev any) {
	x.open("Announce")
	x.machine("Announce")
	x.env.Announce(ev)
}

// Watch creates a monitor of the kind with variables of type M, which must have been passed to [System.Each]. The
// monitor enters its start state with the payload.
func Watch[M any](x *Ctx, payload any) {
	x.open("Watch")
	x.machine("Watch")
	k := x.host.sys.monitorOf(reflect.TypeFor[M]())
	if k == nil {
		x.fail(rulesProperty, "%s creates a monitor with variables %v, which the system does not have: see System.Each", x.name(),
			reflect.TypeFor[M]())
	}
	x.env.Announce(create{k.name, payload})
}

// Assert reports a safety violation if ok is false.
func (x *Ctx) Assert(ok bool, format string, args ...any) {
	switch {
	case x.env != nil:
		x.env.Assert(ok, format, args...)
	case !ok && x.failed == nil:
		x.failed = fmt.Errorf(format, args...)
	}
}

// Choose draws one of n alternatives; what names the choice.
func (x *Ctx) Choose(what string, n int) int {
	x.open("Choose")
	x.machine("Choose")
	x.determined("draws " + what)
	return x.env.Choose(what, n)
}

// Flip draws a boolean, P's $.
func (x *Ctx) Flip(what string) bool { return x.Choose(what, 2) == 1 }

// FairFlip is like Flip, but fair, P's $$: a machine that draws it infinitely often gets each outcome infinitely often.
// The promise concerns infinite runs only.
func (x *Ctx) FairFlip(what string) bool {
	x.open("FairFlip")
	x.machine("FairFlip")
	x.determined("draws " + what)
	return x.env.ChooseFair(what, 2) == 1
}

// SetTimer delivers an event to the machine itself after the delay. The event must be comparable; setting it again
// replaces the timer.
func (x *Ctx) SetTimer(ev any, after time.Duration) {
	x.open("SetTimer")
	x.machine("SetTimer")
	x.determined("sets a timer")
	x.env.SetTimer(ev, after)
}

// StopTimer disarms a timer. If its event has arrived and was not handled, it is removed.
func (x *Ctx) StopTimer(ev any) {
	x.open("StopTimer")
	x.machine("StopTimer")
	x.env.StopTimer(ev)
	if i := slices.Index(x.host.Queue, ev); i >= 0 {
		x.host.remove(i)
	}
}

// New creates a machine of the kind with variables of type M, which starts with the zero M and enters its start state
// with the payload. It takes the next place of the creator's pool, see [System.Pool]; an exhausted pool is a finding. A
// creator that restarts after a crash begins with the first place again and replaces the machines there. Timers set by
// the replaced machines still fire.
func New[M any](x *Ctx, payload any) ID {
	x.open("New")
	x.machine("New")
	x.determined("creates a machine")
	pool := x.host.sys.pools[x.id]
	k := pool.kind(reflect.TypeFor[M]())
	switch {
	case k == nil:
		x.fail(boundProperty, "%s in state %s creates a machine with variables %v, for which it has no pool: see System.Pool", x.name(),
			x.m.State(), reflect.TypeFor[M]())
	case x.host.Made >= pool.size:
		x.fail(boundProperty, "%s in state %s creates more than %d machines, the size of its pool", x.name(), x.m.State(), pool.size)
	}
	id := pool.first + ID(x.host.Made)
	x.host.Made++
	x.transmit(id, create{k.name, payload})
	return id
}

// create is the message that makes a place of a pool a machine. It also creates one more monitor of a kind.
type create struct {
	Kind    string
	Payload any
}

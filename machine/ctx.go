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

// Halt is the event that halts a machine whose state has no rule for it. A machine that is halted forgets everything, and
// what is sent to it is dropped.
type Halt struct{}

// Lost comes to a machine of a system with Streams when its connection to another one has broken, or that one was down when something was sent
// to it, if the machine's table has a rule for Lost in some state. What was on its way may be lost.
type Lost struct{ Peer ID }

// Names of properties that findings about machines are of.
const (
	// UnhandledProperty: each event that is taken is one that the state has a rule for.
	UnhandledProperty = "every event is handled"
	// RulesProperty: handlers do what their rules allow.
	RulesProperty = "machines keep to their rules"
	// BoundProperty: machines create no more machines than their pools hold.
	BoundProperty = "machine bound"
)

// Ctx is what a handler of a machine has. It is valid during the handler only. Monitors can only transfer control, assert,
// and ask who they hear.
type Ctx struct {
	env   sim.Env // nil in a monitor
	host  *Host   // likewise
	m     *Machine
	id    ID // the machine; to a monitor, whose event it hears
	kind  *Kind
	cover *Coverage

	act    *action // that is running
	pass   func()  // told of each state that a monitor comes to; nil: nobody is
	failed error   // by Assert of a monitor
	next   transfer
}

// transfer is what a handler has asked for as its last.
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

// Self is the machine itself. To a monitor it is the machine that sent or announced the event.
func (x *Ctx) Self() ID { return x.id }

// Env is the environment of the machine's node, for its disk, clock and log; nil in a monitor.
func (x *Ctx) Env() sim.Env {
	if x.env != nil {
		x.determined("asks for its environment")
	}
	return x.env
}

// determined refuses what makes a machine more than a function of its events.
func (x *Ctx) determined(does string) {
	if x.kind.function {
		x.fail(RulesProperty, "%s in state %s %s, and is to be a function of its events", x.name(), x.m.State(), does)
	}
}

// Send puts an event into the queue of a machine, which may be the machine itself.
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

// TrySend is Send when there is room for the event, and false when there is none. It is for systems with Streams; queues do not tell how much
// waits in them. The machine itself always has room. Live it keeps to the same buffer, while what Send queues has no bound.
func (x *Ctx) TrySend(to ID, ev any) bool {
	if x.open("TrySend"); x.env != nil && x.host.sys.Streams == nil {
		x.fail(RulesProperty, "%s in state %s calls TrySend, and queues do not tell how much waits in them: set System.Streams", x.name(), x.m.State())
	}
	x.machine("TrySend")
	x.determined("asks whether there is room")
	if to != x.id && x.env.Stream(to).Room() == 0 {
		return false
	}
	x.Send(to, ev)
	return true
}

// transmit hands an event to the network.
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
		x.fail(netsim.QueueProperty, "%s sends %s%+v to machine %d, for which as many of its events wait as the buffer holds", x.name(), eventName(reflect.TypeOf(ev)), ev, to)
	}
}

// Goto leaves the state for another one.
func (x *Ctx) Goto(to State) { x.leave(transfer{how: gotoState, to: to}) }

// GotoWith is Goto to a state whose entry action takes the payload.
func (x *Ctx) GotoWith(to State, payload any) { x.leave(transfer{gotoState, to, payload}) }

// Push enters a state on top of the one that the machine is in.
func (x *Ctx) Push(to State) { x.leave(transfer{how: pushState, to: to}) }

// Pop leaves the state for the one below it.
func (x *Ctx) Pop() { x.leave(transfer{how: popState}) }

// Raise has an event handled at once, before anything else happens.
func (x *Ctx) Raise(ev any) { x.leave(transfer{how: raiseEvent, payload: ev}) }

// Halt halts the machine.
func (x *Ctx) Halt() { x.leave(transfer{how: haltMachine}) }

func (x *Ctx) leave(t transfer) {
	x.open("a transfer of control")
	if x.act.stays != "" {
		x.fail(RulesProperty, "%s in state %s transfers control in %s", x.name(), x.m.State(), x.act.stays)
	}
	if goes := t.how == gotoState || t.how == pushState; goes && !slices.Contains(x.act.targets, t.to) {
		if x.kind.state(t.to) == nil {
			x.fail(RulesProperty, "%s in state %s goes to state %q, which there is none of", x.name(), x.m.State(), t.to)
		}
		x.fail(RulesProperty, "%s in state %s goes to state %s, which its rule does not name: %s(f, %q)", x.name(), x.m.State(), t.to, x.kind.maker(x.act), t.to)
	}
	x.next = t
}

// open says that a handler may ask for something still.
func (x *Ctx) open(what string) {
	if x.next.how != stay {
		x.fail(RulesProperty, "%s in state %s asks for %s after its handler has transferred control", x.name(), x.m.State(), what)
	}
}

// runs shows people which action handles an event: the first that is run.
func (x *Ctx) runs(a *action) {
	if env, ok := x.env.(simext.CodeTracer); ok && a != nil {
		env.Runs(a.code)
	}
}

// name is the machine's or the monitor's for people.
func (x *Ctx) name() string {
	if x.env == nil {
		return x.kind.name
	}
	if x.kind == nil { // not created yet
		return x.host.sys.label(x.id)
	}
	return fmt.Sprintf("%s%d", x.kind.name, x.id)
}

// machine says that something is for machines only.
func (x *Ctx) machine(what string) {
	if x.env == nil {
		x.fail(RulesProperty, "monitor %s in state %s calls %s; monitors only watch", x.name(), x.m.State(), what)
	}
}

// fail ends the step with a finding.
func (x *Ctx) fail(property, format string, args ...any) {
	panic(&sim.Finding{Kind: sim.Safety, Property: property, Node: x.id, Message: fmt.Sprintf(format, args...)})
}

// Announce tells the monitors of an event.
func (x *Ctx) Announce(ev any) {
	x.open("Announce")
	x.machine("Announce")
	x.env.Announce(ev)
}

// Watch creates a monitor of the kind whose variables are an M, which was given to [System.Each]. Its start state is
// entered with the payload.
func Watch[M any](x *Ctx, payload any) {
	x.open("Watch")
	x.machine("Watch")
	k := x.host.sys.monitorOf(reflect.TypeFor[M]())
	if k == nil {
		x.fail(RulesProperty, "%s watches by a %v, which no monitor of the system has as variables: see System.Each", x.name(), reflect.TypeFor[M]())
	}
	x.env.Announce(create{k.name, payload})
}

// Assert reports a safety violation when ok is false.
func (x *Ctx) Assert(ok bool, format string, args ...any) {
	switch {
	case x.env != nil:
		x.env.Assert(ok, format, args...)
	case !ok && x.failed == nil:
		x.failed = fmt.Errorf(format, args...)
	}
}

// Choose draws one of n alternatives; what says what for.
func (x *Ctx) Choose(what string, n int) int {
	x.open("Choose")
	x.machine("Choose")
	x.determined("draws " + what)
	return x.env.Choose(what, n)
}

// Flip draws a truth value, P's $.
func (x *Ctx) Flip(what string) bool { return x.Choose(what, 2) == 1 }

// FairFlip is Flip whose outcomes both come again and again when the machine draws it again and again, P's $$. That is a
// promise about runs without end; in all else it is Flip.
func (x *Ctx) FairFlip(what string) bool {
	x.open("FairFlip")
	x.machine("FairFlip")
	x.determined("draws " + what)
	return x.env.ChooseFair(what, 2) == 1
}

// SetTimer has an event come to the machine itself after a while. The event must be comparable; to set it again is to set
// it anew.
func (x *Ctx) SetTimer(ev any, after time.Duration) {
	x.open("SetTimer")
	x.machine("SetTimer")
	x.determined("sets a timer")
	x.env.SetTimer(ev, after)
}

// StopTimer takes a timer back, and the event, if that has come and was not handled.
func (x *Ctx) StopTimer(ev any) {
	x.open("StopTimer")
	x.machine("StopTimer")
	x.env.StopTimer(ev)
	if i := slices.Index(x.host.Queue, ev); i >= 0 {
		x.host.remove(i)
	}
}

// New creates a machine of the kind whose variables are an M, which starts with the zero M and enters its start state with
// the payload. It takes the next place of the creator's pool, see [System.Pool]; a pool that has none left is a finding. A creator that starts
// anew after a crash begins with the first place again, and what is still there is replaced; timers that this has set fire all the same.
func New[M any](x *Ctx, payload any) ID {
	x.open("New")
	x.machine("New")
	x.determined("creates a machine")
	pool := x.host.sys.pools[x.id]
	k := pool.kind(reflect.TypeFor[M]())
	switch {
	case k == nil:
		x.fail(BoundProperty, "%s in state %s creates a machine with variables %v, for which it has no pool: see System.Pool", x.name(), x.m.State(), reflect.TypeFor[M]())
	case x.host.Made >= pool.size:
		x.fail(BoundProperty, "%s in state %s creates more than %d machines, which its pool is for", x.name(), x.m.State(), pool.size)
	}
	id := pool.first + ID(x.host.Made)
	x.host.Made++
	x.transmit(id, create{k.name, payload})
	return id
}

// create tells a place of a pool what to become, and the monitors of a kind that there is one more of them.
type create struct {
	Kind    string
	Payload any
}

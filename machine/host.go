package machine

import (
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Host is the service of a node that is a machine.
type Host struct {
	sys *System   // not part of the state
	at  *nodeSlot // not part of the state

	Machine
	Queue []any // events that have arrived and were not handled, in order
	Made  int   // number of machines that it has created
}

var (
	_ simext.Stepper       = (*Host)(nil)
	_ simext.Idler         = (*Host)(nil)
	_ sim.PeerErrorHandler = (*Host)(nil)
)

// Sim returns the system to be checked or run. The caller may set further fields of the result: timing other than
// AnyOrder, crashes, properties, see [Vars].
func (s *System) Sim(name string) sim.System {
	s.built.Store(true)
	if s.Queues.AtMost != nil {
		panic("machine: set bounds of events by System.AtMost")
	}
	for id := range s.pools { //lint:sorted any order panics
		s.mustBe(id)
	}
	queues := s.Queues
	queues.AtMost = s.atMost
	var network sim.Network = queues
	if s.Streams != nil {
		if !reflect.ValueOf(queues).IsZero() {
			panic("machine: a system has Queues or Streams, not both")
		}
		network = *s.Streams
	}
	sys := sim.System{
		Name: name, Nodes: len(s.machines), Network: network, Timing: sim.AnyOrder, Containers: s.together,
		New: func(id ID) sim.Service { return &Host{sys: s, at: &s.machines[id]} },
		State: []sim.StateRule{sim.IgnoreField[Host]("sys"), sim.IgnoreField[Host]("at"), sim.IgnoreField[monitor]("watcher"),
			sim.IgnoreField[monitor]("sys"), sim.IgnoreField[monitor]("passed"), sim.CopyBy(func(passages) passages { return nil }),
			sim.CopyBy(func(s *System) *System { return s }), sim.CopyBy(func(p *nodeSlot) *nodeSlot { return p }),
			sim.CopyBy(func(w *watcher) *watcher { return w })},
	}
	for i := range s.watchers {
		sys.Monitors = append(sys.Monitors, s.watchers[i].monitor(s))
	}
	return sys
}

// Vars returns the variables of a machine, for properties. It returns nil if the node is down, or the machine is
// halted, not created, or of another kind. The variables must not be changed.
func Vars[M any](v *sim.View, id ID) *M {
	if h, ok := v.Service(id).(*Host); ok {
		m, _ := h.Vars.(*M)
		return m
	}
	return nil
}

// StateOf returns the state of a machine, for properties; empty if it is halted, not created, or its node is down.
func StateOf(v *sim.View, id ID) State {
	if h, ok := v.Service(id).(*Host); ok {
		return h.State()
	}
	return ""
}

// Hosted implements [simext.Hosting].
func (h *Host) Hosted() (name string, code any, path string) {
	return h.at.name(), h.Vars, "Machine.Vars"
}

func (h *Host) context(env sim.Env) *Ctx {
	return &Ctx{env: env, host: h, m: &h.Machine, id: env.Self(), kind: h.sys.kinds[h.Kind], cover: h.sys.Cover}
}

// Boot implements [sim.Service].
func (h *Host) Boot(env sim.Env) {
	if k := h.sys.machines[env.Self()].kind; k != nil {
		h.start(env, k, h.sys.vars(env.Self()), nil)
	}
}

func (h *Host) start(env sim.Env, k *Kind, vars, payload any) {
	h.Kind = k.name
	h.Machine.start(h.context(env), vars, payload)
	h.settle()
}

// Receive implements [sim.Service].
func (h *Host) Receive(env sim.Env, from sim.NodeID, msg any) {
	c, created := msg.(create)
	switch {
	case created:
		if h.Kind != "" { // its creator has restarted; otherwise the queued events are for the machine being created
			*h = Host{sys: h.sys, at: h.at}
		}
		k := h.sys.kinds[c.Kind]
		h.start(env, k, reflect.New(k.vars).Interface(), c.Payload)
	case h.Halted:
	case h.Kind == "": // the message that creates it is still in flight from another machine
		h.push(h.context(env), from, msg)
	default:
		waits := h.first() >= 0
		h.push(h.context(env), from, msg)
		if !waits { // otherwise queued events are taken first, each in its own step
			h.takeFirst(env)
		}
	}
}

// Timer implements [sim.Service].
func (h *Host) Timer(env sim.Env, t any) { h.Receive(env, env.Self(), t) }

// PeerError implements [sim.PeerErrorHandler].
func (h *Host) PeerError(env sim.Env, peer sim.NodeID, _ error) {
	if k := h.sys.kinds[h.Kind]; k != nil && k.knows(reflect.TypeFor[Lost]()) {
		h.Receive(env, env.Self(), Lost{peer})
	}
}

// Ready implements [simext.Stepper].
func (h *Host) Ready() bool {
	if h.Halted || h.Kind == "" {
		return false
	}
	return h.first() >= 0 || h.nullAction(h.sys.kinds[h.Kind]) != nil
}

// Step implements [simext.Stepper]: it takes the first possible event, or else runs Null.
func (h *Host) Step(env sim.Env) {
	if h.first() >= 0 {
		h.takeFirst(env)
		return
	}
	x := h.context(env)
	h.run(x, h.nullAction(x.kind), nil)
	h.finish(x)
	h.settle()
}

// Idle implements [simext.Idler].
func (h *Host) Idle() bool { return h.first() < 0 }

// push appends an event from a machine to the queue.
func (h *Host) push(x *Ctx, from ID, ev any) {
	t := reflect.TypeOf(ev)
	if bound := h.sys.Queues.Bound; bound > 0 && len(h.Queue) >= bound {
		x.fail(netsim.QueueProperty, "%s gets %s%+v from %s while %d unhandled events wait; the bound is %d",
			x.name(), eventName(t), ev, h.sys.label(from), len(h.Queue), bound)
	}
	if most, ok := h.sys.atMost[t]; ok {
		waits := 0
		for _, other := range h.Queue {
			if reflect.TypeOf(other) == t {
				waits++
			}
		}
		if waits >= most {
			x.fail(netsim.QueueProperty, "%s gets %s%+v from %s while %d unhandled events of that type wait; at most %d may",
				x.name(), eventName(t), ev, h.sys.label(from), waits, most)
		}
	}
	h.Queue = with(h.Queue, ev)
}

// first returns the index of the first event that can be taken, skipping ignored ones; -1 if there is none.
func (h *Host) first() int {
	if h.Halted || h.Kind == "" {
		return -1
	}
	k := h.sys.kinds[h.Kind]
	return slices.IndexFunc(h.Queue, func(ev any) bool {
		r, _ := h.find(k, ev)
		return r == nil || r.reaction != deferred && r.reaction != ignored
	})
}

// takeFirst handles the first event that can be taken, if any.
func (h *Host) takeFirst(env sim.Env) {
	if i := h.first(); i >= 0 {
		ev := h.Queue[i]
		h.remove(i)
		h.take(h.context(env), ev)
	}
	h.settle()
}

// settle drops ignored events up to the first that can be taken, or all events if the machine is halted.
func (h *Host) settle() {
	if h.Halted {
		h.Queue = nil
		return
	}
	k := h.sys.kinds[h.Kind]
	for i := 0; i < len(h.Queue); {
		switch r, level := h.find(k, h.Queue[i]); {
		case r != nil && r.reaction == ignored:
			h.sys.Cover.note(k, h.Stack[level], r.event)
			h.remove(i)
		case r != nil && r.reaction == deferred:
			i++
		default:
			return
		}
	}
}

func (h *Host) remove(i int) {
	if len(h.Queue) == 1 {
		h.Queue = nil
		return
	}
	h.Queue = with(h.Queue[:i], h.Queue[i+1:]...)
}

package machine

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/sim"
)

// Sent notifies a monitor of a sent event, if its table has a rule for it: On((*M).sent) with sent(*Ctx, Sent[Request])
// handles each Request when it is sent, before it arrives. If a machine crashes in the step that sends, the monitor may
// be notified of a send that the crash has prevented.
type Sent[E any] struct {
	From, To ID
	Event    E
}

// sender creates a Sent of a type.
type sender interface {
	event() reflect.Type
	of(from, to ID, ev any) any
}

func (Sent[E]) event() reflect.Type { return reflect.TypeFor[E]() }

func (Sent[E]) of(from, to ID, ev any) any { return Sent[E]{from, to, ev.(E)} }

// watcher creates the monitors of a kind.
type watcher struct {
	kind *Kind
	vars any  // of the single monitor; nil if monitors are created at run time
	each bool // whether monitors are created at run time
}

// Monitor adds a monitor: a machine that observes all others and sends nothing. It receives announced events and, as
// [Sent], sent events, of the types for which its table has a rule in some state. An event without a rule in the
// current state is unhandled, as in any machine. A monitor survives crashes and must not defer events.
func (s *System) Monitor(k *Kind, vars any) {
	s.unbuilt("Monitor")
	if t := reflect.TypeOf(vars); t != k.vars {
		panic(fmt.Sprintf("monitor %s: its variables are of type %v, not %v", k.name, k.vars, t))
	}
	s.watch(watcher{kind: k, vars: vars})
}

// Each adds a kind of monitors that machines create by [Watch], for example one for each request. Halted monitors are
// removed. Each panics if two such kinds have the same variables or the same name.
func (s *System) Each(k *Kind) {
	s.unbuilt("Each")
	for _, w := range s.watchers {
		if w.each && (w.kind.vars == k.vars || w.kind.name == k.name) {
			panic(fmt.Sprintf("monitor %s: machines also create monitor %s: such kinds need different variables and names", k.name, w.kind.name))
		}
	}
	s.watch(watcher{kind: k, each: true})
}

func (s *System) watch(w watcher) {
	for _, st := range w.kind.states {
		if st.deferAll || st.null != nil {
			panic(fmt.Sprintf("monitor %s: state %s defers events or has a Null; a monitor receives each event once", w.kind.name, st.name))
		}
		for _, r := range st.rules {
			if r.reaction == deferred {
				panic(fmt.Sprintf("monitor %s: state %s defers %s; a monitor receives each event once", w.kind.name, st.name, eventName(r.event)))
			}
			if m, ok := reflect.Zero(r.event).Interface().(sender); ok {
				if s.sent == nil {
					s.sent = map[reflect.Type]sender{}
				}
				s.sent[m.event()] = m
			}
		}
	}
	s.watchers = append(s.watchers, w)
}

// watchSend notifies the monitors of a sent event, if one of them has a rule for it.
func (s *System) watchSend(x *Ctx, to ID, ev any) {
	if m, ok := s.sent[reflect.TypeOf(ev)]; ok {
		x.env.Announce(m.of(x.id, to, ev))
	}
}

// monitorOf returns the kind of monitors created at run time that has variables of the given type, or nil.
func (s *System) monitorOf(vars reflect.Type) *Kind {
	for i := range s.watchers {
		if w := &s.watchers[i]; w.each && w.kind.vars == vars {
			return w.kind
		}
	}
	return nil
}

// monitor holds all monitors of a kind.
type monitor struct {
	watcher *watcher // not part of the state
	sys     *System  // not part of the state
	passed  passages // not part of the state
	All     []*Machine
	Keys    []string // by monitor, for kinds that are created at run time and are hot in some state
}

func (w *watcher) monitor(s *System) func() sim.Monitor {
	return func() sim.Monitor {
		m := &monitor{watcher: w, sys: s}
		if !w.each {
			s.copying.Lock()
			defer s.copying.Unlock()
			one := &Machine{}
			m.All = with(m.All, one)
			x := m.context(one, -1)
			if one.start(x, s.copyOf(w.vars), nil); x.failed != nil {
				panic(fmt.Sprintf("monitor %s is violated before anything happens: %v", w.kind.name, x.failed))
			}
		}
		return m
	}
}

// Name implements the optional interface of [sim.MonitorName].
func (m *monitor) Name() string { return m.watcher.kind.name }

func (m *monitor) context(one *Machine, from ID) *Ctx {
	return &Ctx{m: one, id: from, kind: m.watcher.kind, cover: m.sys.Cover, pass: func() { m.pass(one) }}
}

// Observe implements [sim.Monitor].
func (m *monitor) Observe(from sim.NodeID, event any) error {
	k := m.watcher.kind
	m.passed = nil
	if c, ok := event.(create); ok {
		if c.Kind != k.name || !m.watcher.each {
			return nil
		}
		one := &Machine{}
		m.All = with(m.All, one)
		if m.Obliges() {
			m.Keys = with(m.Keys, m.sys.keyOf(c.Payload))
		}
		x := m.context(one, from)
		one.start(x, reflect.New(k.vars).Interface(), c.Payload)
		return m.settle(x)
	}
	if !k.knows(reflect.TypeOf(event)) {
		return nil
	}
	for _, one := range m.All {
		if one.Halted {
			continue
		}
		if r, level := one.find(k, event); r != nil && r.reaction == ignored {
			m.sys.Cover.note(k, one.Stack[level], r.event)
			continue
		}
		x := m.context(one, from)
		one.take(x, event)
		if x.failed != nil {
			return x.failed
		}
	}
	return m.settle(nil)
}

// settle removes monitors that have halted.
func (m *monitor) settle(x *Ctx) error {
	var left []*Machine
	var keys []string
	for i, one := range m.All {
		if one.Halted && m.watcher.each {
			continue
		}
		left = with(left, one)
		if m.Keys != nil {
			keys = with(keys, m.Keys[i])
		}
	}
	m.All, m.Keys = left, keys
	if x != nil {
		return x.failed
	}
	return nil
}

// Events returns samples of the events that the monitor handles, for package observe.
func (m *monitor) Events() []any {
	k := m.watcher.kind
	var events []any
	for _, s := range k.states {
		for _, r := range s.rules {
			events = append(events, reflect.Zero(r.event).Interface())
		}
	}
	if m.watcher.each {
		c := create{Kind: k.name}
		if entry := k.states[0].entry; entry != nil && entry.arg != nil {
			if c.Payload = reflect.Zero(entry.arg).Interface(); c.Payload == nil { // an interface type, which logs cannot decode
				c.Payload = reflect.New(entry.arg).Interface()
			}
		}
		events = append(events, c)
	}
	return events
}

// EventName, Inside and With let package observe distinguish the creation events of several kinds of monitors.
func (c create) EventName() string { return "machine.Watch[" + c.Kind + "]" }

// Inside returns the payload of the creation.
func (c create) Inside() any { return c.Payload }

// With returns the creation of a monitor of the same kind with another payload.
func (c create) With(payload any) any { return create{c.Kind, payload} }

package machine

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/sim"
)

// Machine is the state of a machine or a monitor, without its queue.
type Machine struct {
	Kind   string  // empty if not created
	Vars   any     // the variables, a pointer; nil if halted
	Stack  []State // the top is the last one
	Halted bool
}

// State returns the current state; empty if the machine is halted or not created.
func (m *Machine) State() State {
	if len(m.Stack) == 0 {
		return ""
	}
	return m.Stack[len(m.Stack)-1]
}

// start enters the start state.
func (m *Machine) start(x *Ctx, vars, payload any) {
	m.Kind, m.Vars = x.kind.name, vars
	m.Stack = []State{x.kind.states[0].name}
	m.enter(x, payload)
	m.finish(x)
}

// take handles an event and all transfers that follow from it.
func (m *Machine) take(x *Ctx, ev any) {
	m.dispatch(x, ev)
	m.finish(x)
}

// find returns the rule for an event, searching from the top of the stack down, and its level. A nil rule means none.
func (m *Machine) find(k *Kind, ev any) (r *rule, level int) {
	t := reflect.TypeOf(ev)
	for level = len(m.Stack) - 1; level >= 0; level-- {
		s := k.state(m.Stack[level])
		if r := s.rule(t); r != nil {
			return r, level
		}
		if s.deferAll && t != haltType {
			return &rule{event: t, reaction: deferred}, level
		}
	}
	return nil, -1
}

var haltType = reflect.TypeFor[Halt]()

// nullAction returns the action to run if no event can be taken; nil means none.
func (m *Machine) nullAction(k *Kind) *action {
	for i := len(m.Stack) - 1; i >= 0; i-- {
		if a := k.state(m.Stack[i]).null; a != nil {
			return a
		}
	}
	return nil
}

func (m *Machine) dispatch(x *Ctx, ev any) {
	r, level := m.find(x.kind, ev)
	if r == nil {
		if _, ok := ev.(Halt); ok {
			m.halt()
			return
		}
		x.fail(unhandledProperty, "unhandled event: %s in state %s gets %s%+v", x.name(), m.State(), eventName(reflect.TypeOf(ev)), ev)
	}
	x.cover.note(x.kind, m.Stack[level], r.event)
	switch r.reaction {
	case push:
		m.Stack = with(m.Stack, r.to)
		m.enter(x, ev)
	case goTo:
		x.runs(r.act) // not the exit action
		for len(m.Stack)-1 > level {
			m.exit(x)
			m.drop()
		}
		m.exit(x)
		if r.act != nil {
			m.run(x, r.act, ev)
		}
		m.Stack = with(m.Stack[:len(m.Stack)-1], r.to)
		m.enter(x, ev)
	case handle:
		m.run(x, r.act, ev)
	}
}

// drop removes the top of the stack.
func (m *Machine) drop() { m.Stack = with(m.Stack[:len(m.Stack)-1]) }

func (m *Machine) halt() { *m = Machine{Kind: m.Kind, Halted: true} }

func (m *Machine) run(x *Ctx, a *action, arg any) {
	if a != nil {
		x.act = a
		x.runs(a)
		a.run(m.Vars, x, arg)
	}
}

func (m *Machine) enter(x *Ctx, payload any) {
	x.passes()
	m.run(x, x.kind.state(m.State()).entry, payload)
}

func (m *Machine) exit(x *Ctx) { m.run(x, x.kind.state(m.State()).exit, nil) }

// mostTransfers is the maximum number of transfers after one event.
const mostTransfers = 1000

// finish executes the transfer that a handler has requested, and those that follow, until there is none.
func (m *Machine) finish(x *Ctx) {
	for n := 0; x.next.how != stay && !m.Halted; n++ {
		if n == mostTransfers {
			panic(&sim.Finding{Kind: sim.Divergence, Node: x.id, Message: fmt.Sprintf(
				"%s in state %s transferred control %d times without an event", x.name(), m.State(), n)})
		}
		t := x.next
		x.next = transfer{}
		m.transfer(x, t)
	}
}

func (m *Machine) transfer(x *Ctx, t transfer) {
	switch t.how {
	case gotoState:
		m.exit(x)
		m.Stack = with(m.Stack[:len(m.Stack)-1], t.to)
		m.enter(x, t.payload)
	case pushState:
		m.Stack = with(m.Stack, t.to)
		m.enter(x, t.payload)
	case popState:
		if len(m.Stack) == 1 {
			x.fail(rulesProperty, "%s pops its last state %s", x.name(), m.State())
		}
		m.exit(x)
		m.drop()
		x.passes()
	case raiseEvent:
		switch r, level := m.find(x.kind, t.payload); {
		case r != nil && r.reaction == ignored:
			x.cover.note(x.kind, m.Stack[level], r.event)
		case r != nil && r.reaction == deferred && x.host != nil:
			x.host.push(x, x.id, t.payload)
		default:
			m.dispatch(x, t.payload)
		}
	case haltMachine:
		m.halt()
	}
}

// with returns a new slice with further elements and no spare capacity: states with slices of different capacity are
// different states.
func with[T any](s []T, more ...T) []T {
	c := make([]T, len(s)+len(more))
	copy(c[copy(c, s):], more)
	return c
}

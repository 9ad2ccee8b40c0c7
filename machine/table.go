package machine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// ID identifies a machine. It is the ID of its node.
type ID = sim.NodeID

// None is the ID of no machine. The zero value of ID is the first machine.
const None ID = -1

// State is the name of a state.
type State string

// Kind is a type of machines: a table of states. It is immutable and holds no state of machines.
type Kind struct {
	name   string
	vars   reflect.Type // a struct M; variables are *M
	states []*state     // in the order of the table; the first is the start state

	function bool // see Deterministic
}

// Deterministic declares that a machine of the kind is a function of the events that it takes, as replicas that must
// stay equal have to be. Handlers that draw, set timers, create machines or use their environment are then findings. It
// panics if a state has a Null, which runs whenever no event can be taken. It returns k. Call it in the definition of
// k.
func (k *Kind) Deterministic() *Kind {
	for _, s := range k.states {
		if s.null != nil {
			panic(fmt.Sprintf("machine %s: state %s has a Null, and a deterministic machine depends on its events only", k.name, s.name))
		}
	}
	k.function = true
	return k
}

// Name returns the name with which the kind was defined.
func (k *Kind) Name() string { return k.name }

// StateDef is a state and its rules, see [In].
type StateDef struct {
	name  State
	rules []Rule
}

// Rule is a rule of a state, made by [On] and similar functions.
type Rule func(*state)

// state is a state of a table.
type state struct {
	name      State
	entry     *action
	exit      *action
	null      *action
	rules     []rule
	deferAll  bool
	hot, cold bool
	problems  []string
}

// reaction is the reaction to an event.
type reaction uint8

const (
	handle reaction = iota
	goTo
	push
	deferred
	ignored
)

// rule is a state's rule for events of one type.
type rule struct {
	event    reflect.Type
	reaction reaction
	to       State   // target of goTo and push
	act      *action // may be nil
}

// action is a method in one of its roles.
type action struct {
	run     func(m any, x *Ctx, arg any)
	code    any          // the function itself
	vars    reflect.Type // M
	arg     reflect.Type // payload type of an entry action
	targets []State      // states that it may transfer control to
	stays   string       // why it must not transfer control; empty if it may
}

// Define makes a kind of machines with variables of type M. The first state is the start state. The name is shown to
// people, and is part of states.
//
// Define checks the table and panics with all its errors, because tables are package-level variables. Errors are: two
// states or two rules for the same, rules for other variables than M, undefined or unreachable states, and entry
// actions that cannot take the value that they get.
func Define[M any](name string, states ...StateDef) *Kind {
	k := &Kind{name: name, vars: reflect.TypeFor[M]()}
	for _, s := range states {
		st := &state{name: s.name}
		for _, r := range s.rules {
			if r == nil {
				st.problems = append(st.problems, "it has a rule that is nil")
				continue
			}
			r(st)
		}
		k.states = append(k.states, st)
	}
	if problems := k.check(); len(problems) > 0 {
		panic(fmt.Sprintf("machine %s:\n\t%s", name, strings.Join(problems, "\n\t")))
	}
	return k
}

// In returns a state with its rules.
func In(name State, rules ...Rule) StateDef { return StateDef{name, rules} }

// On handles events of its type by a handler. The handler may go to, or push, the named states and no others.
func On[M, E any](f func(*M, *Ctx, E), to ...State) Rule {
	return add(rule{event: reflect.TypeFor[E](), act: taking(f, to)})
}

// OnGoto makes events lead to another state. The state's entry action may take the event.
func OnGoto[E any](to State) Rule {
	return add(rule{event: reflect.TypeFor[E](), reaction: goTo, to: to})
}

// OnGotoWith is like OnGoto with a handler that runs between the exit action and the entry action. The handler cannot
// transfer control.
func OnGotoWith[M, E any](to State, f func(*M, *Ctx, E)) Rule {
	act := taking(f, nil)
	act.stays = "a rule that goes elsewhere already"
	return add(rule{event: reflect.TypeFor[E](), reaction: goTo, to: to, act: act})
}

// OnPush enters another state on top of this one. This state handles the events that the upper one does not, until that
// pops.
func OnPush[E any](to State) Rule {
	return add(rule{event: reflect.TypeFor[E](), reaction: push, to: to})
}

// Defer leaves events with the types of these values in the queue.
func Defer(events ...any) Rule { return each(deferred, events) }

// Ignore drops events with the types of these values.
func Ignore(events ...any) Rule { return each(ignored, events) }

// DeferAll leaves all events in the queue for which the state has no other rule, except [Halt].
func DeferAll() Rule { return func(s *state) { s.deferAll = true } }

// Null runs if no event of the queue can be taken. It may go to the named states.
func Null[M any](f func(*M, *Ctx), to ...State) Rule {
	return once(func(s *state) **action { return &s.null }, "Null", without(f, to))
}

// Entry runs when the state is entered. It may go to the named states.
func Entry[M any](f func(*M, *Ctx), to ...State) Rule {
	return once(func(s *state) **action { return &s.entry }, "entry", without(f, to))
}

// EntryWith is an entry action that takes the value with which the state is entered: the event, or the payload of
// [Ctx.GotoWith] or [New]. Without one, as in the start state of a machine added with [System.Add], it gets the zero P.
func EntryWith[M, P any](f func(*M, *Ctx, P), to ...State) Rule {
	a := &action{vars: reflect.TypeFor[M](), arg: reflect.TypeFor[P](), code: f, targets: to}
	a.run = func(m any, x *Ctx, arg any) {
		p, ok := arg.(P)
		if !ok && arg != nil {
			x.fail(rulesProperty, "%s enters state %s with a %T, which takes a %v", x.name(), x.m.State(), arg, a.arg)
		}
		f(m.(*M), x, p)
	}
	return once(func(s *state) **action { return &s.entry }, "entry", a)
}

// Exit runs when the state is left. It cannot transfer control.
func Exit[M any](f func(*M, *Ctx)) Rule {
	act := without(f, nil)
	act.stays = "an exit action"
	return once(func(s *state) **action { return &s.exit }, "exit", act)
}

// Hot marks a state of a monitor with an open obligation, as in P: a fair run that visits it infinitely often and a
// [Cold] one only finitely often is a violation. It has no meaning for machines.
func Hot(s *state) { s.hot = true }

// Cold marks a state of a monitor without open obligations, see [Hot].
func Cold(s *state) { s.cold = true }

func taking[M, E any](f func(*M, *Ctx, E), to []State) *action {
	return &action{vars: reflect.TypeFor[M](), code: f, targets: to,
		run: func(m any, x *Ctx, ev any) { f(m.(*M), x, ev.(E)) }}
}

func without[M any](f func(*M, *Ctx), to []State) *action {
	return &action{vars: reflect.TypeFor[M](), code: f, targets: to,
		run: func(m any, x *Ctx, _ any) { f(m.(*M), x) }}
}

func once(at func(*state) **action, name string, a *action) Rule {
	return func(s *state) {
		if *at(s) != nil {
			s.problems = append(s.problems, "it has two actions for "+name)
		}
		*at(s) = a
	}
}

func each(w reaction, events []any) Rule {
	return func(s *state) {
		for _, e := range events {
			add(rule{event: reflect.TypeOf(e), reaction: w})(s)
		}
	}
}

func add(r rule) Rule {
	return func(s *state) {
		switch t := sentType(r.event); {
		case t == nil || t.Kind() == reflect.Interface:
			s.problems = append(s.problems, "a rule is for no type of events; events are values of struct types")
			return
		case t.Kind() == reflect.Pointer:
			s.problems = append(s.problems, fmt.Sprintf("there is a rule for %v, a pointer; events are values of struct types", r.event))
			return
		case s.rule(r.event) != nil:
			s.problems = append(s.problems, fmt.Sprintf("there are two rules for %v", r.event))
		}
		s.rules = append(s.rules, r)
	}
}

// sentType returns the type of the sent event for a Sent, and event itself otherwise.
func sentType(event reflect.Type) reflect.Type {
	if event != nil && event.Kind() == reflect.Struct {
		if m, ok := reflect.Zero(event).Interface().(sender); ok {
			return m.event()
		}
	}
	return event
}

// maker returns the name of the function that makes a rule with the action.
func (k *Kind) maker(a *action) string {
	for _, s := range k.states {
		switch {
		case a == s.null:
			return "Null"
		case a == s.entry && a.arg != nil:
			return "EntryWith"
		case a == s.entry:
			return "Entry"
		}
	}
	return "On"
}

// rule returns the state's own rule for a type of events, or nil.
func (s *state) rule(event reflect.Type) *rule {
	for i := range s.rules {
		if s.rules[i].event == event {
			return &s.rules[i]
		}
	}
	return nil
}

func (k *Kind) state(name State) *state {
	i := slices.IndexFunc(k.states, func(s *state) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return k.states[i]
}

// knows reports whether some state has a rule for a type of events.
func (k *Kind) knows(event reflect.Type) bool {
	return slices.ContainsFunc(k.states, func(s *state) bool { return s.rule(event) != nil })
}

// Events returns a zero value of each type of events for which the kinds have rules, and of each payload with which
// their machines are created, unless that is of an interface type. Real networks need them as samples.
func Events(kinds ...*Kind) []any {
	events := []any{Halt{}, create{}}
	add := func(t reflect.Type) {
		if !slices.ContainsFunc(events, func(e any) bool { return reflect.TypeOf(e) == t }) {
			events = append(events, reflect.Zero(t).Interface())
		}
	}
	for _, k := range kinds {
		if a := k.states[0].entry; a != nil && a.arg != nil && a.arg.Kind() != reflect.Interface {
			add(a.arg)
		}
		for _, s := range k.states {
			for _, r := range s.rules {
				add(r.event)
			}
		}
	}
	return events
}

// eventName returns the name of a type without packages.
func eventName(t reflect.Type) string {
	if t == nil {
		return "nil"
	}
	name := t.String()
	outer, inner, generic := strings.Cut(name, "[")
	outer = outer[strings.LastIndexByte(outer, '.')+1:]
	if !generic {
		return outer
	}
	return outer + "[" + inner[strings.LastIndexByte(inner, '.')+1:]
}

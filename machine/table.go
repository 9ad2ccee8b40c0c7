package machine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// ID names a machine. It is that of its node.
type ID = sim.NodeID

// None is the ID of no machine. The zero value of an ID is that of the first one.
const None ID = -1

// State is the name of a state.
type State string

// Kind is a type of machines: a table of states. It is made once, and holds nothing of any machine.
type Kind struct {
	name   string
	vars   reflect.Type // a struct M; variables are *M
	states []*state     // in the order of the table; the first is the start state

	function bool // see Deterministic
}

// Deterministic says that a machine of the kind is a function of the events that it takes, as one must be of which there are several
// copies that are to stay the same. Handlers that draw, set timers, create machines or ask for their environment are findings; a state
// with a Null, which is done whenever no event is there, is a panic. It returns k, and is called where k is defined.
func (k *Kind) Deterministic() *Kind {
	for _, s := range k.states {
		if s.null != nil {
			panic(fmt.Sprintf("machine %s: state %s has a Null, and the machine is to be a function of its events", k.name, s.name))
		}
	}
	k.function = true
	return k
}

// Name is what the kind was defined as.
func (k *Kind) Name() string { return k.name }

// StateDef is a state and its rules, see [In].
type StateDef struct {
	name  State
	rules []Rule
}

// Rule says what a state does. Rules are made by [On] and its like.
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

// what says what is done with an event.
type what uint8

const (
	handle what = iota
	goTo
	push
	deferred
	ignored
)

// rule is what a state does with events of one type.
type rule struct {
	event reflect.Type
	what  what
	to    State   // of goTo and push
	act   *action // nil: nothing
}

// action is a method, wherever it is used.
type action struct {
	run     func(m any, x *Ctx, arg any)
	code    any          // the function itself
	vars    reflect.Type // M
	arg     reflect.Type // of entry actions that take a payload
	targets []State      // states that it may go to
	stays   string       // why it may go nowhere; "": it may
}

// Define makes a kind of machines whose variables are an M. The first state is the one that machines start in. The name is
// shown to people, and part of states.
//
// A table is checked as a whole: two states or two rules for the same, rules for other variables than M, states that there
// are none of or that nothing leads to, entry actions that cannot take what they are given. Define panics with all that is
// wrong, since tables are variables of packages.
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

// In is a state with its rules.
func In(name State, rules ...Rule) StateDef { return StateDef{name, rules} }

// On has a handler do what is to be done with events of its type. It may go to, or push, the states named, and no others.
func On[M, E any](f func(*M, *Ctx, E), to ...State) Rule {
	return add(rule{event: reflect.TypeFor[E](), act: taking(f, to)})
}

// OnGoto has an event lead to another state, whose entry action may take it.
func OnGoto[E any](to State) Rule {
	return add(rule{event: reflect.TypeFor[E](), what: goTo, to: to})
}

// OnGotoWith is OnGoto with something to do on the way, between the exit action and the entry action. It cannot transfer
// control.
func OnGotoWith[M, E any](to State, f func(*M, *Ctx, E)) Rule {
	act := taking(f, nil)
	act.stays = "a rule that goes elsewhere already"
	return add(rule{event: reflect.TypeFor[E](), what: goTo, to: to, act: act})
}

// OnPush enters another state on top of this one, which goes on to handle what the upper one does not, until that pops.
func OnPush[E any](to State) Rule {
	return add(rule{event: reflect.TypeFor[E](), what: push, to: to})
}

// Defer leaves events of the types of these values in the queue.
func Defer(events ...any) Rule { return each(deferred, events) }

// Ignore drops events of the types of these values.
func Ignore(events ...any) Rule { return each(ignored, events) }

// DeferAll leaves all events in the queue that the state has no other rule for, but [Halt].
func DeferAll() Rule { return func(s *state) { s.deferAll = true } }

// Null is done when no event of the queue can be taken. It may go to the states named.
func Null[M any](f func(*M, *Ctx), to ...State) Rule {
	return once(func(s *state) **action { return &s.null }, "Null", without(f, to))
}

// Entry is done when the state is entered. It may go to the states named.
func Entry[M any](f func(*M, *Ctx), to ...State) Rule {
	return once(func(s *state) **action { return &s.entry }, "entry", without(f, to))
}

// EntryWith is an entry action that takes what the state is entered with: the event, or the payload of
// [Ctx.GotoWith] or [New]. With nothing, as in the start state of a machine that is there from the start, it is the zero P.
func EntryWith[M, P any](f func(*M, *Ctx, P), to ...State) Rule {
	a := &action{vars: reflect.TypeFor[M](), arg: reflect.TypeFor[P](), code: f, targets: to}
	a.run = func(m any, x *Ctx, arg any) {
		p, ok := arg.(P)
		if !ok && arg != nil {
			x.fail(RulesProperty, "%s enters state %s with a %T, which takes a %v", x.name(), x.m.State(), arg, a.arg)
		}
		f(m.(*M), x, p)
	}
	return once(func(s *state) **action { return &s.entry }, "entry", a)
}

// Exit is done when the state is left. It cannot transfer control.
func Exit[M any](f func(*M, *Ctx)) Rule {
	act := without(f, nil)
	act.stays = "an exit action"
	return once(func(s *state) **action { return &s.exit }, "exit", act)
}

// Hot marks a state of a monitor in which something is owed: a fair run that passes it again and again, and never again a
// [Cold] one, is a violation. Of machines it means nothing.
func Hot(s *state) { s.hot = true }

// Cold marks a state of a monitor in which nothing is owed, see [Hot].
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

func each(w what, events []any) Rule {
	return func(s *state) {
		for _, e := range events {
			add(rule{event: reflect.TypeOf(e), what: w})(s)
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

// sentType is the type of events that a rule is about: of a Sent, that of what is sent.
func sentType(event reflect.Type) reflect.Type {
	if event != nil && event.Kind() == reflect.Struct {
		if m, ok := reflect.Zero(event).Interface().(sender); ok {
			return m.event()
		}
	}
	return event
}

// maker is what makes a rule with an action that may go elsewhere.
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

// rule is the state's own rule for a type of events; nil: there is none.
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

// Events returns a zero value of each type of events that the kinds have rules for, and of what their machines are created
// with, unless that is of an interface type: samples for running them on a real network.
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

package machine

import (
	"fmt"
	"reflect"
)

// check returns all errors in the table.
func (k *Kind) check() (problems []string) {
	if len(k.states) == 0 {
		return []string{"it has no states"}
	}
	if k.vars.Kind() != reflect.Struct {
		problems = append(problems, fmt.Sprintf("its variables are of type %v, must be a struct", k.vars))
	}
	for i, s := range k.states {
		add := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("state %s: ", s.name)+fmt.Sprintf(format, args...))
		}
		for _, p := range s.problems {
			add("%s", p)
		}
		if s.name == "" {
			add("it has no name")
		}
		if s.hot && s.cold {
			add("it is hot and cold")
		}
		if k.state(s.name) != k.states[i] {
			add("it occurs twice")
		}
		for a, name := range s.actions() {
			if reflect.ValueOf(a.code).IsNil() {
				add("the action for %s is nil", name)
			}
			if a.vars != k.vars {
				add("the action for %s is for %v, not %v", name, a.vars, k.vars)
			}
		}
		for e := range s.edges() {
			to := k.state(e.to)
			switch {
			case e.to == "":
				add("%s leads to a state without a name", e.label)
			case to == nil:
				add("%s leads to the unknown state %s", e.label, e.to)
			case e.event != nil && to.entry != nil && to.entry.arg != nil && !e.event.AssignableTo(to.entry.arg):
				add("%s leads to state %s with an entry action for %v", e.label, e.to, to.entry.arg)
			}
		}
	}
	if len(problems) == 0 {
		for _, s := range k.unreachable() {
			problems = append(problems, fmt.Sprintf("state %s is unreachable", s))
		}
	}
	return problems
}

// actions yields all actions of the state with their roles.
func (s *state) actions() func(yield func(*action, string) bool) {
	return func(yield func(*action, string) bool) {
		for _, f := range []struct {
			a    *action
			name string
		}{{s.entry, "entry"}, {s.exit, "exit"}, {s.null, "Null"}} {
			if f.a != nil && !yield(f.a, f.name) {
				return
			}
		}
		for _, r := range s.rules {
			if r.act != nil && !yield(r.act, eventName(r.event)) {
				return
			}
		}
	}
}

// edge is a transition from one state to another.
type edge struct {
	to    State
	label string
	event reflect.Type // the state is entered with it; nil if unknown
	push  bool
}

// edges yields all transitions out of the state, in the order of the table.
func (s *state) edges() func(yield func(edge) bool) {
	return func(yield func(edge) bool) {
		for a, name := range s.actions() {
			for _, to := range a.targets {
				if !yield(edge{to: to, label: name}) {
					return
				}
			}
		}
		for _, r := range s.rules {
			if (r.reaction == goTo || r.reaction == push) && !yield(edge{r.to, eventName(r.event), r.event, r.reaction == push}) {
				return
			}
		}
	}
}

// unreachable returns the states that no rules lead to from the start state.
func (k *Kind) unreachable() (names []State) {
	seen := map[State]bool{k.states[0].name: true}
	for todo := []*state{k.states[0]}; len(todo) > 0; todo = todo[1:] {
		for e := range todo[0].edges() {
			if !seen[e.to] {
				seen[e.to] = true
				todo = append(todo, k.state(e.to))
			}
		}
	}
	for _, s := range k.states {
		if !seen[s.name] {
			names = append(names, s.name)
		}
	}
	return names
}

package machine_test

import (
	"fmt"
	"slices"
	"sort"

	"github.com/macemc/macemc/netsim"
)

// The interpreter executes programs according to the package's documentation, on plain values, without using the
// package. It is the reference for comparisons.

// thing is one machine; kind -1 is a place of the pool.
type thing struct {
	kind    int
	x, fuel int
	stack   []int
	halted  bool
	queue   []int
	made    int
}

type letter struct{ from, to, ev int }

// newborn is the number of the event that creates a machine.
const newborn = -1

// all is a global state.
type all struct {
	things []thing
	there  []letter   // by time of arrival
	yet    [][]letter // by sender: to be sent
}

func (a *all) clone() *all {
	c := &all{there: slices.Clone(a.there)}
	for _, m := range a.things {
		m.stack, m.queue = slices.Clone(m.stack), slices.Clone(m.queue)
		c.things = append(c.things, m)
	}
	for _, y := range a.yet {
		c.yet = append(c.yet, slices.Clone(y))
	}
	return c
}

// text returns a text that identifies the state.
func (a *all) text(order netsim.Order) string {
	there := slices.Clone(a.there)
	sort.SliceStable(there, func(i, j int) bool {
		l, m := there[i], there[j]
		switch {
		case l.to != m.to:
			return l.to < m.to
		case order == netsim.Arrival:
			return false
		case l.from != m.from:
			return l.from < m.from
		}
		return order == netsim.Any && l.ev < m.ev
	})
	return fmt.Sprint(a.things, there, a.yet)
}

// failure ends a step.
type failure string

// interpreter executes steps. The flaw is a planted defect that the comparison must detect.
type interpreter struct {
	p     *program
	flaw  string
	s     *all
	me    int
	picks []int // answers to give
	asked []int // arities of the questions so far
	steps int
}

func (n *interpreter) machine() *thing { return &n.s.things[n.me] }

func (n *interpreter) table() []stateOf { return n.p.kinds[n.machine().kind] }

// lookup returns the rule for an event: the state that has it, and its position in the stack.
func (n *interpreter) lookup(ev int) (r ruleOf, level int) {
	m := n.machine()
	for level := len(m.stack) - 1; level >= 0; level-- {
		s := n.table()[m.stack[level]]
		if s.rules[ev].what != none {
			return s.rules[ev], level
		}
		if s.deferAll {
			return ruleOf{what: defers}, level
		}
	}
	return ruleOf{what: none}, -1
}

// takeable returns the index of the event that would be taken.
func (n *interpreter) takeable() int {
	m := n.machine()
	if m.halted || m.kind < 0 {
		return -1
	}
	for i, ev := range m.queue {
		if r, _ := n.lookup(ev); r.what != defers && r.what != ignores {
			return i
		}
	}
	return -1
}

func (n *interpreter) hasNull() (int, bool) {
	m := n.machine()
	if m.halted || m.kind < 0 {
		return 0, false
	}
	for level := len(m.stack) - 1; level >= 0; level-- {
		if n.table()[m.stack[level]].null != nil {
			return m.stack[level], true
		}
	}
	return 0, false
}

// act executes a body. It reports whether control was transferred.
func (n *interpreter) act(b *body, mayTransfer bool) {
	if b == nil {
		return
	}
	m := n.machine()
	for _, o := range b.ops {
		switch o.what {
		case draw:
			if m.fuel > 0 {
				m.fuel--
				m.x = (m.x + n.ask(2)) % mod
			}
		case add:
			m.x = (m.x + 1 + o.ev) % mod
		case send:
			if m.fuel > 0 {
				m.fuel--
				n.send(o.to, o.ev)
			}
		case create:
			if m.fuel > 0 && n.me == 0 {
				m.fuel--
				if m.made == n.p.pool {
					panic(failure("pool"))
				}
				m.made++
				n.post(1+m.made, newborn)
			}
		}
	}
	if b.last == stays || m.x != b.when {
		return
	}
	if !mayTransfer {
		panic(failure("transfer"))
	}
	n.transfer(b.last, b.to)
}

func (n *interpreter) ask(arity int) int {
	n.asked = append(n.asked, arity)
	if k := len(n.asked); k <= len(n.picks) {
		return n.picks[k-1]
	}
	return 0
}

func (n *interpreter) send(to, ev int) {
	if to == n.me && n.p.order != netsim.Arrival {
		n.machine().queue = append(n.machine().queue, ev)
		return
	}
	n.post(to, ev)
}

func (n *interpreter) post(to, ev int) {
	l := letter{n.me, to, ev}
	if n.p.order == netsim.Arrival {
		n.s.yet[n.me] = append(n.s.yet[n.me], l)
	} else {
		n.s.there = append(n.s.there, l)
	}
}

func (n *interpreter) enter(state int, pushed bool) {
	m := n.machine()
	if !pushed {
		m.stack = m.stack[:len(m.stack)-1]
	}
	m.stack = append(m.stack, state)
	n.act(n.table()[state].entry, true)
}

func (n *interpreter) leave() {
	m := n.machine()
	n.act(n.table()[m.stack[len(m.stack)-1]].exit, false)
}

// transfer must be the last operation of an action, so that consequences are executed at once.
func (n *interpreter) transfer(what transferKind, to int) {
	if n.steps++; n.steps > 1000 {
		panic(failure("divergence"))
	}
	m := n.machine()
	switch what {
	case gotoes:
		n.leave()
		n.enter(to, false)
	case pushesTo:
		n.enter(to, true)
	case pops:
		if len(m.stack) == 1 {
			panic(failure("pop"))
		}
		if n.flaw != "pop without exit" {
			n.leave()
		}
		m.stack = m.stack[:len(m.stack)-1]
	case raises:
		switch r, _ := n.lookup(to); r.what {
		case ignores:
		case defers:
			m.queue = append(m.queue, to)
		default:
			n.dispatch(to)
		}
	case halts:
		*m = thing{kind: m.kind, halted: true, made: m.made}
	}
}

func (n *interpreter) dispatch(ev int) {
	m := n.machine()
	r, level := n.lookup(ev)
	switch r.what {
	case none:
		panic(failure("unhandled"))
	case handles:
		n.act(&r.body, true)
	case pushes:
		n.enter(r.to, true)
	case goes, goesWith:
		for n.flaw != "no implicit pop" && len(m.stack)-1 > level {
			n.leave()
			m.stack = m.stack[:len(m.stack)-1]
		}
		n.leave()
		if r.what == goesWith {
			n.act(&r.body, false)
		}
		n.enter(r.to, false)
	}
}

// take takes the event at an index of the queue.
func (n *interpreter) take(i int) {
	m := n.machine()
	ev := m.queue[i]
	m.queue = slices.Delete(m.queue, i, i+1)
	n.dispatch(ev)
}

// rest drops ignored events that the next take would drop.
func (n *interpreter) rest() {
	m := n.machine()
	if m.halted {
		m.queue = nil
	}
	if m.halted || m.kind < 0 {
		return
	}
	for i := 0; i < len(m.queue); {
		r, _ := n.lookup(m.queue[i])
		switch {
		case r.what == ignores:
			m.queue = slices.Delete(m.queue, i, i+1)
		case r.what == defers || n.flaw == "ignored behind others":
			i++
		default:
			return
		}
	}
}

func (n *interpreter) deliver(ev int) {
	m := n.machine()
	switch {
	case ev == newborn:
		m.kind = 0
		m.stack = []int{0}
		n.act(n.table()[0].entry, true)
	case m.halted:
		return
	case m.kind < 0:
		m.queue = append(m.queue, ev)
	default:
		waits := n.takeable() >= 0 && n.flaw != "two at once"
		m.queue = append(m.queue, ev)
		if !waits {
			if i := n.takeable(); i >= 0 {
				n.take(i)
			}
		}
	}
	n.rest()
}

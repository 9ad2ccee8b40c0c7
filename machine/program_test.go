package machine_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
)

// program is a random set of machines, as data. Machines 0 and 1 exist from the start; the places from 2 on are machine
// 0's pool, for machines of kind 0.
type program struct {
	order netsim.Order
	kinds [2][]stateOf
	pool  int
	fuel  int // maximum number of sends, creations and draws of a machine
}

type stateOf struct {
	rules             [events]ruleOf
	entry, exit, null *body
	deferAll          bool
}

type ruleOf struct {
	what ruleKind
	to   int
	body body
}

type ruleKind int

const (
	none ruleKind = iota
	handles
	goes
	goesWith
	pushes
	defers
	ignores
)

// mix is the distribution of rules: pushes and gaps are more frequent than in real programs.
var mix = []ruleKind{none, none, handles, handles, goes, goesWith, pushes, pushes, defers, ignores}

// body is the behavior of an action: some operations, then a transfer, if X is When.
type body struct {
	ops  []op
	last transferKind
	when int
	to   int // state, or event of raise
}

type op struct {
	what opKind
	to   int // machine
	ev   int
}

type opKind int

const (
	send opKind = iota
	draw
	add
	create
)

type transferKind int

const (
	stays transferKind = iota
	gotoes
	pushesTo
	pops
	raises
	halts
)

const (
	events = 3
	mod    = 3 // of X
)

// newProgram draws a program uniformly: draws that favor small numbers make programs that do almost nothing.
func newProgram(seed uint64) *program {
	rnd := rand.New(rand.NewPCG(seed, 1))
	number := func(most int) int { return rnd.IntN(most + 1) }
	p := &program{order: netsim.Order(number(2)), pool: 1, fuel: 2 + number(1)}
	for k := range p.kinds {
		states := 2 + number(1)
		drawBody := func(transfers bool) body {
			b := body{when: number(mod - 1)}
			for range number(2) {
				b.ops = append(b.ops, op{opKind(number(int(create))), number(1 + p.pool), number(events - 1)})
			}
			if transfers {
				b.last = transferKind(number(int(halts)))
				if b.to = number(states - 1); b.last == raises {
					b.to = number(events - 1)
				}
			}
			return b
		}
		some := func(chance int, transfers bool) *body {
			if number(9) >= chance {
				return nil
			}
			b := drawBody(transfers)
			return &b
		}
		for i := range states {
			s := stateOf{entry: some(4, true), exit: some(6, false), null: some(1, true), deferAll: number(19) == 0}
			for e := range s.rules {
				s.rules[e] = ruleOf{what: mix[number(len(mix)-1)], to: number(states - 1)}
				s.rules[e].body = drawBody(s.rules[e].what == handles)
			}
			if i == 0 {
				s.rules[0].what = handles // which may go anywhere, so that all states are reachable
				b := drawBody(false)
				b.ops = append(b.ops, op{send, number(1), number(events - 1)})
				s.entry = &b
			}
			p.kinds[k] = append(p.kinds[k], s)
		}
	}
	return p
}

// vars are the variables of the machines.
type vars struct{ X, Fuel int }

type (
	e0 struct{}
	e1 struct{}
	e2 struct{}
)

var eventValues = [events]any{e0{}, e1{}, e2{}}

func name(state int) machine.State { return machine.State(fmt.Sprint("s", state)) }

// system converts the program to a system of the package.
func (p *program) system() *machine.System {
	ms := &machine.System{Queues: netsim.Queues{Order: p.order}}
	var kinds [2]*machine.Kind
	for k := range kinds {
		var states []machine.StateDef
		var all []machine.State
		for i := range p.kinds[k] {
			all = append(all, name(i))
		}
		for i, s := range p.kinds[k] {
			var rules []machine.Rule
			action := func(b *body) func(*vars, *machine.Ctx) {
				return func(v *vars, x *machine.Ctx) { p.do(b, v, x) }
			}
			if s.entry != nil {
				rules = append(rules, machine.Entry(action(s.entry), all...))
			}
			if s.exit != nil {
				rules = append(rules, machine.Exit(action(s.exit)))
			}
			if s.null != nil {
				rules = append(rules, machine.Null(action(s.null), all...))
			}
			if s.deferAll {
				rules = append(rules, machine.DeferAll())
			}
			rules = append(rules, ruleFor[e0](p, &s.rules[0], all)...)
			rules = append(rules, ruleFor[e1](p, &s.rules[1], all)...)
			rules = append(rules, ruleFor[e2](p, &s.rules[2], all)...)
			states = append(states, machine.In(name(i), rules...))
		}
		kinds[k] = machine.Define[vars](fmt.Sprint("kind", k), states...)
	}
	ms.Add(kinds[0], vars{Fuel: p.fuel})
	ms.Add(kinds[1], vars{Fuel: p.fuel})
	ms.Pool(0, p.pool, kinds[0])
	return ms
}

func ruleFor[E any](p *program, r *ruleOf, all []machine.State) []machine.Rule {
	handler := func(v *vars, x *machine.Ctx, _ E) { p.do(&r.body, v, x) }
	var e E
	switch r.what {
	case handles:
		return []machine.Rule{machine.On(handler, all...)}
	case goes:
		return []machine.Rule{machine.OnGoto[E](name(r.to))}
	case goesWith:
		return []machine.Rule{machine.OnGotoWith(name(r.to), handler)}
	case pushes:
		return []machine.Rule{machine.OnPush[E](name(r.to))}
	case defers:
		return []machine.Rule{machine.Defer(e)}
	case ignores:
		return []machine.Rule{machine.Ignore(e)}
	}
	return nil
}

// do executes a body on a machine.
func (p *program) do(b *body, v *vars, x *machine.Ctx) {
	for _, o := range b.ops {
		switch {
		case o.what == add:
			v.X = (v.X + 1 + o.ev) % mod
		case v.Fuel == 0:
		case o.what == draw:
			v.Fuel--
			v.X = (v.X + x.Choose("draw", 2)) % mod
		case o.what == send:
			v.Fuel--
			x.Send(machine.ID(o.to), eventValues[o.ev])
		case o.what == create && x.Self() == 0:
			v.Fuel--
			machine.New[vars](x, nil)
		}
	}
	if v.X != b.when {
		return
	}
	switch b.last {
	case gotoes:
		x.Goto(name(b.to))
	case pushesTo:
		x.Push(name(b.to))
	case pops:
		x.Pop()
	case raises:
		x.Raise(eventValues[b.to])
	case halts:
		x.Halt()
	}
}

package machine_test

import (
	"slices"

	"github.com/macemc/macemc/netsim"
)

// events returns the enabled steps: functions that change a copy of the state.
func (n *interpreter) events(s *all) (steps []func(*interpreter)) {
	for me := range s.things {
		if len(s.yet[me]) > 0 {
			steps = append(steps, func(n *interpreter) {
				n.s.there = append(n.s.there, n.s.yet[me][0])
				n.s.yet[me] = n.s.yet[me][1:]
			})
			continue
		}
		n.s, n.me = s, me
		_, null := n.hasNull()
		if first := n.takeable(); first >= 0 && !(null && n.flaw == "null too early") {
			steps = append(steps, func(n *interpreter) { n.me = me; n.take(first); n.rest() })
		} else if null {
			steps = append(steps, func(n *interpreter) {
				n.me = me
				at, _ := n.hasNull()
				n.act(n.table()[at].null, true)
				n.rest()
			})
		}
		for i, l := range s.there {
			ahead := slices.ContainsFunc(s.there[:i], func(k letter) bool {
				switch n.p.order {
				case netsim.Arrival:
					return k.to == l.to
				case netsim.PerPair:
					return k.to == l.to && k.from == l.from
				}
				return k == l
			})
			if l.to == me && !ahead {
				steps = append(steps, func(n *interpreter) {
					n.me = me
					n.s.there = slices.Delete(n.s.there, i, i+1)
					n.deliver(l.ev)
				})
			}
		}
	}
	return steps
}

// attempt executes a step with some answers. It returns the choices, and how the step failed.
func (n *interpreter) attempt(s *all, picks []int, step func(*interpreter)) (after *all, asked []int, failed string) {
	n.s, n.picks, n.asked, n.steps = s.clone(), picks, nil, 0
	defer func() {
		if f, ok := recover().(failure); ok {
			failed = string(f)
		}
		after, asked = n.s, n.asked
	}()
	step(n)
	return
}

// each executes a step with all answers.
func (n *interpreter) each(s *all, step func(*interpreter), f func(after *all, failed string)) {
	for picks := []int{}; ; {
		after, asked, failed := n.attempt(s, picks, step)
		f(after, failed)
		for len(picks) < len(asked) {
			picks = append(picks, 0)
		}
		picks = picks[:len(asked)]
		for len(picks) > 0 && picks[len(picks)-1] == asked[len(picks)-1]-1 {
			picks = picks[:len(picks)-1]
		}
		if len(picks) == 0 {
			return
		}
		picks[len(picks)-1]++
	}
}

// interpret explores a program. It returns the numbers of states and transitions, and the possible failures. It gives
// up after most states.
func interpret(p *program, flaw string, most int) (states, transitions int, failures []string, ok bool) {
	n := &interpreter{p: p, flaw: flaw}
	first := &all{things: []thing{{kind: 0, fuel: p.fuel}, {kind: 1, fuel: p.fuel}}, yet: make([][]letter, 2+p.pool)}
	for range p.pool {
		first.things = append(first.things, thing{kind: -1})
	}
	fails := map[string]bool{}
	seen := map[string]bool{}
	var todo []*all
	found := func(s *all, failed string) {
		if failed != "" {
			fails[failed] = true
		} else if text := s.text(p.order); !seen[text] {
			seen[text] = true
			todo = append(todo, s)
		}
	}
	boot := func(s *all, me int, then func(*all, string)) {
		n.each(s, func(n *interpreter) {
			n.me = me
			n.machine().stack = []int{0}
			n.act(n.table()[0].entry, true)
			n.rest()
		}, then)
	}
	boot(first, 0, func(s *all, failed string) {
		if failed != "" {
			found(s, failed)
			return
		}
		boot(s, 1, found)
	})
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		for _, step := range n.events(s) {
			n.each(s, step, func(after *all, failed string) {
				transitions++
				found(after, failed)
			})
		}
		if len(seen) > most {
			return 0, 0, nil, false
		}
	}
	for f := range fails {
		failures = append(failures, f)
	}
	slices.Sort(failures)
	return len(seen), transitions, failures, true
}

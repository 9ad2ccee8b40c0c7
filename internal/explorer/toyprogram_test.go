package explorer

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
)

// toyOp is an operation of a toy program on an object: a counter or a lock.
type toyOp struct {
	kind byte // '+', '?' reads, 'L', 'U', 'S' takes one of two cases, 'P' panics, 'R' draws whether the next operation is left out, 'Y' yields
	obj  int
}

// toyProgram has a list of operations for each goroutine.
type toyProgram [][]toyOp

// toyState is the state of a run of a toy program.
type toyState struct {
	at     [4]int
	vars   [2]int
	owner  [2]int // goroutine+1
	queues [2]string
	seen   [4]string
	seed   uint64 // of what goroutines draw
	draws  [4]int
	yields [4]bool // the last operation was 'Y'
}

// runnable returns the goroutines that can continue, starting with the one that runs.
func (p toyProgram) runnable(s *toyState, current int) (list []int) {
	if current >= 0 {
		list = append(list, current)
	}
	for i, ops := range p {
		if i != current && s.at[i] < len(ops) && !strings.ContainsRune(s.queues[0]+s.queues[1], rune('0'+i)) {
			list = append(list, i)
		}
	}
	return list
}

// step executes the next operation of a goroutine, and reports whether the goroutine can continue. A woken goroutine tries its lock again.
func (p toyProgram) step(s *toyState, i, pick int) bool {
	o := p[i][s.at[i]]
	s.yields[i] = o.kind == 'Y'
	switch o.kind {
	case '+':
		s.vars[o.obj]++
	case '?':
		s.seen[i] += fmt.Sprint(s.vars[o.obj], ",")
	case 'S':
		s.seen[i] += fmt.Sprint("case", pick, ",")
	case 'R':
		s.draws[i]++
		if testsched.Mix(s.seed^uint64(i)<<8^uint64(s.draws[i]))%2 == 0 {
			s.seen[i] += "drawn,"
			s.at[i] = min(s.at[i]+1, len(p[i])-1)
		}
	case 'L':
		if s.owner[o.obj] != 0 {
			s.queues[o.obj] += string(rune('0' + i))
			return false
		}
		s.owner[o.obj] = i + 1
	case 'P':
		s.seen[i] += "panic"
		for k := range p {
			s.at[k] = len(p[k])
		}
		return false
	case 'U':
		s.owner[o.obj] = 0
		if q := s.queues[o.obj]; q != "" {
			s.queues[o.obj] = q[1:]
		}
	}
	s.at[i]++
	return s.at[i] < len(p[i]) && !s.yields[i]
}

// end describes the state of a run that has ended.
func (p toyProgram) end(s *toyState) string {
	text := strings.Join(s.seen[:], "|")
	for i := range p {
		if s.at[i] < len(p[i]) {
			text += " deadlock"
		}
	}
	return text
}

// bruteForce adds the ends of all runs with at most that many preemptions to ends, and returns the number of runs.
func (p toyProgram) bruteForce(s toyState, current, preemptions int, ends map[string]bool) (runs int) {
	list := p.runnable(&s, current)
	if len(list) == 0 {
		ends[p.end(&s)] = true
		return 1
	}
	for k, i := range list {
		left := preemptions
		if k > 0 && (current >= 0 || s.yields[i]) {
			if left--; left < 0 {
				continue
			}
		}
		picks := 1
		if p[i][s.at[i]].kind == 'S' {
			picks = 2
		}
		for pick := range picks {
			t, next := s, i
			if !p.step(&t, i, pick) {
				next = -1
			}
			runs += p.bruteForce(t, next, left, ends)
		}
	}
	return runs
}

// toyRuntime executes toy programs as the changed runtime executes tests. mutation plants a defect.
type toyRuntime struct {
	p        toyProgram
	mutation string
	ends     map[string]bool // of systematic runs
}

func (r *toyRuntime) run(sch *testsched.Schedule) *testsched.Outcome {
	o, s, current := &testsched.Outcome{Choices: 1}, toyState{seed: sch.Seed}, -1
	plan := sch.Plan
	if plan == nil {
		plan = &testsched.Plan{}
	}
	asleep := slices.Clone(plan.Asleep)
	decide := func(kind uint32, options []testsched.Option) int {
		if len(options) == 1 && !plan.Reduce {
			return 0
		}
		n, k := len(o.Decisions), 0
		switch {
		case sch.Policy != testsched.Systematic:
			k = int(testsched.Mix(sch.Walk^uint64(n)) % uint64(len(options)))
		case n < len(plan.Taken):
			k = int(plan.Taken[n])
		case kind != testsched.AtSelect:
			for k < len(options) && slices.Contains(asleep, options[k].Who) {
				k++
			}
			if k == len(options) {
				k, o.Cut = 0, true
			}
			asleep = slices.DeleteFunc(asleep, func(who uint64) bool {
				return !slices.ContainsFunc(options, func(x testsched.Option) bool {
					return x.Who == who && systematic.Independent(x.Mask,
						options[k].Mask)
				})
			})
		}
		o.Decisions = append(o.Decisions, testsched.Decision{Kind: kind, Taken: uint32(k), Options: options})
		return k
	}
	for {
		list := r.p.runnable(&s, current)
		if len(list) == 0 {
			if sch.Policy == testsched.Systematic {
				r.ends[r.p.end(&s)] = true
			}
			return o
		}
		var options []testsched.Option
		for _, i := range list {
			next := r.p[i][s.at[i]]
			mask := uint64(1) << next.obj
			if next.kind == 'L' || next.kind == 'U' {
				mask <<= 2
			}
			if next.kind == 'S' || next.kind == 'R' || next.kind == 'Y' || r.mutation == "masks" && next.kind == '+' {
				mask = 0
			}
			options = append(options, testsched.Option{Who: uint64(i)<<3 | 4, Mask: mask,
				Yielded: s.yields[i] && r.mutation != "yields"})
		}
		kind := uint32(testsched.AtEnd)
		if current >= 0 && r.mutation != "preemptions" {
			kind = testsched.AtPoint
		}
		k := 0
		if r.mutation != "points" || current < 0 || r.p[current][s.at[current]].kind != '?' {
			k = decide(kind, options)
		}
		if o.Cut {
			return o
		}
		pick := 0
		switch current = list[k]; r.p[current][s.at[current]].kind {
		case 'S':
			pick = decide(testsched.AtSelect, []testsched.Option{{Who: 0}, {Who: 1}})
		case 'R':
			o.Sampled = testsched.SampledNumbers
		}
		if !r.p.step(&s, current, pick) {
			current = -1
		}
	}
}

func drawToy(t *rapid.T) (p toyProgram) {
	for range rapid.IntRange(2, 3).Draw(t, "goroutines") {
		var ops []toyOp
		held := -1
		for range rapid.IntRange(1, 3).Draw(t, "operations") {
			o := toyOp{rapid.SampledFrom([]byte("++??LSRY")).Draw(t, "kind"), rapid.IntRange(0, 1).Draw(t, "object")}
			if o.kind == 'L' && held >= 0 {
				o = toyOp{'U', held}
				held = -1
			} else if o.kind == 'L' {
				held = o.obj
			}
			ops = append(ops, o)
		}
		if held >= 0 {
			ops = append(ops, toyOp{'U', held})
		}
		p = append(p, ops)
	}
	return p
}

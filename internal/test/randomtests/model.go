package randomtests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// state is a state of a program. Slices in it are never changed.
type state struct {
	threads
	locks
	channels  [channels]channel
	atomics   [2]int
	count     int // of the wait group
	canceling int // who cancels the parent context, and 1
	once      bool
	stored    int // in the map
	signal    bool
	values    [2]int
	order     order
	panicked  bool
}

// threads are the goroutines of a state.
type threads struct {
	at      [4]int // next operation
	phase   [4]int // of an operation with several steps
	parked  [4]bool
	due     [4]int // the instant at which a timer wakes the goroutine; 0: none
	instant int
	results [4]string
}

// maxStates bounds the states of a program: others are not used.
const maxStates = 30000

// Ends are what the runs of a program can lead to.
type Ends struct {
	Results  map[string]bool // of runs in which the test function returns
	Findings map[string]bool // DEADLOCK, LEAK, PANIC, FAILED TEST, DATA RACE
	Passes   bool            // a run has no finding
}

// Ends enumerates the runs of the program in which time passes while all goroutines wait.
func (p *Program) Ends() Ends {
	e, _ := p.ends(false)
	return e
}

// DelayedEnds enumerates the runs of the program in which time passes at any point. ok is false if they are too many.
func (p *Program) DelayedEnds() (e Ends, ok bool) { return p.ends(true) }

func sorted(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// ends enumerates the runs of the program. delayed means that time passes at any point.
func (p *Program) ends(delayed bool) (e Ends, ok bool) {
	e = Ends{Results: map[string]bool{}, Findings: map[string]bool{}}
	visited := map[string]bool{}
	start := state{count: p.dones}
	for g := range p.goroutines {
		start.order.now[g][g] = 1
	}
	ordered := p.ordered()
	work := []state{start}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if !ordered {
			s.order = order{}
		}
		key := fmt.Sprint(s)
		if visited[key] {
			continue
		}
		if visited[key] = true; len(visited) > maxStates {
			return e, false
		}
		next := p.successors(&s)
		if delayed {
			next = append(next, p.expired(&s)...)
		}
		if !s.panicked && (delayed || len(next) == 0) && slices.Max(s.due[:]) > s.instant {
			later := s
			later.instant++
			next = append(next, later)
		}
		work = append(work, next...)
		p.end(&s, &e, len(next) == 0)
	}
	return e, true
}

// expired returns the states after a select whose goroutine was delayed between the start of its timer and the select.
func (p *Program) expired(s *state) (next []state) {
	for g, ops := range p.goroutines {
		if s.panicked || s.parked[g] || s.at[g] == len(ops) || ops[s.at[g]].kind != choose {
			continue
		}
		for i, a := range ops[s.at[g]].arms {
			if a.channel < 0 {
				t := *s
				t.finish(g, 5*i)
				next = append(next, t)
			}
		}
	}
	return next
}

// ordered reports whether the program can have a data race.
func (p *Program) ordered() bool {
	for _, ops := range p.goroutines {
		for _, o := range ops {
			if o.kind == write || o.kind == closing {
				return true
			}
		}
	}
	return false
}

// end adds how a run ends whose last state is s if final.
func (p *Program) end(s *state, e *Ends, final bool) {
	left := len(p.goroutines)
	if p.loose {
		left--
	}
	returned, all := true, true
	for g, ops := range p.goroutines {
		all = all && s.at[g] == len(ops)
		returned = returned && (g >= left || s.at[g] == len(ops))
	}
	result := strings.Join(s.results[:left], "|")
	if returned {
		e.Results[result] = true
	}
	if !final {
		return
	}
	found := ""
	switch {
	case s.panicked:
		found = "PANIC"
	case !returned:
		found = "DEADLOCK"
	case !all:
		found = "LEAK"
	}
	if returned && p.want != "" && result == p.want {
		e.Findings["FAILED TEST"] = true
	} else if found == "" && !s.order.raced {
		e.Passes = true
	}
	if found != "" {
		e.Findings[found] = true
	}
	if s.order.raced {
		e.Findings["DATA RACE"] = true
	}
}

// finish completes the operation of a goroutine.
func (s *state) finish(g, result int) {
	s.at[g]++
	s.phase[g], s.parked[g] = 0, false
	s.results[g] += string(rune('a' + result))
}

// successors returns the states after one step of a goroutine, a timer or the delivery of a signal.
func (p *Program) successors(s *state) []state {
	if s.panicked {
		return nil
	}
	var next []state
	for g, ops := range p.goroutines {
		if s.at[g] == len(ops) {
			continue
		}
		o := ops[s.at[g]]
		arms := o.arms
		if o.kind == sleep {
			arms = []arm{{channel: -1}}
		}
		for i, a := range arms {
			if s.due[g] > 0 && s.due[g] <= s.instant && a.channel < 0 {
				t := *s
				t.leave(g)
				t.finish(g, 5*i)
				next = append(next, t)
			}
		}
		if s.parked[g] {
			continue
		}
		if o.kind == send || o.kind == receive || o.kind == choose {
			next = append(next, s.exchange(g, o)...)
		} else if t := *s; t.step(g, o) {
			next = append(next, t)
		}
	}
	if s.signal {
		t := *s
		t.signal = false
		if a := (arm{signals, true}); t.ready(a) {
			if c := &t.channels[signals]; len(c.receivers) > 0 {
				t.received(c.receivers[0].goroutine, c.receivers[0].arm, 3)
			} else {
				c.buffer = []value{{2}}
			}
		}
		next = append(next, t)
	}
	return next
}

// exchange returns the states after an operation of a channel has begun.
func (s *state) exchange(g int, o op) []state {
	var next []state
	arms := o.cases()
	begun := *s
	if o.kind == send {
		begun.order.access(g, 2+o.arg, false)
	}
	for i, a := range arms {
		if s.ready(a) {
			t := begun
			t.communicate(g, i, a)
			next = append(next, t)
		}
	}
	switch {
	case len(next) > 0:
	case o.fallback:
		begun.finish(g, 20)
		next = append(next, begun)
	default:
		for first := range arms {
			t := begun
			t.park(g, arms, first)
			next = append(next, t)
		}
	}
	return next
}

// step executes another operation, if that is possible.
func (s *state) step(g int, o op) bool {
	switch o.kind {
	case lock, unlock, try:
		return mutex(s, g, o)
	case rlock, runlock, wlock, wunlock:
		return rwmutex(s, g, o)
	case add, load, store, swap:
		s.atomic(g, o)
	case closing:
		s.order.access(g, 2+o.arg, true)
		if s.shut(g, o.arg); !s.panicked {
			s.finish(g, 0)
		}
	case done:
		if s.order.merge(g, ofGroup); s.count == 0 {
			s.panicked = true
			return true
		}
		s.count--
		s.finish(g, 0)
	case wait:
		if s.count > 0 {
			return false
		}
		s.order.acquire(g, ofGroup)
		s.finish(g, 0)
	case cancel, failure:
		return s.context(g, o)
	case once:
		s.order.acquire(g, ofOnce)
		first := !s.once
		if s.once = true; first {
			s.order.merge(g, ofOnce)
		}
		s.finish(g, number(first))
	case loadOrStore:
		s.order.both(g, ofMap)
		if s.stored == 0 {
			s.stored = g + 1
		}
		s.finish(g, s.stored)
	case sleep:
		s.parked[g], s.due[g] = true, s.instant+1
	case kill:
		s.signal = true
		s.finish(g, 0)
	case yield:
		s.finish(g, 0)
	case read:
		s.order.access(g, o.arg, false)
		s.finish(g, s.values[o.arg])
	case write:
		s.order.access(g, o.arg, true)
		s.values[o.arg] = g + 1
		s.finish(g, 0)
	}
	return true
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *state) atomic(g int, o op) {
	object, v := ofAtomic+o.arg, &s.atomics[o.arg]
	switch o.kind {
	case add:
		s.order.both(g, object)
		*v++
		s.finish(g, *v)
	case load:
		s.order.acquire(g, object)
		s.finish(g, *v)
	case store:
		s.order.release(g, object)
		*v = 5 + g
		s.finish(g, 0)
	case swap:
		ok := *v == 0
		if s.order.acquire(g, object); ok {
			s.order.merge(g, object)
			*v = 9
		}
		s.finish(g, number(ok))
	}
}

// context cancels a context or asks for its error. The parent cancels its child after it has closed its own channel.
func (s *state) context(g int, o op) bool {
	at := parent + o.arg
	if o.kind == failure {
		if s.channels[at].closed {
			s.order.acquire(g, ofClose+at)
		}
		s.finish(g, number(s.channels[at].closed))
		return true
	}
	if s.canceling > 0 && s.canceling != g+1 && (o.arg == 0 || s.phase[g] == 1) {
		return false
	}
	if s.phase[g] == 1 {
		if s.canceling = 0; o.arg == 0 && !s.channels[child].closed {
			s.shut(g, child)
		}
		s.finish(g, 0)
		return true
	}
	if s.order.acquire(g, ofClose+at); s.channels[at].closed {
		s.finish(g, 0)
		return true
	}
	if s.shut(g, at); o.arg == 0 {
		s.canceling = g + 1
	}
	s.phase[g] = 1
	return true
}

package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// delayedPrograms follow the timed ones. They have timers of several durations, a lock and channels. The model is exact about time: the
// delays add up to at most mostDelay, less a quarter of the time for which all goroutines wait, and time does not pass while a timer is due.
// Programs with an even number end in more ways if delays are not limited.
const delayedPrograms = 16

// Operations of delayed programs, besides lock, unlock, add, load and swap. arg is an index of durations.
const (
	pause       = sleep + 1 + iota // Sleep
	giveTimeout                    // send to the channel, or give up
	takeTimeout                    // receive from the channel, or give up
	stopStarter                    // the timer that starts goroutines
	resetStarter
	stopTicket // the timer with a channel
	resetTicket
	takeTicket // from the channel of that timer, or from its default case
	delayedKinds
)

// Times of delayed programs in microseconds. No sums of these are nearly equal, or differ by nearly mostDelay.
var durations = [...]int{110, 270, 7100, 19300}

var (
	starterTimes = [...]int{190, 11700}
	ticketTimes  = [...]int{230, 13900}
)

const (
	mostDelay = 1000
	unlimited = 1 << 40
	nearly    = 25

	mostStates = 150
)

// delayed is a program of goroutines, and the initial durations of two timers.
type delayed struct {
	ops             [][]op
	starter, ticket int
}

func randomDelayed(seed uint64) delayed {
	r := rand.New(rand.NewPCG(seed, 3))
	p := delayed{ops: make([][]op, 2+r.IntN(2)), starter: starterTimes[r.IntN(2)], ticket: ticketTimes[r.IntN(2)]}
	for i := range p.ops {
		held := false
		for range 1 + r.IntN(5-len(p.ops)) {
			switch k := []kind{lock, lock, add, load, swap, pause, pause, giveTimeout, takeTimeout, stopStarter, resetStarter, stopTicket,
				resetTicket, takeTicket}[r.IntN(14)]; {
			case k == lock && held:
				p.ops[i], held = append(p.ops[i], op{unlock, 0}), false
			case k == lock:
				p.ops[i], held = append(p.ops[i], op{lock, 0}), true
			default:
				p.ops[i] = append(p.ops[i], op{k, r.IntN(len(durations))})
			}
		}
		if held {
			p.ops[i] = append(p.ops[i], op{unlock, 0})
		}
	}
	return p
}

// choiceDelayed returns the program of a number: one with three to twelve ends.
func choiceDelayed(n int) delayed {
	for k := uint64(0); ; k++ {
		p := randomDelayed(seed()<<40 | uint64(n)<<20 | k)
		some, exact := p.ends(mostDelay)
		if !exact || len(some) < 3 || len(some) > 12 {
			continue
		}
		if all, exact := p.ends(unlimited); exact && (n%2 == 0) != maps.Equal(some, all) {
			return p
		}
	}
}

// run executes the program and returns what its goroutines have seen.
func (p delayed) run() string {
	var v atomic.Int32
	var mu sync.Mutex
	var end sync.WaitGroup
	c := make(chan int)
	seen := make([][]string, len(p.ops)+1)
	note := func(i int, v any) { seen[i] = append(seen[i], fmt.Sprint(v)) }
	micros := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
	starter := time.AfterFunc(micros(p.starter), func() { note(len(p.ops), v.Add(1)) })
	ticket := time.NewTimer(micros(p.ticket))
	end.Add(len(p.ops))
	for i, ops := range p.ops {
		go func() {
			defer end.Done()
			for n, o := range ops {
				after := micros(durations[o.arg])
				switch o.kind {
				case lock:
					mu.Lock()
				case unlock:
					mu.Unlock()
				case add:
					note(i, v.Add(1))
				case load:
					note(i, v.Load())
				case swap:
					note(i, v.CompareAndSwap(0, 9))
				case pause:
					time.Sleep(after)
				case giveTimeout:
					select {
					case c <- 10*i + n:
						note(i, "given")
					case <-time.After(after):
						note(i, "-")
					}
				case takeTimeout:
					select {
					case x := <-c:
						note(i, x)
					case <-time.After(after):
						note(i, "-")
					}
				case stopStarter:
					note(i, starter.Stop())
				case resetStarter:
					note(i, starter.Reset(after))
				case stopTicket:
					note(i, ticket.Stop())
				case resetTicket:
					note(i, ticket.Reset(after))
				case takeTicket:
					select {
					case <-ticket.C:
						note(i, "ticket")
					default:
						note(i, "none")
					}
				}
			}
		}()
	}
	end.Wait()
	return format(seen)
}

// delayedState is a state of a delayed program. Times are instants in microseconds; 0 means that a timer is not armed.
type delayedState struct {
	now, since      int // since is the instant from which delays count
	at              [3]int
	armed           [3]bool // the timer of its operation is armed
	waits           [3]bool // it is in its select
	due             [3]int  // the timer of its operation
	held            bool
	v               int
	starter, ticket int
	started         int // goroutines of the timer that have not run
	seen            [4]string
}

// instants returns the timers that are not due.
func (s *delayedState) instants() (list []int) {
	for _, at := range append(s.due[:], s.starter, s.ticket) {
		if at > s.now {
			list = append(list, at)
		}
	}
	return list
}

// late reports whether a timer is due that has not fired.
func (s *delayedState) late() bool {
	late := s.starter != 0 && s.starter <= s.now
	for i, waits := range s.waits {
		late = late || waits && s.due[i] <= s.now
	}
	return late
}

// model enumerates how the program can end.
func (p delayed) model() map[string]bool {
	ends, _ := p.ends(mostDelay)
	return ends
}

// ends enumerates how the program can end if delays add up to at most so many microseconds. exact is false if that depends on the order of
// instants that are nearly the same, or if the program has too many states.
func (p delayed) ends(most int) (ends map[string]bool, exact bool) {
	ends, exact = map[string]bool{}, true
	visited := map[delayedState]bool{}
	var visit func(s delayedState)
	visit = func(s delayedState) {
		if visited[s] || !exact {
			return
		}
		exact = len(visited) < mostStates
		visited[s] = true
		moved := false
		next := func(t delayedState) { moved = true; visit(t) }
		over := true
		for i, ops := range p.ops {
			if s.at[i] < len(ops) {
				over = false
				p.execute(s, i, next)
			}
		}
		if s.started > 0 {
			t := s
			t.started--
			t.v++
			t.seen[len(p.ops)] += fmt.Sprint(",", t.v)
			next(t)
		}
		if s.starter != 0 && s.starter <= s.now {
			t := s
			t.starter = 0
			t.started++
			next(t)
		}
		if over { // the goroutine that waits for all others can run
			seen := make([][]string, len(p.ops)+1)
			for i := range seen {
				if s.seen[i] != "" {
					seen[i] = []string{s.seen[i][1:]}
				}
			}
			ends[format(seen)] = true
		}
		if s.late() {
			return
		}
		list := s.instants()
		for i, a := range list {
			exact = exact && (a < s.since+most-nearly || a > s.since+most+nearly)
			for _, b := range list[:i] {
				exact = exact && (a < b-nearly || a > b+nearly)
			}
		}
		if len(list) == 0 {
			return
		}
		first := list[0]
		for _, at := range list {
			first = min(first, at)
		}
		idle := !moved && !over
		if !idle && first > s.since+most {
			return
		}
		if idle {
			d := first - s.now
			s.since = min(first, max(s.since, s.now-most)+d+d/4)
		}
		s.now = first
		visit(s)
	}
	visit(delayedState{starter: p.starter, ticket: p.ticket})
	return ends, exact
}

// execute calls next with each state that the next step of a goroutine leads to.
func (p delayed) execute(s delayedState, i int, next func(delayedState)) {
	o := p.ops[i][s.at[i]]
	t := s
	note := func(t *delayedState, i int, v any) { t.seen[i] += fmt.Sprint(",", v) }
	finish := func(t *delayedState, i int) {
		t.at[i]++
		t.armed[i], t.waits[i], t.due[i] = false, false, 0
	}
	switch after := durations[o.arg]; o.kind {
	case lock:
		if s.held {
			return
		}
		t.held = true
	case unlock:
		t.held = false
	case add:
		t.v++
		note(&t, i, t.v)
	case load:
		note(&t, i, t.v)
	case swap:
		note(&t, i, t.v == 0)
		if t.v == 0 {
			t.v = 9
		}
	case pause, giveTimeout, takeTimeout:
		if !s.armed[i] {
			t.armed[i], t.due[i] = true, s.now+after
			next(t)
			return
		}
		ready := s.due[i] <= s.now
		if ready {
			if o.kind != pause {
				note(&t, i, "-")
			}
			finish(&t, i)
			next(t)
		}
		if o.kind == pause || s.waits[i] {
			return
		}
		for k, ops := range p.ops {
			if s.waits[k] && ops[s.at[k]].kind == giveTimeout+takeTimeout-o.kind {
				u := s
				giver, taker := i, k
				if o.kind == takeTimeout {
					giver, taker = k, i
				}
				note(&u, giver, "given")
				note(&u, taker, 10*giver+s.at[giver])
				finish(&u, i)
				finish(&u, k)
				ready = true
				next(u)
			}
		}
		if !ready {
			t = s
			t.waits[i] = true
			next(t)
		}
		return
	case stopStarter, resetStarter:
		note(&t, i, s.starter != 0)
		if t.starter = 0; o.kind == resetStarter {
			t.starter = s.now + after
		}
	case stopTicket, resetTicket:
		note(&t, i, s.ticket != 0) // until somebody receives its value
		if t.ticket = 0; o.kind == resetTicket {
			t.ticket = s.now + after
		}
	case takeTicket:
		if s.ticket != 0 && s.ticket <= s.now {
			t.ticket = 0
			note(&t, i, "ticket")
		} else {
			note(&t, i, "none")
		}
	}
	finish(&t, i)
	next(t)
}

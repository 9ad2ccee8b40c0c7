package oracle

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// timedPrograms follow the bounded ones. Their timers fire at one instant.
const timedPrograms = 10

// Operations of timed programs, besides add, load and swap.
const (
	after  = kinds + iota // receive from the timer arg, which nobody else uses
	either                // select between timers 0 and 1, which nobody else uses
	stop                  // the timer that starts the last goroutine
	sleep                 // as long as the timers
)

const timers = 2

// timed is a program whose last goroutine is started by a timer, unless another one stops it.
type timed program

func randomTimed(seed uint64) timed {
	r := rand.New(rand.NewPCG(seed, 2))
	p := make(timed, 3)
	free := []int{0, 1}
	for i := range p {
		for range 1 + r.IntN(2) {
			k := []kind{add, load, swap, stop, sleep, after, either}[r.IntN(7)]
			switch {
			case i == len(p)-1 && k >= kinds:
				k = add
			case k == after && len(free) > 0:
				p[i], free = append(p[i], op{after, free[0]}), free[1:]
				continue
			case k == either && len(free) == timers:
				p[i], free = append(p[i], op{either, 0}), nil
				continue
			case k == after || k == either:
				k = sleep
			}
			p[i] = append(p[i], op{k, 0})
		}
	}
	return p
}

// choiceTimed returns the program of a number: one that can end in at least three ways, and that waits for a timer's channel.
func choiceTimed(n int) timed {
	for k := uint64(0); ; k++ {
		p, waits := randomTimed(seed()<<40|uint64(n)<<20|k), false
		for _, ops := range p {
			for _, o := range ops {
				waits = waits || o.kind == after || o.kind == either
			}
		}
		if waits && len(p.model()) >= 3 {
			return p
		}
	}
}

// run executes the program and returns what its goroutines have seen.
func (p timed) run() string {
	var v atomic.Int32
	var end sync.WaitGroup
	seen := make([][]string, len(p))
	var chans [timers]*time.Timer
	for i := range chans {
		chans[i] = time.NewTimer(time.Second)
	}
	end.Add(len(p))
	last := len(p) - 1
	var starter *time.Timer
	goroutine := func(i int) {
		defer end.Done()
		note := func(v any) { seen[i] = append(seen[i], fmt.Sprint(v)) }
		for _, o := range p[i] {
			switch o.kind {
			case add:
				note(v.Add(1))
			case load:
				note(v.Load())
			case swap:
				note(v.CompareAndSwap(0, 9))
			case after:
				<-chans[o.arg].C
			case either:
				select {
				case <-chans[0].C:
					note(0)
				case <-chans[1].C:
					note(1)
				}
			case stop:
				stopped := starter.Stop()
				if note(stopped); stopped {
					end.Done()
				}
			case sleep:
				time.Sleep(time.Second)
			}
		}
	}
	starter = time.AfterFunc(time.Second, func() { goroutine(last) })
	for i := range last {
		go goroutine(i)
	}
	end.Wait()
	return format(seen)
}

// timedState is a state of a timed program.
type timedState struct {
	clock   int // instants that have passed
	at      [3]int
	wakes   [3]int // instant at which its sleep ends; 0 means that it does not sleep
	started bool   // the last goroutine
	stopped bool
	v       int
	seen    [3]string
}

// model enumerates how the program can end. Time passes when nothing else can happen.
func (p timed) model() map[string]bool {
	ends, visited := map[string]bool{}, map[timedState]bool{}
	last := len(p) - 1
	var visit func(s timedState)
	visit = func(s timedState) {
		if visited[s] {
			return
		}
		visited[s] = true
		moved := false
		next := func(t timedState) { moved = true; visit(t) }
		if s.clock > 0 && !s.started && !s.stopped {
			t := s
			t.started = true
			next(t)
		}
		for i, ops := range p {
			if s.at[i] == len(ops) || i == last && !s.started {
				continue
			}
			t := s
			t.at[i]++
			note := func(v any) { t.seen[i] += fmt.Sprint(",", v) }
			switch o := ops[s.at[i]]; o.kind {
			case add:
				t.v++
				note(t.v)
			case load:
				note(t.v)
			case swap:
				note(t.v == 0)
				if t.v == 0 {
					t.v = 9
				}
			case after:
				if s.clock == 0 {
					continue
				}
			case either:
				if s.clock == 0 {
					continue
				}
				u := t
				u.seen[i] += ",0"
				next(u)
				note(1)
			case stop:
				t.stopped = t.stopped || !t.started
				note(t.stopped && !s.stopped)
			case sleep:
				if s.wakes[i] == 0 {
					t.at[i]--
					t.wakes[i] = s.clock + 1
				} else if t.wakes[i] = 0; s.clock < s.wakes[i] {
					continue
				}
			}
			next(t)
		}
		if moved {
			return
		}
		over := s.started || s.stopped
		for i, ops := range p {
			over = over && (s.at[i] == len(ops) || i == last && s.stopped)
		}
		if !over {
			s.clock++
			visit(s)
			return
		}
		seen := make([][]string, len(p))
		for i := range p {
			if s.seen[i] != "" {
				seen[i] = []string{s.seen[i][1:]}
			}
		}
		ends[format(seen)] = true
	}
	visit(timedState{})
	return ends
}

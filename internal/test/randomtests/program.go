// Package randomtests generates small random tests of goroutines, as source, and enumerates how each of them can end by a model that shares
// nothing with package testsched.
//
//	program.go   the operations of a program; random programs
//	source.go    a program as the source of a test function
//	model.go     the states of a program and its ends
//	channel.go   channels and selects of the model
//	lock.go      its locks
//	clock.go     the order that the race detector knows
package randomtests

import "math/rand/v2"

type kind int

const (
	lock kind = iota
	unlock
	try // TryLock, and Unlock if it succeeds
	rlock
	runlock
	wlock
	wunlock
	send
	receive
	closing
	choose // select
	add
	load
	store
	swap // CompareAndSwap from 0 to 9
	yield
	done // of a WaitGroup
	wait
	cancel
	failure // Err of a context
	once
	loadOrStore // of a sync.Map
	sleep
	kill // sends SIGUSR1 to the own process
	read
	write
)

// The channels of a program: one without a buffer, one with room for one value, one that receives signals, and Done of a context and its
// child.
const (
	plain = iota
	buffered
	signals
	parent
	child
	channels
)

// arm is a case of a select: it sends to a channel, receives from it or, if the channel is negative, waits for a second.
type arm struct {
	channel int
	send    bool
}

// op is an operation. Its form determines how the source calls it, not what it does.
type op struct {
	kind     kind
	arg      int
	form     int
	arms     []arm
	fallback bool // the select has a default case
}

// A Program is a test function. Goroutine 0 is that of the test; it waits for the others, except the last one if that is loose.
type Program struct {
	goroutines [][]op
	dones      int // initial count of the wait group
	loose      bool
	global     bool   // its variables are package variables
	want       string // the end that fails the test, if it is not empty
}

// Options select the operations of random programs.
type Options struct {
	Plain bool // reads and writes of shared variables without synchronization
}

// Random returns the program of a seed.
func Random(seed uint64, o Options) *Program {
	for k := uint64(0); ; k++ {
		r := rand.New(rand.NewPCG(seed, k))
		p := random(r, o)
		if o.Plain && undecided(p) {
			continue
		}
		ends, ok := p.ends(false)
		if !ok || len(ends.Results)+len(ends.Findings) < 3 && r.IntN(8) > 0 || len(ends.Findings) > 0 && r.IntN(2) > 0 {
			continue
		}
		results := sorted(ends.Results)
		switch {
		case len(results) == 0 || results[0] == "" || r.IntN(4) > 0:
		case r.IntN(3) > 0:
			p.want = results[r.IntN(len(results))]
		default: // an end of which each part is possible, and perhaps not the whole
			p.want = mixed(r, results)
		}
		return p
	}
}

// undecided reports whether a channel is closed to which a select may send. The race detector sees such a race if the select has examined
// that case before it takes another one, and it examines cases in random order.
func undecided(p *Program) bool {
	var closed, sent [channels]bool
	for _, ops := range p.goroutines {
		for _, o := range ops {
			closed[o.arg] = closed[o.arg] || o.kind == closing
			for _, a := range o.arms {
				if a.send {
					sent[a.channel] = true
				}
			}
		}
	}
	for c := range closed {
		if closed[c] && sent[c] {
			return true
		}
	}
	return false
}

func random(r *rand.Rand, o Options) *Program {
	p := &Program{goroutines: make([][]op, 2+r.IntN(2)), global: r.IntN(3) == 0}
	p.loose = !p.global && r.IntN(6) == 0
	groups := [][]kind{
		{lock, lock, try}, {rlock, wlock}, {send, receive, closing, choose, choose}, {add, load, store, swap, yield}, {done, wait},
		{cancel, failure, receive, choose},
		{once}, {loadOrStore}, {sleep}, {kill, receive, choose},
	}
	r.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	var kinds []kind
	for _, g := range groups[:2+r.IntN(2)] {
		kinds = append(kinds, g...)
	}
	if o.Plain {
		kinds = append(kinds, read, write, write)
	}
	killed := 0
	for i := range p.goroutines {
		var held []op
		count := 1 + r.IntN(4)
		if i == 0 {
			count = r.IntN(3)
		}
		for range count {
			if len(held) > 0 && r.IntN(3) == 0 {
				p.goroutines[i], held = append(p.goroutines[i], held[len(held)-1]), held[:len(held)-1]
				continue
			}
			next := operation(r, kinds[r.IntN(len(kinds))])
			switch next.kind {
			case lock:
				held = append(held, op{kind: unlock, arg: next.arg})
			case rlock:
				held = append(held, op{kind: runlock})
			case wlock:
				held = append(held, op{kind: wunlock})
			case done:
				p.dones++
			case kill:
				if killed++; killed > 1 {
					continue
				}
			}
			p.goroutines[i] = append(p.goroutines[i], next)
		}
		for k := len(held) - 1; k >= 0; k-- {
			p.goroutines[i] = append(p.goroutines[i], held[k])
		}
	}
	if p.dones > 1 && r.IntN(8) == 0 {
		p.dones--
	}
	return p
}

// operation returns a random operation of a kind.
func operation(r *rand.Rand, k kind) op {
	next := op{kind: k, form: r.IntN(6)}
	switch k {
	case lock, try, add, load, store, swap, cancel, failure, read, write:
		next.arg = r.IntN(2)
	case send, closing:
		next.arg = r.IntN(signals)
	case receive:
		next.arg = r.IntN(channels)
	case choose:
		next.fallback = r.IntN(3) == 0
		for range 1 + r.IntN(3) {
			a := arm{channel: r.IntN(channels+1) - 1}
			a.send = a.channel >= 0 && a.channel < signals && r.IntN(2) == 0
			next.arms = append(next.arms, a)
		}
	}
	return next
}

func mixed(r *rand.Rand, results []string) string {
	end := []byte(results[0])
	other := results[r.IntN(len(results))]
	for i := range end {
		if i < len(other) && r.IntN(2) == 0 {
			end[i] = other[i]
		}
	}
	return string(end)
}

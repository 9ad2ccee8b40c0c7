package oracle

import (
	"fmt"
	"maps"
)

// boundedPrograms follow the others. They are for a bound of one preemption.
const boundedPrograms = 10

// choiceBounded returns the program of a number: one of channels, atomic variables and a WaitGroup that cannot deadlock, and that can end
// in more ways with two preemptions than with one.
func choiceBounded(n int) program {
next:
	for k := uint64(0); ; k++ {
		p := random(seed()<<40 | uint64(n)<<20 | k)
		for _, ops := range p {
			for _, o := range ops {
				if o.kind == lock || o.kind == unlock || o.kind == poll || o.kind == waitCond || o.kind == setCond {
					continue next
				}
			}
		}
		if all := p.model(); all["deadlock"] || len(all) < 3 {
			continue
		}
		if one, two := p.bounded(1), p.bounded(2); len(one) > 1 && !maps.Equal(one, two) {
			return p
		}
	}
}

// machine is a state of a program whose preemptions are counted. Goroutine number len(program) starts the others and waits for them.
type machine struct {
	at                 [4]int  // next operation
	there              [4]bool // the goroutine is at it; otherwise it has been started, or woken
	blocked            [4]bool
	started            int
	ended              int
	dones              int              // left
	senders, receivers [channels]string // who wait, in order
	buffer             int              // of channel 1: a value and 1; 0 means that it is empty
	vars               [atomics]int
	seen               [4]string
}

// bounded enumerates how a program can end with so many preemptions at most.
func (p program) bounded(preemptions int) map[string]bool {
	m := machine{started: 1}
	for _, ops := range p {
		for _, o := range ops {
			if o.kind == done {
				m.dones++
			}
		}
	}
	main := len(p)
	m.there[main] = true // it has started the first goroutine
	ends := map[string]bool{}
	p.decide(m, main, preemptions, ends)
	return ends
}

// decide lets each goroutine go on that can. current could go on where it is; -1 means that it cannot.
func (p program) decide(m machine, current, preemptions int, ends map[string]bool) {
	moved := false
	for i := range len(p) + 1 {
		if i < len(p) && (i >= m.started || m.at[i] > len(p[i])) || m.blocked[i] || i == len(p) && m.at[i] > len(p) {
			continue
		}
		left := preemptions
		if current >= 0 && i != current {
			if left--; left < 0 {
				continue
			}
		}
		moved = true
		n, at := m, i
		if !n.there[i] {
			n.there[i] = true
		} else if !p.execute(&n, i) {
			at = -1
		}
		p.decide(n, at, left, ends)
	}
	if !moved {
		seen := make([][]string, len(p))
		for i := range p {
			if m.seen[i] != "" {
				seen[i] = []string{m.seen[i][1:]}
			}
		}
		ends[format(seen)] = true
	}
}

// execute executes the operation that a goroutine is at, and reports whether the goroutine is at its next one then.
func (p program) execute(m *machine, i int) bool {
	if i == len(p) {
		return p.executeMain(m)
	}
	note := func(i int, v any) { m.seen[i] += fmt.Sprint(",", v) }
	wake := func(i int) { m.blocked[i], m.there[i] = false, false }
	if m.at[i] == len(p[i]) { // end.Done
		m.at[i]++
		if m.ended++; m.ended == len(p) && m.blocked[len(p)] {
			wake(len(p))
		}
		return false
	}
	o := p[i][m.at[i]]
	value := 10*i + m.at[i]
	m.at[i]++
	switch o.kind {
	case add:
		m.vars[o.arg]++
		note(i, m.vars[o.arg])
	case load:
		note(i, m.vars[o.arg])
	case swap:
		note(i, m.vars[o.arg] == 0)
		if m.vars[o.arg] == 0 {
			m.vars[o.arg] = 9
		}
	case done:
		if m.dones--; m.dones == 0 {
			for k, ops := range p {
				if m.blocked[k] && ops[m.at[k]-1].kind == wait {
					wake(k)
				}
			}
		}
	case wait:
		m.blocked[i] = m.dones > 0
	case send:
		switch q := m.receivers[o.arg]; {
		case q != "":
			m.receivers[o.arg] = q[1:]
			note(int(q[0]-'0'), value)
			wake(int(q[0] - '0'))
		case o.arg == 1 && m.buffer == 0:
			m.buffer = value + 1
		default:
			m.senders[o.arg] += fmt.Sprint(i)
			m.blocked[i] = true
		}
	case receive:
		q := m.senders[o.arg]
		sender := -1
		if q != "" {
			sender = int(q[0] - '0')
			m.senders[o.arg] = q[1:]
			wake(sender)
		}
		switch {
		case o.arg == 1 && m.buffer != 0:
			note(i, m.buffer-1)
			m.buffer = 0
			if sender >= 0 {
				m.buffer = 10*sender + m.at[sender]
			}
		case sender >= 0:
			note(i, 10*sender+m.at[sender]-1)
		default:
			m.receivers[o.arg] += fmt.Sprint(i)
			m.blocked[i] = true
		}
	}
	return !m.blocked[i]
}

// executeMain starts the next goroutine or waits for all.
func (p program) executeMain(m *machine) bool {
	main := len(p)
	switch {
	case m.started < len(p):
		m.started++
	case m.at[main] == 0: // goes on to end.Wait
		m.at[main] = 1
	default:
		m.at[main] = len(p) + 1
		m.blocked[main] = m.ended < len(p)
		return false
	}
	return true
}

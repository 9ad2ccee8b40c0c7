package oracle

import (
	"fmt"
	"strings"
)

// state is one of the model.
type state struct {
	at      [4]int // next operation, by goroutine
	phase   [4]int // of waitCond and setCond
	signal  [4]int // waiting in Cond: its turn; 0: not
	waiters int    // turns given
	owner   [locks]int
	buffer  int // of channel 1: a value and 1; 0: empty
	vars    [atomics]int
	ready   int
	dones   int
	seen    string // "goroutine:value;" ...
}

// model enumerates how a program can end: what its goroutines have seen, or "deadlock".
func (p program) model() map[string]bool {
	total := 0
	for _, ops := range p {
		for _, o := range ops {
			if o.kind == done {
				total++
			}
		}
	}
	ends, visited := map[string]bool{}, map[state]bool{}
	var visit func(s state)
	visit = func(s state) {
		if visited[s] {
			return
		}
		visited[s] = true
		moved, over := false, true
		next := func(s state) { moved = true; visit(s) }
		for i, ops := range p {
			if s.at[i] == len(ops) {
				continue
			}
			over = false
			o := ops[s.at[i]]
			t := s
			note := func(t *state, v any) { t.seen += fmt.Sprintf("%d:%v;", i, v) }
			switch o.kind {
			case flip:
				note(&t, sides[false])
				t.at[i]++
				next(t)
				u := s
				note(&u, sides[true])
				u.at[i] += 2
				next(u)
			case lock:
				if s.owner[o.arg] == 0 {
					t.owner[o.arg] = i + 1
					t.at[i]++
					next(t)
				}
			case unlock:
				t.owner[o.arg] = 0
				t.at[i]++
				next(t)
			case send:
				if o.arg == 1 && s.buffer == 0 {
					t.buffer = 10*i + s.at[i] + 1
					t.at[i]++
					next(t)
				}
			case receive, poll:
				took := false
				for c := range channels {
					if o.kind == receive && c != o.arg {
						continue
					}
					if c == 1 && s.buffer != 0 {
						u := s
						note(&u, s.buffer-1)
						u.buffer = 0
						u.at[i]++
						took = true
						next(u)
					}
					for k, others := range p { // rendezvous
						if c == 0 && k != i && s.at[k] < len(others) && others[s.at[k]] == (op{send, 0}) {
							u := s
							note(&u, 10*k+s.at[k])
							u.at[i]++
							u.at[k]++
							// A sender that has not come to the channel yet is not there for a poll.
							took = took || o.kind == receive
							next(u)
						}
					}
				}
				if o.kind == poll && !took {
					note(&t, "-")
					t.at[i]++
					next(t)
				}
			case add:
				t.vars[o.arg]++
				note(&t, t.vars[o.arg])
				t.at[i]++
				next(t)
			case load:
				note(&t, t.vars[o.arg])
				t.at[i]++
				next(t)
			case swap:
				ok := t.vars[o.arg] == 0
				if ok {
					t.vars[o.arg] = 9
				}
				note(&t, ok)
				t.at[i]++
				next(t)
			case done:
				t.dones++
				t.at[i]++
				next(t)
			case wait:
				if s.dones == total {
					t.at[i]++
					next(t)
				}
			case waitCond:
				switch {
				case s.phase[i] == 0 && s.owner[0] == 0, s.phase[i] == 2 && s.owner[0] == 0: // locks
					if s.ready > 0 {
						t.owner[0], t.phase[i] = i+1, 3
					} else { // and waits
						t.phase[i] = 1
						t.waiters++
						t.signal[i] = t.waiters
					}
					next(t)
				case s.phase[i] == 3:
					t.ready--
					t.owner[0], t.phase[i] = 0, 0
					t.at[i]++
					next(t)
				}
			case setCond:
				switch {
				case s.phase[i] == 0 && s.owner[0] == 0:
					t.owner[0], t.phase[i] = i+1, 1
					next(t)
				case s.phase[i] == 1:
					t.ready++
					first := -1
					for k := range p {
						if t.signal[k] != 0 && (first < 0 || t.signal[k] < t.signal[first]) {
							first = k
						}
					}
					if first >= 0 {
						t.signal[first], t.phase[first] = 0, 2
					}
					t.phase[i] = 2
					next(t)
				case s.phase[i] == 2:
					t.owner[0], t.phase[i] = 0, 0
					t.at[i]++
					next(t)
				}
			}
		}
		if over {
			seen := make([][]string, len(p))
			for one := range strings.SplitSeq(s.seen, ";") {
				if who, v, ok := strings.Cut(one, ":"); ok {
					seen[who[0]-'0'] = append(seen[who[0]-'0'], v)
				}
			}
			ends[format(seen)] = true
		} else if !moved {
			ends["deadlock"] = true
		}
	}
	visit(state{})
	return ends
}

package netsim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// op is one operation of a world on a network: an event, or an effect of a handler.
type op struct {
	what string
	do   func(*bench)
}

// limits bounds an exploration.
type limits struct {
	depth   int // operations
	sends   int // stream messages, over all nodes
	closes  bool
	crashes int
}

// explored is the result of an exploration.
type explored struct {
	states  [][]op          // operations that lead to each state, fewest first
	seen    map[string]bool // keys of the states
	illegal error           // the first illegal state; may be nil
	path    []string        // operations that lead to it
}

// explore executes all sequences of operations, breadth first, and stops at the first illegal state. Two sequences that
// lead to the same content count as one.
func explore(b *bench, l limits, start func(*bench)) explored {
	result := explored{seen: map[string]bool{}}
	visit := func(ops []op) bool {
		b.restart()
		if start != nil {
			start(b)
		}
		for _, o := range ops {
			o.do(b)
		}
		if result.illegal = b.legal(); result.illegal != nil {
			for _, o := range ops {
				result.path = append(result.path, o.what)
			}
			return false
		}
		return true
	}
	if !visit(nil) {
		return result
	}
	result.states = [][]op{nil}
	result.seen[key(b, nil)] = true
	for level, end := 0, 1; l.depth > 0; l.depth-- {
		for ; level < end; level++ {
			ops := result.states[level]
			visit(ops)
			for _, o := range operations(b, l, ops) {
				longer := append(slices.Clip(ops), o)
				if !visit(longer) {
					return result
				}
				if k := key(b, longer); !result.seen[k] {
					result.seen[k] = true
					result.states = append(result.states, longer)
				}
			}
		}
		end = len(result.states)
	}
	return result
}

// key returns the state's content and the used limits.
func key(b *bench, before []op) string {
	return fmt.Sprint(count(before, "send"), count(before, "crash"), b.content())
}

func count(ops []op, what string) (n int) {
	for _, o := range ops {
		if strings.HasPrefix(o.what, what) {
			n++
		}
	}
	return n
}

// operations returns the operations enabled after the operations before.
func operations(b *bench, l limits, before []op) []op {
	var ops []op
	for _, ev := range b.AppendInjections(b.enabled()) {
		ops = append(ops, op{b.describe(ev), func(b *bench) {
			switch ev.Kind {
			case eventkind.Deliver, eventkind.DeliverError, eventkind.DeliverReady:
				b.Take(ev)
			default:
				b.Inject(ev)
			}
		}})
	}
	for i, up := range b.host.up {
		node := sim.NodeID(i)
		if !up {
			ops = append(ops, op{fmt.Sprintf("boot %d", i), func(b *bench) { b.boot(node) }})
			continue
		}
		if count(before, "crash") < l.crashes {
			ops = append(ops, op{fmt.Sprintf("crash %d", i), func(b *bench) { b.crash(node) }})
		}
		for j := range b.host.up {
			peer := sim.NodeID(j)
			if peer == node {
				continue
			}
			if count(before, "send") < l.sends {
				ops = append(ops, op{fmt.Sprintf("send %d>%d", i, j), func(b *bench) { b.stream(node, peer, "m") }})
			}
			if l.closes {
				ops = append(ops, op{fmt.Sprintf("close %d>%d", i, j), func(b *bench) { b.CloseStream(node, peer) }})
			}
		}
	}
	return ops
}

// All states within a few operations have a legal combination of the four variables, and every legal combination is
// reached.
func TestLegalCombinations(t *testing.T) {
	b := newBench(Streams{Buffer: 1, Errors: 1}, 2)
	result := explore(b, limits{depth: 9, sends: 3, closes: true, crashes: 2}, nil)
	if result.illegal != nil {
		t.Fatalf("%v after %q", result.illegal, result.path)
	}
	reached := map[[2]flags]bool{}
	for _, ops := range result.states {
		b.restart()
		for _, o := range ops {
			o.do(b)
		}
		reached[[2]flags{b.end(0, 1).flags & fourVariables, b.end(1, 0).flags & fourVariables}] = true
	}
	for _, p := range legalPairs {
		if !reached[p] || !reached[[2]flags{p[1], p[0]}] {
			t.Errorf("%s and %s are never reached", four(p[0]), four(p[1]))
		}
	}
	t.Logf("%d states", len(result.states))
}

// Each mutation of the bug catalogue is detected, with the shortest sequence of operations.
func TestMutationsAreFound(t *testing.T) {
	for _, test := range []struct {
		name     string
		mutation mutation
		errors   int
		path     []string
	}{
		// A reset of an established connection leaves an error at the node that crashed.
		{"SIM1", sim1, 0, []string{"send 0>1", "deliver 0>1 m", "crash 0"}},
		// The end that has read its error keeps the flag.
		{"SIM2", sim2, 0, []string{"send 0>1", "deliver 0>1 m", "crash 0", "error 0>1 connection reset"}},
		// Both ends have an error pending: that takes a socket error.
		{"SIM3", sim3, 1, []string{"send 0>1", "deliver 0>1 m", "break 1>0", "crash 0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := Streams{Errors: test.errors, mutation: test.mutation}
			result := explore(newBench(n, 2), limits{depth: 6, sends: 2, crashes: 1}, nil)
			if result.illegal == nil {
				t.Fatalf("not found in %d states", len(result.states))
			}
			if !slices.Equal(result.path, test.path) {
				t.Errorf("found by %q, want %q", result.path, test.path)
			}
			t.Log(result.illegal)
		})
	}
}

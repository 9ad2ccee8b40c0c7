package shrink_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/sim"
)

// A run without a removable step is replaced by a shorter one of other steps, if that ends with the same handler, of any node.
func TestRun_SearchesAgain(t *testing.T) {
	for _, c := range []struct {
		alone, handler bool // whether node 1 needs no step of node 0, and has another handler
		want           int
	}{{false, true, 2}, {true, true, 20}, {true, false, 1}} {
		sys := pairs(func(a, b int) bool { return a >= 20 || b >= 1 && (a > 0 || c.alone) })
		if c.handler {
			add := func(p *pair, _ sim.Env) { p.N++ }
			sys.Actions = []sim.AnyAction{
				sim.Action[*pair]{Name: "add", Do: add, At: func(n sim.NodeID) bool { return n == 0 }},
				sim.Action[*pair]{Name: "other", Do: add, At: func(n sim.NodeID) bool { return n == 1 }},
			}
		}
		r := run(t, shrink.Config{Walks: critical.Config{System: sys}, Path: make(choose.Path, 20), Finding: safe})
		if r.From != 20 || r.Steps != c.want || !r.Minimal {
			t.Errorf("%+v: from %d steps to %d; minimal: %v", c, r.From, r.Steps, r.Minimal)
		}
	}
}

// A run that needs no step is left at that.
func TestRun_FirstState(t *testing.T) {
	sys := pairs(func(a, b int) bool { return true })
	want(t, &sys, shrunk(t, sys, choose.Path{}, safe))
}

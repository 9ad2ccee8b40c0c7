package shrink_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/internal/test/automaton"
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

// climber walks to a place. Above a height it can jump.
type climber struct {
	sim.Nop
	Place, Height int
	Fallen        bool
}

// climbers has a run of 30 steps along the ground, in which none can be left out. A run with 3 different climbs can jump. A
// random step is almost always a fall, from which no step leads to a violation.
func climbers() sim.System {
	const high, far, falls = 3, 30, 8
	sys := sim.System{
		Name: "climbers", Nodes: 1, New: func(sim.NodeID) sim.Service { return &climber{} },
		Properties: []sim.Property{{Name: "safe", Always: func(v *sim.View) bool { return v.Service(0).(*climber).Place < far }}},
	}
	add := func(name string, when func(c *climber) bool, do func(c *climber)) {
		sys.Actions = append(sys.Actions, sim.Action[*climber]{
			Name: name, When: func(c *climber) bool { return !c.Fallen && when(c) }, Do: func(c *climber, _ sim.Env) { do(c) },
		})
	}
	add("walk", func(c *climber) bool { return c.Place != far-1 }, func(c *climber) { c.Place++ })
	add("arrive", func(c *climber) bool { return c.Place == far-1 }, func(c *climber) { c.Place++ })
	for i := range high {
		here := func(c *climber) bool { return c.Height == i && c.Place < far-1 }
		add(fmt.Sprintf("climb %d", i), here, func(c *climber) { c.Place, c.Height = c.Place+1, c.Height+1 })
	}
	add("jump", func(c *climber) bool { return c.Height >= high }, func(c *climber) { c.Place = min(far-1, c.Place+5) })
	for i := range falls {
		add(fmt.Sprintf("fall %d", i), func(*climber) bool { return true }, func(c *climber) { c.Fallen = true })
	}
	return sys
}

// A run is replaced by a smaller one that differs from it in many steps, by way of runs of the same length.
func TestRun_ReplacesParts(t *testing.T) {
	r := run(t, shrink.Config{Walks: critical.Config{System: climbers()}, Path: make(choose.Path, 30), Finding: safe})
	if r.From != 30 || r.Steps >= 30 {
		t.Errorf("from %d steps to %d, want fewer", r.From, r.Steps)
	}
}

// A dead run that ends stuck is reduced although a few walks from it are not.
func TestRun_RarelyNotStuck(t *testing.T) {
	tab := automaton.Table{
		Moves: []automaton.Move{
			automaton.To(0, 1), automaton.To(1, 0), automaton.To(0, 7), automaton.To(7, 0), automaton.To(0, 2), // 7 is live
			{From: 2, To: []int{3, 5}, Weights: []int{15, 1}}, automaton.To(5, 6), automaton.To(6, 5), // stuck in 3
		},
		Live: []int{7},
	}
	sys := tab.System()
	for seed := range uint64(8) {
		// In state 0 the events are m0, m2, m4.
		cfg := critical.Config{System: sys, Path: choose.Path{0, 0, 2, 0, 0}, WalkSteps: 300, Walks: 50, Seed: seed + 1}
		dead, err := critical.Find(t.Context(), cfg)
		if err != nil || dead.Case != critical.Located || dead.Step != 3 || !dead.OutOfEvents {
			t.Fatalf("%+v, %v", dead, err)
		}
		r := run(t, shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Deadlock, Property: "live"}})
		if r.Dead.Step != 1 || !r.Minimal {
			t.Errorf("seed %d: critical step %d, minimal %v", seed+1, r.Dead.Step, r.Minimal)
		}
	}
}

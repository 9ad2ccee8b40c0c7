package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/spec"
)

// A search from a prefix executes the prefix only once.
func TestPrefix_ExecutedOnce(t *testing.T) {
	sys := bundled(t, "randtree", spec.Config{Nodes: 3})
	prefix := systest.LongPath(t, systest.Loop(t, sys))
	var events []int
	for _, workers := range []int{1, 3} {
		r := run(t, search.Config{System: sys, Prefix: prefix, Strategy: search.Walk, MaxPaths: 200, WalkSteps: 50, Workers: workers})
		events = append(events, r.Stats.Events)
	}
	// The prefix ends in a live state, which walks without faults do not leave: all have their full length.
	if events[0] != 200*50 || events[1] != 200*50 {
		t.Errorf("%v events with 1 and 3 workers in 200 walks of 50 steps after %d choices", events, len(prefix))
	}
}

// A search from a prefix begins there: no state follows 22 on the grid, 4 states follow 11.
func TestPrefix_States(t *testing.T) {
	for _, c := range []struct {
		prefix choose.Path
		states int
		depth  int
	}{{choose.Path{0, 0, 0, 0}, 1, 1}, {choose.Path{0, 1}, 4, 1}} {
		res := run(t, search.Config{System: gridSystem(), Prefix: c.prefix})
		if res.Stats.States != c.states || !res.Stats.Complete || res.Stats.ExhaustedDepth != c.depth {
			t.Errorf("from %v: %+v, want %d states at depth %d", c.prefix, res.Stats, c.states, c.depth)
		}
	}
}

// Prefixes end in live states that follow others. Searches start from them in turn.
func TestPrefixRuns_EndLive(t *testing.T) {
	sys := pingack.System
	prefixes, err := search.Prefixes(context.Background(), search.Config{System: sys, Seed: 5, Workers: 2}, 5)
	if err != nil || len(prefixes) != 5 {
		t.Fatalf("%v, %v", prefixes, err)
	}
	for _, p := range prefixes {
		// ping, deliver the ping, deliver the acknowledgement, with timers between.
		if len(p) < 3 {
			t.Errorf("prefix %v is too short", p)
		}
		c, err := replay.NewCursor(&sys, p, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for !c.AtEnd() {
			if c.Steps() > 0 && c.World().Live() {
				t.Errorf("prefix %v is live after %d steps already", p, c.Steps())
			}
			if err := c.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if !c.World().Live() {
			t.Errorf("prefix %v does not end in a live state", p)
		}
	}
	again, err := search.Prefixes(context.Background(), search.Config{System: sys, Seed: 5, Workers: 1}, 5)
	if err != nil || !slices.EqualFunc(again, prefixes, slices.Equal[choose.Path]) {
		t.Errorf("another number of workers made other prefixes: %v, %v", again, err)
	}
	res := run(t, search.Config{System: sys, Seed: 5, PrefixRuns: 5, Strategy: search.Faulty})
	if res.Finding == nil || !slices.ContainsFunc(prefixes, func(p choose.Path) bool {
		return len(p) < len(res.Finding.Path) && slices.Equal(p, res.Finding.Path[:len(p)])
	}) {
		t.Errorf("the finding does not start with a prefix: %+v", res.Finding)
	}
	if p := phaseOf(res, "prefixes"); p.Live < 5 {
		t.Errorf("prefixes: %+v", p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	evaluated := 0
	counted := search.Config{System: sys, Workers: 1}
	counted.System.Properties = append(slices.Clone(sys.Properties), sim.Property{Name: "count", Always: func(*sim.View) bool {
		if evaluated++; evaluated == 10_000 {
			cancel()
		}
		return true
	}})
	if some, err := search.Prefixes(ctx, counted, 1<<20); err != context.Canceled || len(some) == 0 {
		t.Errorf("stopped in between: %d prefixes, %v", len(some), err)
	}
	never := automaton.Table{Moves: []automaton.Move{automaton.To(0, 0)}, Live: []int{5}}
	if _, err := search.Prefixes(context.Background(), search.Config{System: never.System(), WalkSteps: 10}, 2); err == nil ||
		!strings.Contains(err.Error(), "no fault-free run reached a live state") {
		t.Errorf("got %v", err)
	}
}

// Without a goal a prefix ends after some steps, not at the limit of walks.
func TestPrefixRuns_WithoutGoalAreShort(t *testing.T) {
	sys := sim.System{Name: "ticking", Nodes: 2, New: func(sim.NodeID) sim.Service { return &ticker{} }}
	paths, err := search.Prefixes(context.Background(), search.Config{System: sys, WalkSteps: 100_000, HandlerLimit: patient}, 8)
	if err != nil || len(paths) != 8 {
		t.Fatal(len(paths), err)
	}
	for _, p := range paths {
		if len(p) < 1 || len(p) > 200 { // a step has one choice, that of the event
			t.Errorf("a prefix of %d choices", len(p))
		}
	}
	res := run(t, search.Config{System: sys, WalkSteps: 5_000, PrefixRuns: 4, MaxDepth: 2, HandlerLimit: patient})
	for _, p := range res.Stats.Phases {
		if p.Name == "prefixes" && (p.Events == 0 || p.Events > 800) {
			t.Errorf("%d events for 4 prefixes", p.Events)
		}
	}
}

// ticker sets its timer again and again.
type ticker struct {
	sim.Nop
	N int
}

func (s *ticker) Boot(env sim.Env) { env.SetTimer("t", 1) }

func (s *ticker) Timer(env sim.Env, t any) {
	s.N = 1 - s.N
	env.SetTimer(t, 1)
}

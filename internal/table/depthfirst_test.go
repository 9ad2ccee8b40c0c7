package table_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/sim"
)

// depthFirst makes an exploration depth-first.
func depthFirst(opts options.Options) options.Options {
	opts.Frontier = explore.Frontiers[1]
	return opts
}

func dive(t tester, sys *sim.System, opts options.Options) *table.Exploration {
	t.Helper()
	x, err := table.Explore(context.Background(), sys, depthFirst(opts))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// sameSpace compares the results that both orders must share without a finding.
func sameSpace(t tester, bfs, dfs *table.Exploration) {
	t.Helper()
	if bfs.States != dfs.States || bfs.Transitions != dfs.Transitions || bfs.Live != dfs.Live || bfs.Expanded != dfs.Expanded ||
		bfs.Complete != dfs.Complete || bfs.Stopped != dfs.Stopped || bfs.LivenessChecked != dfs.LivenessChecked || bfs.Dead != dfs.Dead ||
		!slices.Equal(bfs.DeadPath, dfs.DeadPath) || bfs.DeadCritical != dfs.DeadCritical || bfs.DeadOutOfEvents != dfs.DeadOutOfEvents ||
		bfs.Omission != dfs.Omission {
		t.Fatalf("breadth first %+v\ndepth first %+v", bfs, dfs)
	}
}

// bothOrders explores in both orders. When there is a finding the depth-first one must be real.
func bothOrders(t tester, sys *sim.System, opts options.Options) {
	t.Helper()
	bfs, dfs := breadth(t, sys, opts), dive(t, sys, opts)
	if (bfs.Finding == nil) != (dfs.Finding == nil) {
		t.Fatalf("breadth first found %v, depth first %v", bfs.Finding, dfs.Finding)
	}
	if bfs.Finding == nil {
		sameSpace(t, bfs, dfs)
		return
	}
	if steps := leadsTo(t, sys, dfs.Path, dfs.Finding); opts.MaxDepth > 0 && steps > opts.MaxDepth {
		t.Fatalf("found in %d steps, the bound is %d", steps, opts.MaxDepth)
	}
}

// leadsTo has the replay engine execute a path, which must end with the finding, and returns its steps.
func leadsTo(t tester, sys *sim.System, path choose.Path, want error) (steps int) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pos := 0
	src := choose.SourceFunc(func(p choose.Point) int {
		if p.Arity < 2 {
			return 0
		}
		pos++
		return int(path[pos-1])
	})
	err = w.Start(src)
	for err == nil && pos < len(path) {
		if err = w.Check(); err != nil {
			break
		}
		ev := w.Injections(slices.Clone(w.Enabled()))[path[pos]]
		pos++
		steps++
		err = w.Step(ev, src)
	}
	if err == nil {
		err = w.Check()
	}
	if message(err) != message(want) || pos != len(path) {
		t.Fatalf("the path leads to %v after %d of %d choices, want %v", err, pos, len(path), want)
	}
	return steps
}

// All small systems to their end: both orders see the same.
func TestDepthFirst_Completes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for k, c := range []struct {
		name string
		sys  *sim.System
	}{
		{"paxos", bundled.System(t, "paxos", 6, sim.Limits{})},
		{"twophase", bundled.System(t, "twophase", 3, sim.Limits{})},
		{"twophase with crashes", bundled.System(t, "twophase", 3, sim.Limits{sim.Crashes: 1})},
		{"dead states", bundled.System(t, "twophase", 4, sim.Limits{sim.Crashes: 1}, "TP3")},
		{"dead by one bug", bundled.System(t, "twophase", 3, sim.Limits{}, "TP3")},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, visited := range visitedSets {
				opts := options.Options{Visited: visited}
				bothOrders(t, c.sys, opts)
			}
			bothOrders(t, c.sys, options.Options{Visited: visitedSets[k%len(visitedSets)], MaxDepth: 200}) // far beyond the end
		})
	}
}

// With a bound the same states are visited, and what a bound leaves to one order it leaves to the other.
func TestDepthFirst_ToDepth(t *testing.T) {
	bundled.Each(t, func(t *testing.T, i int, sys *sim.System) {
		for depth, visited := range visitedSets { // bugs change little, and take turns with them
			if i > 0 && depth == i%len(visitedSets) && !testing.Short() || i == 0 && (!testing.Short() || depth == 0) {
				bothOrders(t, sys, options.Options{MaxDepth: 3 + depth%2, Visited: visited, SkipRehearsal: true})
			}
		}
	})
	depth := 9
	if testing.Short() {
		depth = 6
	}
	bothOrders(t, bundled.System(t, "randtree", 3, sim.Limits{}), options.Options{MaxDepth: depth})
	bothOrders(t, bundled.System(t, "randtree", 12, sim.Limits{}), options.Options{MaxDepth: 3}) // 78 connections
}

func TestDepthFirst_RandomSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := script.Draw(t).System()
		bothOrders(t, sys, options.Options{
			MaxDepth:      rapid.IntRange(1, 3).Draw(t, "depth"),
			Visited:       rapid.SampledFrom(visitedSets).Draw(t, "visited"),
			SkipRehearsal: true,
		})
	})
}

func TestDepthFirst_Finds(t *testing.T) {
	picky := &sim.System{Name: "picky", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{} }, Properties: []sim.Property{
		{Name: "no 5", Always: sim.Each(func(_ sim.NodeID, d *drawer) bool { return d.N != 5 })}}}
	for _, test := range []struct {
		name  string
		sys   *sim.System
		kind  sim.FindingKind
		steps int
	}{
		// Boot draws 0 or 1, each step adds 0 or 2; 0, 2, 4 and 6 come first, then 1, 3 and 5.
		{"a property", picky, sim.Safety, 2},
		{"a monitor", &sim.System{Name: "loud", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{loud: true} },
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &deaf{} }}}, sim.Safety, 2},
		{"a panic at boot", &sim.System{Name: "panics", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{N: 7} }}, sim.Panic, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, visited := range visitedSets {
				x := dive(t, test.sys, options.Options{Visited: visited})
				var f *sim.Finding
				if !errors.As(x.Finding, &f) || f.Kind != test.kind || x.Complete || x.Stopped != "finding" {
					t.Fatalf("got %+v, want a finding of kind %s", x, test.kind)
				}
				if steps := leadsTo(t, test.sys, x.Path, x.Finding); steps != test.steps {
					t.Errorf("%d steps, want %d", steps, test.steps)
				}
			}
		})
	}
}

// chain counts to N in single steps, or jumps there. A state first reached at the bound is expanded when it is reached
// again at a smaller depth.
type chain struct {
	sim.Nop
	N int
}

func (c *chain) Boot(env sim.Env) { env.SetTimer("go", 1) }

func (c *chain) Timer(env sim.Env, t any) {
	if c.N == 0 && env.Choose("jump", 2) == 1 {
		c.N = 4 // 1 step away, although the walk in single steps needs 4
	} else {
		c.N++
	}
	if c.N < 6 {
		env.SetTimer(t, 1)
	}
}

func TestDepthFirst_ReexpandsNearerStates(t *testing.T) {
	sys := &sim.System{Name: "chain", Nodes: 1, New: func(sim.NodeID) sim.Service { return &chain{} }}
	for _, c := range []struct{ depth, states, expanded, transitions int }{
		{1, 3, 1, 2}, // 0; then 1 and 4
		{2, 5, 3, 4}, // 2 and 5 in addition
		{3, 7, 5, 6}, // 3 and 6
		{4, 7, 7, 7}, // what lies at 3 steps is expanded: 3 leads to 4; 6 to nothing
	} {
		for _, visited := range visitedSets {
			x := dive(t, sys, options.Options{MaxDepth: c.depth, Visited: visited})
			if x.States != c.states || x.Expanded != c.expanded || x.Transitions != c.transitions || x.Complete != (c.depth == 4) {
				t.Errorf("to depth %d: %+v", c.depth, x)
			}
		}
	}
}

func TestDepthFirst_Stops(t *testing.T) {
	x := dive(t, paxos(2), options.Options{MaxStates: 1000})
	if x.Stopped != "states" || x.Complete || x.States < 1000 || x.States > 1400 {
		t.Errorf("got %+v, want a stop at 1000 to 1400 states", x)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, err := table.Explore(ctx, paxos(2), depthFirst(options.Options{}))
	if err != nil || x.Stopped != "interrupted" || x.Complete {
		t.Errorf("%+v, %v", x, err)
	}
	for _, visited := range quickSets(1) {
		all := dive(t, paxos(2), options.Options{Visited: visited})
		x := dive(t, paxos(2), options.Options{Visited: visited, MaxBytes: all.Bytes / 2})
		if x.Stopped != "memory" || x.Complete || x.Bytes > all.Bytes/2 || x.States < 1000 {
			t.Errorf("visited %s: %+v", visited.Name, x)
		}
	}
	for _, opts := range []options.Options{{MaxDepth: -1}, {MaxDepth: 1 << 15}} {
		if _, err := table.Explore(context.Background(), paxos(1), depthFirst(opts)); err == nil {
			t.Errorf("%+v: no error", opts)
		}
	}
}

func TestDepthFirst_Deterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	sys := bundled.System(t, "twophase", 4, sim.Limits{sim.Crashes: 1}, "TP3")
	for _, visited := range visitedSets {
		x, y := dive(t, sys, options.Options{Visited: visited}), dive(t, sys, options.Options{Visited: visited})
		if !x.Complete || !reflect.DeepEqual(x, y) {
			t.Errorf("%+v\n%+v", x, y)
		}
	}
}

// Few states wait, and transitions allocate nothing; only sets and tables do.
func TestDepthFirst_AllocatesNothing(t *testing.T) {
	for _, visited := range quickSets(2) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		x := dive(t, paxos(2), options.Options{Visited: visited})
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > uint64(x.Transitions/8) {
			t.Errorf("visited %s: %d allocations behind %d transitions", visited.Name, n, x.Transitions)
		}
		if x.Frontier > 1<<17 {
			t.Errorf("visited %s: states that wait take %d bytes", visited.Name, x.Frontier)
		}
	}
}

// Nondeterministic handlers are detected in this order, too.
func TestDepthFirst_ReportsNondeterminism(t *testing.T) {
	sys := &sim.System{Name: "hidden", Nodes: 3, New: func(sim.NodeID) sim.Service { return &tally{} }}
	x := dive(t, sys, options.Options{})
	var f *sim.Finding
	if !errors.As(x.Finding, &f) || f.Kind != sim.Nondeterminism || len(x.Path) == 0 {
		t.Errorf("got %+v, want nondeterminism with a path", x)
	}
}

func BenchmarkDepthFirst(b *testing.B) {
	for _, visited := range visitedSets {
		b.Run("visited="+visited.Name, func(b *testing.B) {
			sys := bundled.System(b, "paxos", 6, sim.Limits{})
			b.ReportAllocs()
			states, transitions := 0, 0
			begin := processorTime(b)
			for b.Loop() {
				x := dive(b, sys, options.Options{Visited: visited})
				states += x.States
				transitions += x.Transitions
			}
			seconds := (processorTime(b) - begin).Seconds()
			b.ReportMetric(float64(transitions)/seconds/1e6, "Mtransitions/cpu-s")
			b.ReportMetric(float64(states)/seconds/1e6, "Mstates/cpu-s")
		})
	}
}

package search_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/cases"
	"github.com/macemc/macemc/internal/test/papers"

	scripts "github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
	"pgregory.net/rapid"
)

// compareEngines runs one search by each engine, and by both in turn, and compares all results. It then checks that
// each engine reaches the finding by its path.
func compareEngines(t rapid.TB, cfg search.Config) *search.Result {
	t.Helper()
	cfg.HandlerLimit = patient
	var first *search.Result
	var firstErr error
	for i, engine := range []string{runloop.ReplayEngine, runloop.TableEngine, runloop.AutoEngine} {
		c := cfg
		c.Engine = engine
		if engine == runloop.AutoEngine {
			c = search.Alternating(c)
		}
		res, err := search.Run(context.Background(), c)
		if i == 0 {
			firstErr = err
		}
		if fmt.Sprint(err) != fmt.Sprint(firstErr) {
			t.Fatalf("%s by the replay engine: %v, by %s: %v", cfg.Strategy, firstErr, engine, err)
		}
		if err != nil {
			continue
		}
		if res.Finding != nil {
			res.Finding.Stack = ""
		}
		if i == 0 {
			first = res
		} else if a, b := withoutTimes(first), withoutTimes(res); a != b {
			t.Fatalf("%s by the replay engine: %s\nby %s: %s", cfg.Strategy, a, engine, b)
		}
	}
	if firstErr != nil {
		return nil
	}
	if f := first.Finding; f != nil && f.Kind != sim.Liveness && f.Kind != sim.Deadlock {
		leadsTo(t, &cfg.System, f)
	}
	return first
}

// leadsTo makes both engines execute the path of a finding.
func leadsTo(t rapid.TB, sys *sim.System, f *search.Suspect) {
	t.Helper()
	for i, newWorld := range []func(*sim.System, kernel.Options) (kernel.World, error){kernel.NewWorld, world.New} {
		w, err := newWorld(sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run, src := replay.NewRun(w), &choose.Prefix{Path: f.Path}
		err = run.Start(src)
		if err == nil {
			err = w.Check()
		}
		states := []encoding.Fingerprint{w.Fingerprint()}
		for err == nil && !src.Done() {
			index, _ := src.Take()
			if err = run.Step(index, src); err == nil {
				err = w.Check()
			}
			states = append(states, w.Fingerprint())
		}
		got, ok := err.(*sim.Finding)
		if s := f.Starved; s != nil {
			if err != nil || run.Steps() != f.Steps || !slices.Equal(run.Path, f.Path) || states[s.Steps] != states[s.Steps+s.Round] {
				t.Fatalf("engine %d comes to %v after %d steps by the path of %+v, and not round", i, err, run.Steps(), f)
			}
		} else if !ok || got.Kind != f.Kind || got.Property != f.Property || got.Message != f.Message || run.Steps() != f.Steps || !slices.Equal(run.Path, f.Path) {
			t.Fatalf("engine %d comes to %v after %d steps by the path of %+v", i, err, run.Steps(), f)
		}
	}
}

// compareSpaces explores a system to a depth in steps in four ways. Run by run, without and with tables, the search
// must see the same states. Breadth and depth first, it must count as many, with the same transitions.
func compareSpaces(t rapid.TB, sys *sim.System, depth int) {
	t.Helper()
	plain, found, failed := exploreStepwise(t, sys, runloop.ReplayEngine, depth, 0)
	byTable, foundByTable, failedByTable := exploreStepwise(t, sys, runloop.TableEngine, depth, 0)
	if fmt.Sprint(failed) != fmt.Sprint(failedByTable) {
		t.Fatalf("failed with %v, by tables with %v", failed, failedByTable)
	}
	if failed != nil {
		for _, strategy := range []search.Name{search.BFS, search.DFS} {
			// In another order, a finding may come before the failing step.
			if res, err := search.Run(context.Background(), search.Config{System: *sys, Strategy: strategy, MaxDepth: depth}); err == nil && res.Finding == nil {
				t.Fatalf("%s neither fails nor finds anything, runs fail with %v", strategy, failed)
			}
		}
		return
	}
	if (found == nil) != (foundByTable == nil) || found != nil && (found.Kind != foundByTable.Kind || found.Message != foundByTable.Message) {
		t.Fatalf("found %v, by tables %v", found, foundByTable)
	}
	if !maps.Equal(plain.seen, byTable.seen) || plain.live != byTable.live {
		t.Fatalf("%d states, %d of them live; by tables %d, %d", len(plain.seen), plain.live, len(byTable.seen), byTable.live)
	}
	var dfs *search.Result
	bfs, err := search.Run(context.Background(), search.Config{System: *sys, Strategy: search.BFS, MaxDepth: depth})
	if err == nil {
		dfs, err = search.Run(context.Background(), search.Config{System: *sys, Strategy: search.DFS, MaxDepth: depth})
	}
	if err != nil && found != nil {
		return // in another order, a failing step may come before the finding of runs
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*search.Result{bfs, dfs} {
		f := r.Finding
		if f != nil && (f.Kind == sim.Liveness || f.Kind == sim.Deadlock) {
			f = nil
		}
		if (f == nil) != (found == nil) {
			t.Fatalf("without tables %v; with them %+v", found, f)
		}
		if f == nil && r.Stats.States != len(plain.seen) {
			t.Fatalf("%d states; with tables %d", len(plain.seen), r.Stats.States)
		}
		if f != nil {
			leadsTo(t, sys, f)
		}
	}
	if found == nil {
		a, b := bfs.Stats, dfs.Stats
		a.Seconds, b.Seconds, a.Engine, b.Engine, a.Bytes, b.Bytes, a.Handlers, b.Handlers = 0, 0, stats.Engine{}, stats.Engine{}, 0, 0, 0, 0
		if a.Complete {
			a.ExhaustedDepth, b.ExhaustedDepth = 0, 0 // it means nothing else for these strategies
		} else {
			a.Fair, b.Fair = nil, nil // obligations are counted in expanded states, which differ
		}
		if bfs.Verdict != dfs.Verdict || bfs.Stopped != dfs.Stopped || !reflect.DeepEqual(a, b) || (bfs.Finding == nil) != (dfs.Finding == nil) {
			t.Fatalf("bfs %s, %+v\ndfs %s, %+v", bfs.Stopped, a, dfs.Stopped, b)
		}
	}
}

// runStrategies lists the strategies that execute runs.
var runStrategies = named(strategy.Walks)

// named lists the strategies that have the capabilities.
func named(c strategy.Capability) (names []search.Name) {
	for _, name := range strategy.Names(c) {
		names = append(names, search.Name(name))
	}
	return names
}

// onlyWalks reports whether a strategy consists of random walks.
func onlyWalks(name search.Name) bool {
	return name.Can(strategy.Walks) && !name.Can(strategy.Deepens)
}

// Engines agree on every bundled system. The strategies take turns with systems. A known bug changes only a line or two, so
// each system has one of its bugs.
func TestEngines_BundledSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for turn, entry := range papers.All() {
		variants := [][]string{nil}
		known := slices.DeleteFunc(slices.Clone(entry.Bugs), func(bug spec.Bug) bool {
			return bug.Kind == sim.Divergence || slices.Contains(bug.OtherKinds, sim.Divergence)
		})
		if len(known) > 0 {
			variants = append(variants, []string{known[turn%len(known)].ID})
		}
		for i, bugs := range variants {
			t.Run(entry.Name+strings.Join(bugs, ","), func(t *testing.T) {
				sys, err := entry.New(spec.Config{Nodes: entry.DefaultNodes, Bugs: bugs})
				if err == nil {
					sys, err = sys.WithLimits(entry.Limits)
				}
				if err != nil {
					t.Fatal(err)
				}
				compareEngines(t, search.Config{
					System: sys, Strategy: runStrategies[(turn+i)%len(runStrategies)], MaxPaths: 25, WalkSteps: 60, Workers: 1, Confirm: refute,
				})
				if i == 0 {
					compareSpaces(t, &sys, 2)
				}
			})
		}
	}
}

// Engines agree on small systems that use all features of services, by every strategy.
func TestEngines_RandomSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cases.Check(t, 40, func(t *rapid.T) {
		sys := *scripts.Draw(t).System()
		compareEngines(t, search.Config{
			System: sys, Strategy: rapid.SampledFrom(runStrategies).Draw(t, "strategy"), MaxPaths: 60, WalkSteps: 30,
			Seed: rapid.Uint64Range(1, 9).Draw(t, "seed"), Workers: rapid.IntRange(1, 2).Draw(t, "workers"), Confirm: refute,
		})
		compareSpaces(t, &sys, rapid.IntRange(1, 2).Draw(t, "depth"))
	})
}

// If liveness is violated, each strategy and engine confirms it by the same runs.
func TestEngines_Liveness(t *testing.T) {
	sys := bundled(t, "twophase", spec.Config{Nodes: 3, Bugs: spec.BugSet{"TP3"}})
	for _, strategy := range []search.Name{search.Deepening, search.Faulty} {
		if res := compareEngines(t, search.Config{System: sys, Strategy: strategy, MaxPaths: 2000, Workers: 2}); res.Verdict != search.Violation {
			t.Errorf("%s: %s", strategy, res.Verdict)
		}
	}
}

package pastry

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// system returns a system, with one property alone if a name is given.
func system(t testing.TB, c spec.Config, l sim.Limits, property string) sim.System {
	t.Helper()
	return systest.Build(t, Entry(), c, l, property)
}

func explore(t testing.TB, cfg search.Config) *search.Result {
	t.Helper()
	return systest.Search(t, cfg, 60)
}

// Over the transport it recovers from crashes, lost and duplicated datagrams as over streams, and lookups arrive.
func TestCorrectedOverTransport(t *testing.T) {
	for _, c := range []struct {
		nodes  int
		leaves string
		limits sim.Limits
		paths  int
	}{
		{1, "4", sim.Limits{sim.Crashes: 1}, 50},
		{3, "4", sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2, sim.Partitions: 1}, 80},
		{5, "2", sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1}, 20},
	} {
		t.Run(fmt.Sprintf("%d nodes", c.nodes), func(t *testing.T) {
			t.Parallel()
			sys := system(t, spec.Config{Nodes: c.nodes, Params: map[string]string{
				"over": "transport", "bits": "8", "leaves": c.leaves, "lookups": "1", "buffer": "8"}}, c.limits, "")
			res := explore(t, search.Config{System: sys, Strategy: search.Faulty, MaxPaths: c.paths})
			if f := res.Finding; f != nil {
				t.Fatalf("%s: %s: %s", f.Kind, f.Property, f.Message)
			}
			if c.nodes > 1 && res.Stats.Sometimes[0].Runs == 0 {
				t.Error("no lookup arrives")
			}
		})
	}
}

// Defects of the corrected system are found over the transport, too.
func TestBugIsFoundOverTransport(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys := system(t, spec.Config{Nodes: 2, Bugs: spec.BugSet{"P2"}, Params: map[string]string{"over": "transport", "bits": "8", "leaves": "4"}},
		sim.Limits{sim.Crashes: 1}, "")
	res := explore(t, search.Config{System: sys, Strategy: search.Faulty, MaxPaths: 3000})
	if f := res.Finding; f == nil || f.Kind != sim.Liveness && f.Kind != sim.Deadlock {
		t.Errorf("found %v", f)
	}
}

// defaults are the settings of a search for a bug.
func defaults(b *spec.Bug) search.Config {
	cfg := search.Config{Strategy: search.Name(b.Defaults.Strategy), WalkSteps: b.Defaults.WalkSteps}
	if b.Defaults.Prefix {
		cfg.PrefixRuns = 8
	}
	return cfg
}

// Each bug is found with its defaults: as the expected kind with all properties, and as the paper's kind with the
// paper's property alone. Without the bug the same settings find nothing.
func TestBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, b := range knownBugs() {
		t.Run(b.ID, func(t *testing.T) {
			for _, property := range []string{"", b.PaperProperty} {
				cfg := defaults(&b)
				cfg.System, cfg.MaxPaths = system(t, b.Apply(spec.Config{}), b.Defaults.Limits, property), 20_000
				res := explore(t, cfg)
				f := res.Finding
				if f == nil {
					t.Fatalf("property %q: not found in %d paths", property, res.Stats.Paths)
				}
				want := b.Kind
				if property != "" {
					want = b.PaperKind
				}
				if f.Kind != want || property != "" && f.Property != property {
					t.Errorf("property %q: found as %s: %s: %s", property, f.Kind, f.Property, f.Message)
				}
				if c, ok := res.Detail.(*critical.Result); ok && c.Case != critical.Located {
					t.Errorf("property %q: critical case %v", property, c.Case)
				}
			}
			cfg := defaults(&b)
			cfg.System = system(t, spec.Config{Nodes: b.Defaults.Nodes, Params: b.Defaults.Params}, b.Defaults.Limits, "")
			cfg.MaxPaths = 40
			clean(t, cfg)
		})
	}
}

func clean(t *testing.T, cfg search.Config) *search.Result {
	t.Helper()
	res := explore(t, cfg)
	if f := res.Finding; f != nil {
		t.Errorf("%s: %s: %s", f.Kind, f.Property, f.Message)
	}
	if res.Verdict != search.OK {
		t.Errorf("verdict %s after %d paths", res.Verdict, res.Stats.Paths)
	}
	return res
}

// The critical transition of P3, found without the property that detects it at once, is a step after which the bounds
// of some leaf set are wrong: the insertion that records the wrong bound.
func TestWrongBoundIsCritical(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	e := Entry()
	b, err := e.Bug("P3")
	if err != nil {
		t.Fatal(err)
	}
	cfg := defaults(b)
	cfg.System, cfg.MaxPaths = system(t, b.Apply(spec.Config{}), b.Defaults.Limits, b.PaperProperty), 20_000
	c, ok := explore(t, cfg).Detail.(*critical.Result)
	if !ok || c.Case != critical.Located {
		t.Fatalf("critical transition %+v", c)
	}

	sys := system(t, b.Apply(spec.Config{}), b.Defaults.Limits, "")
	world, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, at := replay.NewRun(world), 0
	src := choose.SourceFunc(func(choose.Point) int { at++; return int(c.Dead[at-1]) })
	if err := run.Start(src); err != nil {
		t.Fatal(err)
	}
	broken := Set(0)
	for run.Steps() < c.Step {
		before := broken
		if err := run.Step(src(choose.Point{}), src); err != nil {
			t.Fatal(err)
		}
		broken = 0
		for id := range sim.NodeID(sys.Nodes) {
			if !boundsAgree(id, world.Service(id).(*Node)) {
				broken = broken.With(id)
			}
		}
		if critical := run.Steps() == c.Step; critical && broken == before {
			t.Errorf("step %d is critical, but bounds disagree at %v before and after it", c.Step, broken)
		}
	}
	var f *sim.Finding
	if err := world.Check(); !errors.As(err, &f) || f.Property != BoundsAgree {
		t.Errorf("after the critical step: %v", err)
	}
}

// The corrected code has no findings at several sizes, and every handler and event occurs.
func TestCorrected(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		name     string
		nodes    int
		params   map[string]string
		limits   sim.Limits
		strategy search.Name
		paths    int
		steps    int
	}{
		{"2 nodes", 2, map[string]string{"bits": "32", "leaves": "4"}, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Loss: 2, sim.Dup: 2, sim.Partitions: 1}, search.Faulty, 400, 0},
		{"long keys", 3, nil, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1, sim.Loss: 1, sim.Dup: 1}, search.Faulty, 60, 4000},
		{"small leaf sets", 5, map[string]string{"bits": "32", "leaves": "2", "salt": "5"}, sim.Limits{sim.Crashes: 3, sim.NetErrors: 3, sim.Partitions: 1}, search.Faulty, 100, 0},
		{"small buffers", 4, map[string]string{"bits": "32", "leaves": "2", "buffer": "2"}, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}, search.Faulty, 150, 4000},
		{"8 nodes", 8, map[string]string{"bits": "32", "leaves": "4", "lookups": "2"}, sim.Limits{sim.Crashes: 3, sim.NetErrors: 3, sim.Partitions: 1}, search.Faulty, 40, 4000},
		{"digits of 8 bits", 6, map[string]string{"bits": "64", "leaves": "2", "digit": "8"}, sim.Limits{}, search.Walk, 50, 0},
		{"exhaustive", 3, map[string]string{"bits": "8", "leaves": "2"}, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}, search.Deepening, 200, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := system(t, spec.Config{Nodes: c.nodes, Params: c.params}, c.limits, "")
			res := clean(t, search.Config{System: sys, Strategy: c.strategy, MaxPaths: c.paths, WalkSteps: c.steps})
			if never := res.Stats.NeverHappened; c.strategy == search.Faulty && len(never) > 0 {
				t.Errorf("never happened: %v", never)
			}
			for _, s := range res.Stats.Sometimes {
				if s.Runs == 0 {
					t.Errorf("never seen: %s", s.Property)
				}
			}
		})
	}
}

// Sixteen nodes with keys of 160 bits and leaf sets of 16 join, and then route every node's key to it.
func TestFullSize(t *testing.T) {
	sys := system(t, spec.Config{Nodes: 16}, sim.Limits{}, "")
	world, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loop, walker := runloop.New(world), runs.NewWalker(search.DefaultWeights().Scale(), 20_000)
	for seed := range uint64(5) {
		walker.Seed(seed, 0)
		began := time.Now()
		o := loop.Run(walker, runloop.Task{})
		if !o.Live {
			t.Fatalf("seed %d ended %v after %d steps, not live: %v", seed, o.End, o.Steps, cmp.Or(o.Err, error(o.Finding)))
		}
		t.Logf("live after %d steps, %v", o.Steps, time.Since(began).Round(time.Millisecond))
		for from := range sim.NodeID(sys.Nodes) {
			for to := range sim.NodeID(sys.Nodes) {
				at, rare := from, false
				for hops := 0; at != to; hops++ {
					n := world.Service(at).(*Node)
					next, nextRare := n.nextHop(n.space.keys[to], None, rare)
					if next == at || hops == sys.Nodes {
						t.Fatalf("seed %d: the way from %d to %d ends at %d", seed, from, to, at)
					}
					at, rare = next, nextRare
				}
			}
		}
	}
}

// BenchmarkWalk measures random walks to their first live state: an operation is a walk. The larger
// system is Pastry in full size.
func BenchmarkWalk(b *testing.B) {
	for _, c := range []struct {
		name string
		conf spec.Config
	}{
		{"nodes=8/bits=32", spec.Config{Nodes: 8, Params: map[string]string{bitsParam: "32", leavesParam: "4"}}},
		{"nodes=16/bits=160", spec.Config{Nodes: 16}},
	} {
		b.Run(c.name, func(b *testing.B) {
			systest.BenchmarkWalks(b, system(b, c.conf, sim.Limits{}, ""), 20_000)
		})
	}
}

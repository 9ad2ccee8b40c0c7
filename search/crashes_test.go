package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func crashing(t *testing.T, bugs ...string) search.Config {
	sys := bundled(t, "paxos", spec.Config{Bugs: bugs})
	sys.Crashes = 1
	return search.Config{System: sys, Strategy: search.DFS}
}

// Crashes left out without a proof leave the verdict open; those that matter are searched if requested.
func TestCrashModels_Verdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		model   string
		bugs    []string
		verdict search.Verdict
		stopped string
		opaque  int
	}{
		{options.CrashImplicit, nil, search.OK, stats.StoppedComplete, 0},
		{options.CrashAuto, nil, search.OK, stats.StoppedComplete, 0},
		{options.CrashImplicit, []string{"PX2"}, search.Inconclusive, stats.StoppedCrashes, 3},
		{options.CrashAuto, []string{"PX2"}, search.Violation, stats.StoppedFound, 3},
	} {
		cfg := crashing(t, c.bugs...)
		cfg.Crashes = c.model
		r, err := search.Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.verdict || r.Stopped != c.stopped || len(r.Stats.Crashes.CrashSensitive) != c.opaque || r.Stats.ExhaustedDepth > 0 && !r.Stats.Complete ||
			slices.Contains(r.Stats.NeverHappened, "fault crash") {
			t.Errorf("%s %v: %s, stopped by %q, %+v", c.model, c.bugs, r.Verdict, r.Stopped, r.Stats.Crashes)
		}
	}
}

// Crash models are for strategies that visit all states.
func TestCrashModels_Refused(t *testing.T) {
	for _, change := range []func(*search.Config){
		func(c *search.Config) { c.Crashes = "some" },
		func(c *search.Config) { c.Crashes, c.Strategy = options.CrashAuto, search.Deepening },
		func(c *search.Config) { c.Crashes, c.Strategy = options.CrashImplicit, search.Walk },
	} {
		cfg := crashing(t)
		change(&cfg)
		if _, err := search.Run(context.Background(), cfg); err == nil {
			t.Errorf("%s with crash model %s is not refused", cfg.Strategy, cfg.Crashes)
		}
	}
}

// pledge is the message that a pledger must send only once.
type pledge struct{}

// pledger persists that it has pledged, and sends it to node 1, in one order or the other.
type pledger struct {
	sim.Nop
	Pledged   bool
	sendFirst bool
}

func (p *pledger) Boot(env sim.Env) { _, p.Pledged = env.Disk().Get("pledged") }

func (p *pledger) Pledge(env sim.Env) {
	p.Pledged = true
	if p.sendFirst {
		env.Send(1, pledge{})
	}
	env.Disk().Put("pledged", nil)
	env.Disk().Sync()
	if !p.sendFirst {
		env.Send(1, pledge{})
	}
}

type collector struct {
	sim.Nop
	Got int
}

func (c *collector) Receive(sim.Env, sim.NodeID, any) { c.Got++ }

func pledging(sendFirst bool) sim.System {
	return sim.System{
		Name: "pledging", Nodes: 2, Network: netsim.Datagrams{}, Crashes: 2,
		MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &pledger{sendFirst: sendFirst}
			}
			return &collector{}
		},
		Actions: []sim.AnyAction{sim.Action[*pledger]{Name: "pledge",
			When: func(p *pledger) bool { return !p.Pledged }, Do: (*pledger).Pledge}},
		Properties: []sim.Property{{Name: "at most one pledge",
			Always: sim.Each(func(_ sim.NodeID, c *collector) bool { return c.Got <= 1 })}},
	}
}

// Sent before persisted: the run must crash between two effects of one step. Persisted before sent, all
// states are clean.
func TestCrashes_SentBeforePersisted(t *testing.T) {
	for _, strategy := range []search.Name{search.Deepening, search.BFS, search.Faulty} {
		sys := pledging(true)
		res := run(t, search.Config{System: sys, Strategy: strategy, MaxPaths: 50_000})
		if res.Verdict != search.Violation || res.Finding.Kind != sim.Safety || res.Finding.Property != "at most one pledge" {
			t.Fatalf("%s: %s, %+v", strategy, res.Verdict, res.Finding)
		}
		trace, err := replay.Record(&sys, res.Finding.Path, kernel.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		inside := false
		for _, s := range trace.Steps {
			inside = inside || s.Crashed && s.Effects[0].Applied && !s.Effects[len(s.Effects)-1].Applied
		}
		if !inside {
			t.Errorf("%s: no step of the run crashed between its effects", strategy)
		}
	}
	for _, strategy := range []search.Name{search.Deepening, search.BFS} {
		res := run(t, search.Config{System: pledging(false), Strategy: strategy})
		if res.Verdict != search.OK || !res.Stats.Complete {
			t.Errorf("persisted first, %s: %s, %+v", strategy, res.Verdict, res.Finding)
		}
	}
}

// writer writes a value to its disk, and then sends it to its peer.
type writer struct {
	sim.Nop
	Wrote, Told bool
	Found       bool // the value, at boot
}

func (w *writer) Boot(env sim.Env) { _, w.Found = env.Disk().Get("a") }

func (w *writer) Receive(sim.Env, sim.NodeID, any) { w.Told = true }

// Only a crash inside the step, between sync and send, leaves a value on disk that is never sent. Faulty walks and
// deepening reach that; plain walks do not.
func TestCrashes_InsideStep(t *testing.T) {
	sys := sim.System{
		Name: "writer", Nodes: 2, Crashes: 1, Network: netsim.Datagrams{}, MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New: func(sim.NodeID) sim.Service { return &writer{} },
		Actions: []sim.AnyAction{sim.Action[*writer]{
			Name: "write", At: func(id sim.NodeID) bool { return id == 0 }, When: func(w *writer) bool { return !w.Wrote && !w.Found },
			Do: func(w *writer, env sim.Env) {
				w.Wrote = true
				env.Disk().Put("a", nil)
				env.Disk().Sync()
				env.Send(1, list{})
			},
		}},
		Properties: []sim.Property{{Name: "untold", Sometimes: func(v *sim.View) bool {
			a, _ := v.Service(0).(*writer)
			b, _ := v.Service(1).(*writer)
			for range v.InFlight() {
				return false
			}
			return a != nil && a.Found && !b.Told
		}}},
	}
	for _, name := range runStrategies {
		res := run(t, search.Config{System: sys, Strategy: name, MaxPaths: 2000, Workers: 1})
		if n := res.Stats.Sometimes[0].Runs; (n > 0) != name.Can(strategy.Faults) {
			t.Errorf("%s: %d runs", name, n)
		}
	}
}

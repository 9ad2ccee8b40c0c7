package crashes_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Results of bundled systems with implicit crashes.
func TestImplicitCrashes_BundledSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	for _, c := range []struct {
		system         string
		params         map[string]string
		bug            string
		crashes, halts int
		model          options.CrashModel
		symmetry       bool
		states         int // 0: it is violated
		opaque         []sim.NodeID
	}{
		{"paxos", nil, "", 2, 0, options.CrashImplicit, false, 875, nil},
		{"paxos", nil, "", 1, 1, options.CrashAuto, true, 228, nil},
		{"paxos", nil, "PX2", 1, 0, options.CrashAuto, false, 0, []sim.NodeID{2, 3, 4}},
		{"synod", nil, "", 0, 3, options.CrashImplicit, false, 1046, nil},
		{"synod", map[string]string{"quorum": "true"}, "", 0, 3, options.CrashAuto, true, 74, nil},
		{"synod", map[string]string{"quorum": "true", "proposers": "1"}, "", 1, 0, options.CrashAuto, false, 141, []sim.NodeID{0}},
		{"synod", nil, "SY1", 1, 1, options.CrashAuto, false, 0, nil},
		{"echo", nil, "", 0, 2, options.CrashAuto, false, 25, nil},
		{"register", map[string]string{"quorum": "true"}, "", 2, 2, options.CrashImplicit, false, 5228, nil},
	} {
		e, err := papers.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		var bugs []string
		if c.bug != "" {
			bugs = append(bugs, c.bug)
		}
		sys, err := e.New(spec.Config{Params: c.params, Bugs: bugs})
		if err != nil {
			t.Fatal(err)
		}
		sys.Crashes, sys.Halts = c.crashes, c.halts
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: options.ReduceFull, Crashes: c.model, Symmetry: c.symmetry})
		if err != nil {
			t.Fatal(err)
		}
		var opaque []sim.NodeID
		for _, o := range x.Crashes.CrashSensitive {
			opaque = append(opaque, o.Node)
		}
		if (x.Finding != nil) != (c.states == 0) || c.states > 0 && (x.States != c.states || !x.Complete || !x.Crashes.Proven) || !slices.Equal(opaque, c.opaque) {
			t.Errorf("%s %s: %d states, want %d; complete %v, found %v; %+v", c.system, c.bug, x.States, c.states, x.Complete, x.Finding, x.Crashes)
		}
	}
}

// Where crashes cannot be left out nothing is explored without them.
func TestImplicitCrashes_NotLeftOut(t *testing.T) {
	t.Parallel()
	h := habits{act: func(s *phoenix, env sim.Env) { s.A = 1 }}
	fine := func(*sim.View) bool { return true }
	for why, change := range map[string]func(*sim.System, *options.Options){
		"with a bound on depth some steps are unknown": func(_ *sim.System, o *options.Options) { o.MaxDepth = 50 },
		"states behind a violation are not visited, so some steps are unknown": func(_ *sim.System,
			o *options.Options) {
			o.Known = map[string]bool{}
		},
		"liveness: a crashed node may keep others from recovering": func(s *sim.System, _ *options.Options) {
			s.Properties[0] = sim.Property{Name: "live", Eventually: fine}
		},
		"timing Prompt": func(s *sim.System, _ *options.Options) { s.Timing = sim.Prompt },
		"streams":       func(s *sim.System, _ *options.Options) { s.Network = netsim.Streams{} },
		"messages wait in queues, where an undelivered one blocks those behind it": func(s *sim.System,
			_ *options.Options) {
			s.Network = netsim.Queues{Bound: 3}
		},
		"messages wait in queues, where an undelivered one blocks those behind it (arriving)": func(s *sim.System,
			_ *options.Options) {
			s.Network = netsim.Queues{Order: netsim.Arrival}
		},
		"queues": func(s *sim.System, _ *options.Options) { s.Network = netsim.Queues{} },
	} {
		for _, model := range []options.CrashModel{options.CrashImplicit, options.CrashAuto} {
			sys, opts := nest(1, 1, h, fine), options.Options{Crashes: model, Reduce: options.ReduceFull}
			change(sys, &opts)
			x, err := table.Explore(context.Background(), sys, opts)
			if err != nil {
				t.Fatal(why, err)
			}
			refused := model == options.CrashImplicit
			if c := x.Crashes; len(c.Why) == 0 || why[:len(c.Why)] != c.Why || len(c.Implicit) > 0 || c.Proven || refused != (x.Stopped == crashes.StoppedCrashes) || refused && x.Complete {
				t.Errorf("%s, %s: stopped by %q, %+v", why, model, x.Stopped, c)
			}
			if !refused && x.Coverage.Used[sim.Crashes] != 1 {
				t.Errorf("%s: nobody crashed", why)
			}
		}
	}
}

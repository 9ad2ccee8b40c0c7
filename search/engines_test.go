package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/runloop"
	opaque "github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// pointed draws and counts. With the third message, the tables cannot hold its state, because it cannot be shown.
type pointed struct {
	sim.Nop
	N     int
	Drawn int
}

type alarm struct{}

func (p *pointed) Boot(env sim.Env) { env.Send(1-env.Self(), "hello") }

func (p *pointed) Receive(env sim.Env, from sim.NodeID, msg any) {
	p.Drawn = env.Choose("drawn", 3)
	if p.N = (p.N + 1) % 5; p.N == 3 {
		env.SetTimer(alarm{}, 1)
	}
	env.Send(from, msg)
}

// Hosted implements [simext.Hosting].
func (p *pointed) Hosted() (string, any, string) {
	if p.N == 3 {
		panic("not to be shown")
	}
	return "", nil, ""
}

func pointedSystem() sim.System {
	return sim.System{
		Name: "pointed", Nodes: 2, Network: netsim.Datagrams{Loss: 1}, Crashes: 1,
		New: func(sim.NodeID) sim.Service { return &pointed{} },
		Properties: []sim.Property{
			{Name: "drawn low", Eventually: sim.Each(func(_ sim.NodeID, p *pointed) bool { return p.Drawn == 0 && p.N == 4 })},
		},
	}
}

// If the state tables do not support a state, the run continues without them from there, with no other visible effect.
func TestEngines_FallBackToReplay(t *testing.T) {
	paths := 500
	if testing.Short() {
		paths = 60
	}
	for _, strategy := range runStrategies {
		cfg := search.Config{
			System: pointedSystem(), Strategy: strategy, MaxPaths: paths, WalkSteps: 50, Workers: 1, HandlerLimit: patient,
			Engine: runloop.ReplayEngine, Confirm: refute,
		}
		want := run(t, cfg)
		got := run(t, search.Alternating(cfg))
		if a, b := withoutTimes(want), withoutTimes(got); a != b {
			t.Errorf("%s: by the replay engine %s\nhaving fallen back to it %s", strategy, a, b)
		}
		e := got.Stats.Engine
		if !strings.Contains(e.Unsupported, "the state of node") || e.TableEvents == 0 && e.ReplayEvents == 0 || e.Used != runloop.ReplayEngine {
			t.Errorf("%s: %+v", strategy, e)
		}
		cfg.Engine = runloop.TableEngine
		if _, err := search.Run(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "use the replay engine") {
			t.Errorf("%s by tables alone: %v", strategy, err)
		}
	}
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		_, err := search.Run(context.Background(), search.Config{System: pointedSystem(), Strategy: strategy})
		if err == nil || !strings.Contains(err.Error(), "the state of node") || !strings.Contains(err.Error(), "use strategy deepening") {
			t.Errorf("%s: %v", strategy, err)
		}
	}
}

// Runs are executed by the faster engine once it is known, and the report names it. Which one it is depends on the
// machine, but every event is counted once.
func TestEngines_Reported(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	cfg := search.Config{System: bundled(t, "paxos", spec.Config{}), Strategy: search.Walk, MaxPaths: 20_000, Workers: 1, HandlerLimit: patient}
	res := run(t, cfg)
	e := res.Stats.Engine
	if e.Asked != runloop.AutoEngine || e.TableEvents+e.ReplayEvents != res.Stats.Events {
		t.Errorf("of %d events: %+v", res.Stats.Events, e)
	}
	if e.TableEvents > 0 && (e.Handlers == 0 || e.HitRate <= 0 || e.HitRate > 1 || len(e.Copies) == 0) {
		t.Errorf("got %+v, want handlers, a hit rate up to 1, and copies", e)
	}
	cfg.Engine = runloop.TableEngine
	if e := run(t, cfg).Stats.Engine; e.Used != runloop.TableEngine || e.ReplayEvents != 0 || e.HitRate < 0.99 {
		t.Errorf("by tables: %+v", e)
	}
	cfg.Engine = runloop.ReplayEngine
	if e := run(t, cfg).Stats.Engine; e.Used != runloop.ReplayEngine || e.TableEvents != 0 || e.Handlers != 0 {
		t.Errorf("without tables: %+v", e)
	}
}

// The coverage of a search over states is reported as for walks.
func TestStateful_Coverage(t *testing.T) {
	sys := sim.System{
		Name: "covering", Nodes: 2, Network: netsim.Datagrams{Loss: 2, Dup: 1}, Crashes: 1,
		MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New:      func(sim.NodeID) sim.Service { return &pledger{sendFirst: true} },
		Actions: []sim.AnyAction{
			sim.Action[*pledger]{Name: "pledge", Times: 1, At: func(id sim.NodeID) bool { return id == 0 }, Do: (*pledger).Pledge},
			sim.Action[*pledger]{Name: "never", When: func(*pledger) bool { return false }, Do: (*pledger).Pledge},
		},
		Properties: []sim.Property{
			{Name: "pledged", Sometimes: func(v *sim.View) bool { return v.Service(0) != nil && v.Service(0).(*pledger).Pledged }},
			{Name: "moon", Sometimes: func(*sim.View) bool { return false }},
		},
	}
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		// There is one datagram: its second loss needs the duplicate, in the fourth step; bfs to depth 3 has one.
		for _, c := range []struct{ depth, loss int }{{0, 2}, {2, 1}} {
			s := run(t, search.Config{System: sys, Strategy: strategy, MaxDepth: c.depth}).Stats
			if got := strings.Join(s.NeverHappened, ", "); got != "action never, sometimes moon" {
				t.Errorf("%s to depth %d: never happened: %s", strategy, c.depth, got)
			}
			if want := (sim.Limits{sim.Loss: c.loss, sim.Dup: 1, sim.Crashes: 1}); s.FaultsUsed != want {
				t.Errorf("%s to depth %d: %+v, want %+v", strategy, c.depth, s.FaultsUsed, want)
			}
			if len(s.Sometimes) != 2 || s.Sometimes[0].Runs != 1 || s.Sometimes[1].Runs != 0 {
				t.Errorf("%s: %+v", strategy, s.Sometimes)
			}
		}
	}
	// In one step only the action, or a crash, happens.
	s := run(t, search.Config{System: sys, Strategy: search.DFS, MaxDepth: 1}).Stats
	if got := strings.Join(s.NeverHappened, ", "); got != "action never, fault duplication, fault loss, message pledge, sometimes moon" {
		t.Errorf("in one step: never happened: %s", got)
	}
}

// carrying stands for a program: describing it is expensive.
type carrying struct {
	sim.Nop
	N *hidden
}

type hidden struct{ n int }

func (*carrying) Carries() {}

func (c *carrying) Boot(env sim.Env) { env.SetTimer(alarm{}, 1) }

func (c *carrying) Timer(env sim.Env, _ any) {
	c.N.n++
	if c.N.n < 20 {
		env.SetTimer(alarm{}, 1)
	}
}

// Programs are executed by the replay engine unless another one is requested, and no engine describes their states
// internally.
func TestEngines_Programs(t *testing.T) {
	for _, engine := range []string{runloop.AutoEngine, runloop.ReplayEngine, runloop.TableEngine} {
		shown := 0
		r := run(t, search.Config{Engine: engine, Strategy: search.Walk, MaxPaths: 2000, WalkSteps: 50, Workers: 1, HandlerLimit: patient, System: sim.System{
			Name: "carrying", Nodes: 2,
			New: func(sim.NodeID) sim.Service { return &carrying{N: &hidden{}} },
			State: []sim.StateRule{
				sim.EncodeBy(func(dst []byte, h *hidden) []byte { return append(dst, byte(h.n)) }),
				sim.CopyBy(func(h *hidden) *hidden { c := *h; return &c }),
				sim.ShowBy(func(h *hidden) string { shown++; return "" }),
			},
		}})
		e := r.Stats.Engine
		if e.Programs != (engine == runloop.AutoEngine) || (e.TableEvents > 0) != (engine == runloop.TableEngine) || shown > 0 {
			t.Errorf("%s: %d steps by tables, %d by replay, programs %v; states were shown %d times", engine, e.TableEvents, e.ReplayEvents, e.Programs, shown)
		}
	}
}

// unceasing never stops, and cannot be copied.
type unceasing struct {
	sim.Nop
	N   int
	Odd opaque.Opaque
}

func (o *unceasing) Boot(env sim.Env) {
	o.Odd = opaque.NewOpaque()
	env.SetTimer("next", 1)
}

func (o *unceasing) Timer(env sim.Env, t any) {
	o.N++
	env.SetTimer(t, 1)
}

// A long run of services that cannot be copied is not made by tables, where each new step would take as long as all
// before it.
func TestEngines_LongRunsWithoutCopies(t *testing.T) {
	const runs, steps = 4, 1500
	sys := sim.System{
		Name: "endless", Nodes: 1, New: func(sim.NodeID) sim.Service { return &unceasing{} }, State: []sim.StateRule{opaque.OpaqueRule()},
		Properties: []sim.Property{{Name: "counts far", Eventually: sim.Each(func(_ sim.NodeID, o *unceasing) bool { return o.N >= steps })}},
	}
	res := run(t, search.Alternating(search.Config{System: sys, Strategy: search.Walk, MaxPaths: runs, WalkSteps: 2 * steps, Workers: 1, Seed: 1}))
	e := &res.Stats.Engine
	if e.TableEvents == 0 || e.TableEvents > runs*200 || e.ReplayEvents < runs*steps/2 {
		t.Errorf("%d steps by tables, %d by replay; %s", e.TableEvents, e.ReplayEvents, res.Verdict)
	}
}

// growing never stops, and its state grows.
type growing struct {
	sim.Nop
	Bytes []byte
}

func (*growing) Boot(env sim.Env) { env.SetTimer("next", 1) }

func (g *growing) Timer(env sim.Env, t any) {
	g.Bytes = append(g.Bytes, make([]byte, 1000)...)
	env.SetTimer(t, 1)
}

// A run is continued without tables when they have become large.
func TestEngines_RunsTooLargeForTables(t *testing.T) {
	const runs, steps = 4, 500
	sys := sim.System{
		Name: "growing", Nodes: 1, New: func(sim.NodeID) sim.Service { return &growing{} },
		Properties: []sim.Property{{Name: "large", Eventually: sim.Each(func(_ sim.NodeID, g *growing) bool { return len(g.Bytes) >= 1000*steps })}},
	}
	res := run(t, search.Alternating(search.Config{System: sys, Strategy: search.Walk, MaxPaths: runs, WalkSteps: 2 * steps, Workers: 1, Seed: 1}))
	e := &res.Stats.Engine
	if e.TableEvents == 0 || e.TableEvents > runs*steps/3 || e.ReplayEvents < runs*steps/2 {
		t.Errorf("%d steps by tables, %d by replay; %s", e.TableEvents, e.ReplayEvents, res.Verdict)
	}
}

// struckProgram is a service that faults of programs strike.
type struckProgram struct {
	sim.Nop
	Times int
}

func (p *struckProgram) CanStrike(sim.Fault) bool      { return true }
func (p *struckProgram) Strike(_ sim.Env, _ sim.Fault) { p.Times++ }

// Faults of programs strike up to their limits, which the coverage counts. Strategies that store states refuse them.
func TestEngines_ProgramFaults(t *testing.T) {
	sys := sim.System{Name: "struck", Nodes: 2, New: func(sim.NodeID) sim.Service { return &struckProgram{} }, ClockJumps: 2, HalfOpens: 1}
	for most, want := range map[int]search.Verdict{2: search.Violation, 3: search.OK} {
		sys.Properties = []sim.Property{{Name: "few", Always: func(v *sim.View) bool {
			return v.Service(0).(*struckProgram).Times+v.Service(1).(*struckProgram).Times <= most
		}}}
		r := run(t, search.Config{System: sys, Workers: 1, MaxPaths: 200})
		if r.Verdict != want || most == 3 && r.Stats.FaultsUsed != (sim.Limits{sim.ClockJumps: 2, sim.HalfOpens: 1}) {
			t.Errorf("at most %d: %s, faults used: %v", most, r.Verdict, r.Stats.FaultsUsed)
		}
	}
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		_, err := search.Run(t.Context(), search.Config{System: sys, Strategy: strategy})
		if err == nil || !strings.Contains(err.Error(), "does not support faults of programs (clock-jumps); use strategy deepening") {
			t.Errorf("%s: %v", strategy, err)
		}
	}
}

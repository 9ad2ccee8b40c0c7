package shrink_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/sim"
)

var safe = sim.Finding{Kind: sim.Safety, Property: "safe"}

func run(t testing.TB, cfg shrink.Config) *shrink.Result {
	t.Helper()
	r, err := shrink.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shrunk shrinks a run of sys that violates safety.
func shrunk(t testing.TB, sys sim.System, path choose.Path, f sim.Finding) *shrink.Result {
	t.Helper()
	return run(t, shrink.Config{Walks: critical.Config{System: sys}, Path: path, Finding: f})
}

// keys are the steps of a path, with their choices.
func keys(t testing.TB, sys *sim.System, path choose.Path) []string {
	t.Helper()
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range trace.Steps {
		text := s.Key
		for _, a := range s.Choices {
			if replay.Notable(a) {
				text += fmt.Sprintf(" %d", a.Pick)
			}
		}
		out = append(out, text)
	}
	return out
}

func want(t testing.TB, sys *sim.System, r *shrink.Result, steps ...string) {
	t.Helper()
	if got := keys(t, sys, r.Path); !slices.Equal(got, steps) {
		t.Errorf("shrunk to\n%q, want\n%q", got, steps)
	}
	if r.Steps != len(steps) || !r.Minimal {
		t.Errorf("%d steps, minimal: %v", r.Steps, r.Minimal)
	}
}

// The run goes 0, 1, 0, 1, 2, 1, 2 and to the bad state 3; only 0, 1, 2, 3 are needed. The last move has four
// alternatives, of which 1 to 3 are bad.
func TestLoopsAndPicks(t *testing.T) {
	tab := automaton.Table{
		Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 0), automaton.To(1, 2), automaton.To(2, 1), automaton.To(2, 0, 3, 3, 3)},
		Bad:   []int{3},
	}
	sys := tab.System()
	// In state 1 the events are m1 and m2, in state 2 m3 and m4.
	r := shrunk(t, sys, choose.Path{0, 0, 0, 1, 0, 1, 1, 3}, safe)
	want(t, &sys, r, "action n0 m0", "action n0 m2", "action n0 m4 1")
	if r.From != 7 || r.Finding == nil || r.Finding.Property != "safe" || r.Dead != nil {
		t.Errorf("%+v", r)
	}
}

// The crash in state 1 leads back to state 0 and is not needed. In the second system it is the crash
// itself that violates.
func TestFaults(t *testing.T) {
	tab := automaton.Table{
		Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 2)}, Bad: []int{2}, Crashes: 2,
	}
	sys := tab.System()
	// m0, crash, boot, m0, m1. In state 1 the events are m1 and crash.
	r := shrunk(t, sys, choose.Path{0, 1, 0, 0, 0}, safe)
	want(t, &sys, r, "action n0 m0", "action n0 m1")

	sys.Properties = []sim.Property{{Name: "safe", Always: func(v *sim.View) bool { return v.Service(0) != nil }}}
	r = shrunk(t, sys, choose.Path{0, 0, 0}, safe) // m0, m1; in state 2 only the crash
	want(t, &sys, r, "crash n0")
}

// pair is two nodes that count.
type pair struct {
	sim.Nop
	N int
}

func pairs(bad func(a, b int) bool) sim.System {
	return sim.System{
		Name: "pairs", Nodes: 2, New: func(sim.NodeID) sim.Service { return &pair{} },
		Actions: []sim.AnyAction{sim.Action[*pair]{Name: "add", Do: func(p *pair, _ sim.Env) { p.N++ }}},
		Properties: []sim.Property{{Name: "safe", Always: func(v *sim.View) bool {
			return !bad(v.Service(0).(*pair).N, v.Service(1).(*pair).N)
		}}},
	}
}

// Both nodes have to count to 2, in any order: one context switch is enough.
func TestContextSwitches(t *testing.T) {
	sys := pairs(func(a, b int) bool { return a >= 2 && b >= 2 })
	r := shrunk(t, sys, choose.Path{0, 1, 0, 1}, safe)
	want(t, &sys, r, "action n0 add", "action n0 add", "action n1 add", "action n1 add")
	// Either count does, so that one node can be left out.
	sys = pairs(func(a, b int) bool { return a >= 3 || b >= 3 })
	want(t, &sys, shrunk(t, sys, choose.Path{0, 1, 0, 1, 0}, safe), "action n0 add", "action n0 add", "action n0 add")
}

// parity panics at one place with an odd number, at another with the number 4.
type parity struct {
	sim.Nop
	N int
}

func (p *parity) Check(sim.Env) {
	if p.N%2 == 1 {
		panic("odd")
	}
	if p.N == 4 {
		panic(fmt.Sprint("four of ", p.N))
	}
}

// Two steps do for a panic, but only five for that at the same place.
func TestSamePlace(t *testing.T) {
	sys := sim.System{
		Name: "parity", Nodes: 1, New: func(sim.NodeID) sim.Service { return &parity{} },
		Actions: []sim.AnyAction{
			sim.Action[*parity]{Name: "add", Do: func(p *parity, _ sim.Env) { p.N++ }},
			sim.Action[*parity]{Name: "skip", Do: func(*parity, sim.Env) {}},
			sim.Action[*parity]{Name: "check", Do: (*parity).Check},
		},
	}
	path := choose.Path{1, 0, 1, 0, 0, 1, 0, 2}
	trace, err := replay.Record(&sys, path, kernel.Options{})
	if err != nil || trace.Finding == nil {
		t.Fatal(trace, err)
	}
	r := shrunk(t, sys, path, *trace.Finding)
	add := "action n0 add"
	want(t, &sys, r, add, add, add, add, "action n0 check")
	if r.Finding.Message != "four of 4" || !strings.Contains(r.Finding.Stack, "parity") {
		t.Errorf("finding %+v", r.Finding)
	}

	_, err = shrink.Run(t.Context(), shrink.Config{Walks: critical.Config{System: sys}, Path: choose.Path{0, 2}, Finding: *trace.Finding})
	if err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("a run with another panic: %v", err)
	}
}

// trap is 0 -> 1 -> 2 -> 0 with 2 live, a detour from 1 back to 0, and a trap of two states behind 1 that is
// entered by m4; the second alternative of m4 is not a trap.
var trap = automaton.Table{
	Moves: []automaton.Move{
		automaton.To(0, 1), automaton.To(1, 2), automaton.To(2, 0), automaton.To(1, 0), automaton.To(1, 0, 3, 3),
		automaton.To(3, 4), automaton.To(4, 3),
	},
	Live: []int{2},
}

// In state 1 the events are m1, m3, m4. The run goes 0, 1, 0, 1, 2, 0, 1 and into the trap by pick 2.
func deadRun(t testing.TB, workers int) shrink.Config {
	t.Helper()
	cfg := critical.Config{System: trap.System(), WalkSteps: 300, Walks: 50, Workers: workers}
	cfg.Path = slices.Concat(choose.Path{0, 1, 0, 0, 0, 0, 2, 2}, make(choose.Path, 300))
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if dead.Case != critical.Located || dead.Step != 7 {
		t.Fatalf("%+v", dead)
	}
	return shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}}
}

func TestDead(t *testing.T) {
	if testing.Short() {
		t.Skip("minimizes a run of 307 steps")
	}
	cfg := deadRun(t, 1)
	r := run(t, cfg)
	got := keys(t, &cfg.Walks.System, r.Path)
	if !slices.Equal(got[:2], []string{"action n0 m0", "action n0 m4 1"}) || len(got) != 202 || r.Steps != 202 || r.From != 307 {
		t.Errorf("%d steps of %d: %q", r.Steps, r.From, got[:min(5, len(got))])
	}
	if c := r.Dead; c.Case != critical.Located || c.Step != 2 || c.Choice != 0 || c.After.Walks != 50 || c.After.Recovered != 0 ||
		c.Live == nil {
		t.Errorf("critical transition %+v", c)
	}
	if !r.Minimal || !slices.Equal(r.Path, r.Dead.Dead) {
		t.Errorf("minimal: %v; path %v", r.Minimal, r.Path)
	}
	// The same again, by any number of workers.
	for _, workers := range []int{1, 3} {
		if testing.Short() && workers == 1 {
			continue
		}
		again := run(t, deadRun(t, workers))
		again.Dead.Engine = r.Dead.Engine
		if !reflect.DeepEqual(again, r) {
			t.Errorf("%d workers: %+v, want %+v", workers, again, r)
		}
	}
}

// Only the tail of a dead run is cut if there was no time to confirm a smaller cause.
func TestDeadLate(t *testing.T) {
	cfg := deadRun(t, 1)
	ctx, cancel := budget.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	smaller := false
	cfg.Progress = func(p shrink.Progress) {
		if smaller = p.Steps < cfg.Dead.Step; smaller {
			<-ctx.Done()
		}
	}
	r, err := shrink.Run(ctx, cfg)
	if err != nil || !smaller || r.Steps != 207 || r.From != 307 || r.Dead.Step != 7 || r.Dead.Steps != 207 || r.Minimal {
		t.Errorf("%v, a smaller one was known: %v; %d steps of %d, minimal: %v", err, smaller, r.Steps, r.From, r.Minimal)
	}
}

// Shrinking that is interrupted ends soon, with the original cause if it takes long to confirm a smaller one.
func TestDeadInterrupted(t *testing.T) {
	cfg := deadRun(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var slow atomic.Bool
	always := &cfg.Walks.System.Properties[0].Always
	*always = func(was func(*sim.View) bool) func(*sim.View) bool {
		return func(v *sim.View) bool {
			if slow.Load() {
				time.Sleep(5 * time.Millisecond)
			}
			return was(v)
		}
	}(*always)
	var interrupted time.Time
	cfg.Progress = func(p shrink.Progress) {
		if p.Steps < cfg.Dead.Step && !slow.Swap(true) {
			cancel()
			interrupted = time.Now()
		}
	}
	r, err := shrink.Run(ctx, cfg)
	if err != nil || interrupted.IsZero() || r.Steps != 207 || r.Minimal {
		t.Errorf("%v; %d steps of %d, minimal: %v", err, r.Steps, r.From, r.Minimal)
	}
	if took := time.Since(interrupted); took > 15*time.Second {
		t.Errorf("it ended %v after it was interrupted", took)
	}
}

// A dead run with an unknown critical step is cut behind the step after which it is dead.
func TestDeadUnlocated(t *testing.T) {
	cfg := deadRun(t, 1)
	cfg.Dead.Case, cfg.Dead.Step, cfg.Dead.Bound = critical.Unlocated, 0, 9
	r := run(t, cfg)
	if r.Steps != 209 || len(r.Path) < 209 || r.From != 307 || r.Minimal || r.Dead.Steps != r.Steps || r.Dead.Bound != 9 {
		t.Errorf("%d steps, path of %d, from %d, minimal: %v, %+v", r.Steps, len(r.Path), r.From, r.Minimal, r.Dead)
	}
}

// Dead from the first state on: there is no cause to shrink, and the tail is short.
func TestDeadFromTheStart(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 0)}, Live: []int{2}}
	cfg := critical.Config{System: tab.System(), Path: make(choose.Path, 300), WalkSteps: 300, Walks: 16, States: -1}
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil || dead.Case != critical.DeadFromStart {
		t.Fatal(dead, err)
	}
	r := run(t, shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}})
	// The walks were raised to 1,200 and 4,800 steps, and the run with them.
	if r.Steps != 200 || len(r.Path) != 200 || r.From != 300+1200+4800 || !r.Minimal || r.Dead.Case != critical.DeadFromStart {
		t.Errorf("%d steps, path of %d, from %d, %v", r.Steps, len(r.Path), r.From, r.Dead.Case)
	}
}

// A deadlock stays one: the way round the loop of states 5 and 6 is shorter, but no deadlock.
func TestDeadlock(t *testing.T) {
	tab := automaton.Table{
		Moves: []automaton.Move{
			automaton.To(0, 1), automaton.To(1, 0), automaton.To(1, 2), automaton.To(2, 1), // 0, 1 and 2 are connected
			automaton.To(2, 7), automaton.To(7, 0), // 7 is live
			automaton.To(1, 5), automaton.To(5, 6), automaton.To(6, 5), // never live, never stuck
			automaton.To(2, 3), automaton.To(3, 4), // stuck in 4
		},
		Live: []int{7},
	}
	sys := tab.System()
	// In state 1 the events are m1, m2, m6; in 2 m3, m4, m9.
	cfg := critical.Config{System: sys, Path: choose.Path{0, 0, 0, 1, 0, 1, 2, 0}, WalkSteps: 300, Walks: 50}
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil || dead.Case != critical.Located || dead.Step != 7 || !dead.OutOfEvents {
		t.Fatalf("%+v, %v", dead, err)
	}
	r := run(t, shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Deadlock, Property: "live"}})
	want(t, &sys, r, "action n0 m0", "action n0 m2", "action n0 m9", "action n0 m10")
	if !r.Dead.OutOfEvents || r.Dead.Step != 3 {
		t.Errorf("%+v", r.Dead)
	}
}

// If stopped, or out of budget, shrinking returns its best run, which still violates.
func TestEarlyEnd(t *testing.T) {
	cfg := deadRun(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := shrink.Run(ctx, cfg)
	if !errors.Is(err, shrink.ErrEnded) {
		t.Errorf("stopped before it began: %+v, %v", r, err)
	}
	tried := 0
	ctx, cancel = context.WithCancel(t.Context())
	cfg.Progress = func(p shrink.Progress) {
		if tried = p.Tried; tried == 4 {
			cancel()
		}
	}
	if r, err = shrink.Run(ctx, cfg); err != nil || r.Tried != 4 || r.Dead.Case != critical.Located || r.Dead.Step > 7 {
		t.Errorf("stopped after a while: %+v, %v", r, err)
	}

	sys := pairs(func(a, b int) bool { return a >= 20 && b >= 2 })
	path := slices.Concat(slices.Repeat(choose.Path{1}, 50), slices.Repeat(choose.Path{0}, 20))
	for steps := 1; steps < 4000; steps *= 3 {
		r := run(t, shrink.Config{Walks: critical.Config{System: sys}, Path: path, Finding: safe, MaxSteps: steps})
		trace, err := replay.Record(&sys, r.Path, kernel.Options{})
		if err != nil || trace.Finding == nil || trace.FoundAt != r.Steps || r.Minimal != (r.Steps == 22) {
			t.Errorf("%d steps: %d left, minimal: %v, %v, %v", steps, r.Steps, r.Minimal, trace.Finding, err)
		}
		if r.Executed > steps+2*len(path) {
			t.Errorf("%d steps executed, want about %d", r.Executed, steps)
		}
	}
}

// A run that cannot be shrunk is reported as such.
func TestUnable(t *testing.T) {
	cfg := deadRun(t, 1)
	cfg.Dead.Case = critical.TooLateToTell
	if _, err := shrink.Run(t.Context(), cfg); !errors.Is(err, shrink.ErrUnable) {
		t.Errorf("unknown critical step: %v", err)
	}
	cfg.Dead = nil
	for _, k := range []sim.FindingKind{sim.Nondeterminism, sim.Liveness} {
		cfg.Finding = sim.Finding{Kind: k}
		if _, err := shrink.Run(t.Context(), cfg); !errors.Is(err, shrink.ErrUnable) {
			t.Errorf("%s: %v", k, err)
		}
	}
	cfg.Finding = safe
	if _, err := shrink.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a run that does not violate: %v", err)
	}
	cfg.Path = choose.Path{9}
	if _, err := shrink.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "fit") {
		t.Errorf("a path that does not fit: %v", err)
	}
}

// A run that is proven dead is replaced by a smaller one that is, too, even if there are too many successors of its critical
// step.
func TestRun_ProvenDead(t *testing.T) {
	tab := automaton.Table{Live: []int{2}, Moves: []automaton.Move{
		automaton.To(0, 1), automaton.To(1, 0), automaton.To(1, 2), automaton.To(1, 3, 4), automaton.To(2, 2),
		automaton.To(3, 6), automaton.To(6, 4), automaton.To(4, 5), automaton.To(5, 4),
	}}
	cfg := critical.Config{System: tab.System(), WalkSteps: 200, Walks: 50, Workers: 1, States: 3}
	cfg.Path = slices.Concat(choose.Path{0, 0, 0, 2, 1}, make(choose.Path, 300)) // the fourth step is critical, by its second alternative
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil || dead.Step != 4 || dead.Proof != critical.Exact {
		t.Fatalf("%+v, %v", dead, err)
	}
	r := run(t, shrink.Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}})
	if r.Dead.Step != 2 || r.Dead.Proof != critical.Exact || !slices.Equal(r.Path[:3], choose.Path{0, 2, 0}) {
		t.Errorf("critical step %d, proof %q, path %v", r.Dead.Step, r.Dead.Proof, r.Path[:3])
	}
}

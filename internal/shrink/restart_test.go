package shrink

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/sim"
)

// hill has two ways to the bad state 9: one of 10 steps, in which none can be left out, and one of 8 others. Both end with
// move m9.
var hill = automaton.Table{
	Moves: []automaton.Move{
		automaton.To(0, 1), automaton.To(1, 2), automaton.To(2, 3), automaton.To(3, 4), automaton.To(4, 5), automaton.To(5, 6),
		automaton.To(6, 7),
		automaton.To(7, 18), automaton.To(18, 8), automaton.To(8, 9),
		automaton.To(0, 11), automaton.To(11, 12), automaton.To(12, 13), automaton.To(13, 14), automaton.To(14, 15),
		automaton.To(15, 16), automaton.To(16, 8),
	},
	Bad: []int{9}, Crashes: 1,
}

func hillConfig() Config {
	// In state 0 the events are m0 and m10, in each other one a move; a crash is possible everywhere.
	return Config{
		Walks: critical.Config{System: hill.System()}, Path: make(choose.Path, 10), Finding: sim.Finding{Kind: sim.Safety, Property: "safe"},
	}
}

// A restart finds runs with other steps, with at most the faults of a path, that end with the same handler.
func TestRestarter_Next(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cfg := hillConfig()
	s, err := newRestarter(&cfg, cfg.Path, len(cfg.Path), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.seek(&cfg.Finding)
	lengths := map[int]bool{}
	for range 8 {
		script, ok := s.next(t.Context(), "action m9", 10, restartSteps)
		if !ok || script.cost().faults > 0 || script.last() != "action m9" {
			t.Fatalf("%v, ends with %q, %d faults", ok, script.last(), script.cost().faults)
		}
		lengths[len(script.Steps)] = true
	}
	if !lengths[8] || !lengths[10] {
		t.Errorf("runs of these lengths: %v, want 8 and 10", lengths)
	}
	if _, ok := s.next(t.Context(), "action m8", 10, restartSteps); ok || s.steps < restartSteps {
		t.Errorf("a run with another handler was found: %v, after %d steps", ok, s.steps)
	}
}

// A run at a local minimum is replaced by a smaller one with other steps.
func TestRun_Restarts(t *testing.T) {
	r, err := Run(t.Context(), hillConfig())
	if err != nil || r.Steps != 8 || !r.Minimal || r.Over {
		t.Errorf("%+v, %v; want 8 steps", r, err)
	}
}

// defects are judges that are wrong.
var defects = map[string]func(judge) judge{
	"accepts whatever is executed": func(judge judge) judge {
		return func(ctx context.Context, s Script) (Script, bool, error) {
			run, _, err := judge(ctx, s)
			return run, err == nil, err
		}
	},
	"accepts what is not executed": func(judge) judge {
		return func(_ context.Context, s Script) (Script, bool, error) { return s, true, nil }
	},
	"forgets the original": func(judge judge) judge {
		return func(ctx context.Context, s Script) (Script, bool, error) {
			run, ok, err := judge(ctx, s)
			if ok {
				run.Steps = nil
			}
			return run, ok, err
		}
	},
	"returns more steps": func(judge judge) judge {
		return func(ctx context.Context, s Script) (Script, bool, error) {
			run, ok, err := judge(ctx, s)
			run.Steps = slices.Concat(run.Steps, run.Steps)
			return run, ok, err
		}
	},
}

// Whatever a wrong judge accepts, the result is no larger than the original run and ends with its finding when it is executed
// again.
func TestRun_WrongJudge(t *testing.T) {
	for name, defect := range defects {
		t.Run(name, func(t *testing.T) {
			cfg := hillConfig()
			cfg.judged = defect
			r, err := Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			w, err := kernel.NewWorld(&cfg.Walks.System, kernel.Options{Contain: contain.Exited(&cfg.Finding)})
			if err != nil {
				t.Fatal(err)
			}
			p := &Player{Run: replay.NewRun(w)}
			run, err := p.Follow(r.Path)
			if err != nil || run.Finding == nil || run.Finding.Property != "safe" || r.Finding == nil || r.Steps > 10 ||
				r.Steps != len(run.Script.Steps) {
				t.Errorf("%d steps with %v; executed again: %v, %v", r.Steps, r.Finding, run.Finding, err)
			}
		})
	}
}

// trapConfig has a dead run with the critical step 5, m0 m1 m2 m0 m3.
func trapConfig(t *testing.T) Config {
	t.Helper()
	trap := automaton.Table{
		Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 2), automaton.To(2, 0), automaton.To(1, 3), automaton.To(3, 4),
			automaton.To(4, 3)},
		Live: []int{2},
	}
	walks := critical.Config{System: trap.System(), WalkSteps: 300, Walks: 50, Workers: 1}
	walks.Path = slices.Concat(choose.Path{0, 0, 0, 0, 1}, make(choose.Path, 300))
	dead, err := critical.Find(t.Context(), walks)
	if err != nil || dead.Step != 5 {
		t.Fatalf("%+v, %v", dead, err)
	}
	return Config{
		Walks: walks, Path: walks.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}, MaxSteps: 50_000,
	}
}

// Nor is a dead run replaced by one that is not dead, or that has another critical transition.
func TestRun_WrongJudgeOfDeadRuns(t *testing.T) {
	cfg := trapConfig(t)
	for name, defect := range defects {
		t.Run(name, func(t *testing.T) {
			cfg := cfg
			cfg.judged = defect
			r, err := Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			again := cfg.Walks
			again.Path = r.Path
			found, err := critical.Find(t.Context(), again)
			if err != nil || found.Case != critical.Located || found.Step != r.Dead.Step || r.Dead.Step > 5 {
				t.Errorf("critical step %d; searched again: %+v, %v", r.Dead.Step, found, err)
			}
		})
	}
}

// If the smallest dead run is never confirmed, shrinking goes on from the smallest confirmed one.
func TestRun_ContinuesFromConfirmed(t *testing.T) {
	cfg := trapConfig(t)
	wrong, right := 0, 0
	cfg.judged = func(judge judge) judge {
		return func(ctx context.Context, s Script) (Script, bool, error) {
			run, ok, err := judge(ctx, s)
			switch {
			case ok:
				right++
			case right > 0 && wrong < 3 && len(s.Steps) == 1: // once after each time that more walks are required
				wrong++
				return s, true, nil
			}
			return run, ok, err
		}
	}
	r, err := Run(t.Context(), cfg)
	if err != nil || r.Dead.Step != 2 || !r.Minimal || wrong < 3 {
		t.Errorf("critical step %d, minimal %v, %v; wrong %d times", r.Dead.Step, r.Minimal, err, wrong)
	}
}

func TestLuby(t *testing.T) {
	var got []int
	for i := range 15 {
		got = append(got, luby(i+1))
	}
	if want := []int{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// restartedHill returns a restarter for the smallest run of the hill, and a reducer of that run with the given judge.
func restartedHill(t *testing.T, judged func(judge) judge) (*restarter, *reducer) {
	t.Helper()
	s, r := restartedRun(t, &hill, append(choose.Path{1}, make(choose.Path, 7)...))
	if r.judge = judged(r.judge); len(r.best.Steps) != 8 {
		t.Fatalf("%d steps; want the smallest run of 8", len(r.best.Steps))
	}
	return s, r
}

// restartedRun returns a restarter for a violating run, and a reducer of it.
func restartedRun(t *testing.T, tab *automaton.Table, path choose.Path) (*restarter, *reducer) {
	t.Helper()
	cfg := hillConfig()
	cfg.Walks.System = tab.System()
	s, err := newRestarter(&cfg, path, 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.seek(&cfg.Finding)
	run, err := s.trace.Follow(path)
	if err != nil || run.Finding == nil {
		t.Fatalf("%d steps, %v", len(run.Script.Steps), err)
	}
	never := func() bool { return false }
	r := &reducer{best: run.Script, report: func(*reducer) {}, effort: effort{spent: never, halfSpent: never}}
	r.judge = func(_ context.Context, script Script) (Script, bool, error) {
		run := s.trace.Play(script)
		return run.Script, run.Finding != nil, nil
	}
	return s, r
}

// Restarting ends early if several runs in a row reduce to the size of the best one.
func TestReducer_RestartConverges(t *testing.T) {
	var tab automaton.Table
	for i := range 8 {
		tab.Moves = append(tab.Moves, automaton.To(i, i+1))
	}
	tab.Bad = []int{8}
	s, r := restartedRun(t, &tab, make(choose.Path, 8))
	runs := s.counted()
	if r.restartOnce(t.Context(), s); len(r.best.Steps) != 8 || *runs != converged {
		t.Errorf("%d steps after %d runs, want %d", len(r.best.Steps), *runs, converged)
	}
}

// counted counts the violating runs that walks find.
func (s *restarter) counted() *int {
	runs, violates := 0, s.violates
	s.violates = func(run Played, handler string) (Script, bool) {
		script, ok := violates(run, handler)
		if ok {
			runs++
		}
		return script, ok
	}
	return &runs
}

// The numbers of runs that are not smaller, and of steps of walks that find none, grow with the best run.
func TestReducer_RestartEnds(t *testing.T) {
	s, r := restartedHill(t, func(judge) judge {
		return func(context.Context, Script) (Script, bool, error) { return Script{}, false, nil }
	})
	runs := s.counted()
	if r.restartOnce(t.Context(), s); *runs != restarts+8/stepsPerRun {
		t.Errorf("%d runs, want %d", *runs, restarts+8/stepsPerRun)
	}
	began := s.steps
	s.suspect = func(*runloop.Outcome) bool { return false }
	r.restartOnce(t.Context(), s)
	if steps := s.steps - began; steps < 8*walkedPerStep || steps > 9*walkedPerStep {
		t.Errorf("%d steps of walks, want about %d", steps, 8*walkedPerStep)
	}
}

// Restarting and resampling alternate until neither finds a smaller run.
func TestReducer_Alternate(t *testing.T) {
	cfg := hillConfig()
	s, r := restartedHill(t, func(judge judge) judge { return judge })
	small := r.best
	long, err := s.trace.Follow(cfg.Path)
	if err != nil {
		t.Fatal(err)
	}
	r.best = long.Script
	restarted := 0
	again := &resampler{player: s.trace, random: choose.NewRandom(1, 1), executed: func() int { return s.trace.Steps }}
	again.violates = func(*Played, int) bool { return false }
	r.alternate(t.Context(), func() {
		if restarted++; restarted == 2 {
			r.best = small
		}
	}, again)
	if restarted != 1 {
		t.Errorf("restarted %d times without a smaller run, want once", restarted)
	}
	restarted = 1
	steps := 0
	r.alternate(t.Context(), func() {
		if restarted++; restarted == 2 {
			r.best = small
		}
		steps = s.trace.Steps
	}, again)
	if restarted != 3 || len(r.best.Steps) != 8 {
		t.Errorf("restarted %d times, %d steps; want again after a smaller run", restarted-1, len(r.best.Steps))
	}
	if s.trace.Steps != steps {
		t.Errorf("%d more steps; the same run was resampled twice", s.trace.Steps-steps)
	}
}

// The default budget is the number of steps of the search, but at least some seconds' worth, which are fewer steps if states
// are large.
func TestConfig_Bound(t *testing.T) {
	world := func(bytes int) kernel.World { return sizedWorld{bytes: bytes} }
	for _, c := range []struct{ given, searched, bytes, want int }{
		{1000, 5, 0, 1000}, {0, 5, 1, leastWork / leastSize}, {0, 5, 1000, leastWork / 1000}, {0, 700_000, 1000, 700_000},
		{0, 1 << 40, 1000, DefaultMaxSteps},
	} {
		cfg := Config{MaxSteps: c.given, Searched: c.searched}
		if cfg.bound(world(c.bytes)); cfg.MaxSteps != c.want {
			t.Errorf("%+v: %d steps", c, cfg.MaxSteps)
		}
	}
	cfg := hillConfig()
	w, err := kernel.NewWorld(&cfg.Walks.System, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(&pathfile.Source{}); err != nil {
		t.Fatal(err)
	}
	if s, ok := w.(interface{ NodeBytes() int }); !ok || s.NodeBytes() < 1 || s.NodeBytes() >= leastSize {
		t.Errorf("the size of a small state is %d, %v", s.NodeBytes(), ok)
	}
}

// sizedWorld is a world with nodes' states of a size.
type sizedWorld struct {
	kernel.World
	bytes int
}

func (w sizedWorld) NodeBytes() int { return w.bytes }

// Variants of dead runs have a smaller budget, because the judge makes walks.
func TestReducer_ResamplesDeadRunsLess(t *testing.T) {
	const length = 40
	var line automaton.Table
	for i := range length {
		line.Moves = append(line.Moves, automaton.To(i, i+1))
	}
	sys := line.System()
	steps := func(walks bool) int {
		w, err := kernel.NewWorld(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := &Player{Run: replay.NewRun(w)}
		run, err := p.Follow(make(choose.Path, length))
		if err != nil {
			t.Fatal(err)
		}
		never := func() bool { return false }
		r := &reducer{best: run.Script, report: func(*reducer) {}, effort: effort{spent: never, halfSpent: never}}
		r.judge = func(context.Context, Script) (Script, bool, error) { return Script{}, false, nil }
		p.Steps = 0
		again := &resampler{player: p, random: choose.NewRandom(1, 1), executed: func() int { return p.Steps }, walks: walks}
		again.violates = func(*Played, int) bool { return false }
		r.reduceAndResample(t.Context(), again)
		return p.Steps
	}
	if all, dead := steps(false), steps(true); all < length*resampledPerStep || dead > all/2+2*length {
		t.Errorf("%d steps, and %d of a dead run", all, dead)
	}
}

package search

import (
	"context"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/sim"
)

// rearming always has two timers to choose from.
type rearming struct {
	sim.Nop
	Fired [2]int
}

func (s *rearming) Boot(env sim.Env) {
	env.SetTimer(0, time.Second)
	env.SetTimer(1, time.Second)
}

func (s *rearming) Timer(env sim.Env, timer any) {
	s.Fired[timer.(int)]++
	env.SetTimer(timer, time.Second)
}

// stopper stops a worker when a run has so many steps.
type stopper struct {
	worker *worker
	at     int
}

func (s *stopper) OnStep(at *runloop.Node, _ *stepinfo.Step) {
	if at.Step == s.at {
		s.worker.signal.Or(runloop.StopSignal)
	}
}

// A worker can be stopped in the middle of its first run, in the exhaustive part and in the walk after it.
func TestWorker_StoppedInFirstRun(t *testing.T) {
	for _, at := range []int{20, 150} {
		cfg, err := Config{Workers: 1, System: sim.System{
			Name: "rearming", Nodes: 1, New: func(sim.NodeID) sim.Service { return &rearming{} },
			Properties: []sim.Property{{Name: "never", Eventually: func(*sim.View) bool { return false }}},
		}}.complete()
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWorker(&cfg, 0, fpset.New())
		if err != nil {
			t.Fatal(err)
		}
		w.loop.Observe(&stopper{w, at})
		u := &unit{phase: deepeningPhase, runs: unitRuns, events: unitEvents, Job: runs.Job{Bound: 100, Items: []runs.Item{{}}},
			states: fpset.New(), coverage: coverage.New(&cfg.System)}
		w.do(u)
		if !u.stopped || u.totals.runs != 0 || u.totals.tallies.events() != at {
			t.Errorf("stopped at step %d: %v, after %d runs and %d events", at, u.stopped, u.totals.runs, u.totals.tallies.events())
		}
	}
}

// A confirmation that takes too long is cancelled, and the suspect is undecided. The search continues if it has time.
func TestSettle_ConfirmationEndsAtDeadline(t *testing.T) {
	cfg := Config{Workers: 1, Time: time.Hour, System: sim.System{Name: "rearming", Nodes: 1, New: func(sim.NodeID) sim.Service { return &rearming{} }}}
	cfg.Confirm = func(ctx context.Context, _ Suspect) (Confirmed, error) {
		<-ctx.Done()
		return Confirmed{}, ctx.Err()
	}
	s, err := newSearcher(cfg)
	if err != nil {
		t.Fatal(err)
	}
	dead := &Suspect{Finding: sim.Finding{Kind: sim.Liveness}}
	s.cfg.start = budget.Now() - 2*time.Hour
	if err := s.settle(context.Background(), dead, ""); err != nil {
		t.Fatal(err)
	}
	if s.findings.finding != nil || s.findings.undecided != 1 || s.stopping != stats.StoppedTime {
		t.Errorf("finding %v, %d undecided, stopped by %q; want one undecided, time", s.findings.finding, s.findings.undecided, s.stopping)
	}
	s.cfg.start, s.stopping = budget.Now(), ""
	s.cfg.Confirm = func(context.Context, Suspect) (Confirmed, error) { return Confirmed{}, context.DeadlineExceeded }
	ended, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	if err := s.settle(ended, dead, ""); err != nil || s.stopping != stats.StoppedInterrupted || s.findings.undecided != 2 {
		t.Errorf("from outside: %v, stopped by %q, %d undecided", err, s.stopping, s.findings.undecided)
	}
	s.stopping = "" // the deadlines pass before that of the context
	s.cfg.start = budget.Now()
	if err := s.settle(context.Background(), dead, ""); err != nil || s.stopping != "" || s.findings.undecided != 3 {
		t.Errorf("without deadlines: %v, stopped by %q, %d undecided", err, s.stopping, s.findings.undecided)
	}
	s.findings.found, s.stopping = 1, "" // as in a search that continues
	s.cfg.Confirm = func(ctx context.Context, _ Suspect) (Confirmed, error) {
		if at, ok := budget.Deadline(ctx); !ok || at != s.cfg.start+time.Hour {
			t.Errorf("after a finding a confirmation may go on for %v", at-s.cfg.start)
		}
		return Confirmed{Refuted: true}, nil
	}
	if err := s.settle(context.Background(), dead, ""); err != nil {
		t.Fatal(err)
	}
}

// A round of fault-free walks, which may be long, takes no more events than the work before it, if that was much.
func TestTake_EventsOfWalks(t *testing.T) {
	cfg := Config{Workers: 1, System: sim.System{Name: "rearming", Nodes: 1, New: func(sim.NodeID) sim.Service { return &rearming{} }}}
	s, err := newSearcher(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		strategy     Name
		before, want int // events of a unit
	}{
		{Walk, 0, 2048}, {Walk, 320_000, 20_000}, {Walk, 1 << 30, 32_768}, {Faulty, 0, 32_768},
	} {
		s.totals.tallies = tallies{}
		s.totals.tallies.of(startPhase).Events = c.before
		for _, u := range s.take(s.cfg.walks(c.strategy)) {
			if u.events != c.want {
				t.Errorf("strategy %s, after %d events: a unit may take %d, want %d", c.strategy, c.before, u.events, c.want)
			}
		}
	}
}

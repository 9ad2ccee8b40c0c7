package shrink

import (
	"context"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
)

const (
	// restarts is the number of searches in a row that find no smaller run before shrinking ends.
	restarts = 8
	// leastRestarted is the size of runs from which on a restart pays.
	leastRestarted = 8
	// restartSteps is the maximum number of steps of the random walks of a restart.
	restartSteps = 400_000
	// restartShare is the denominator of the share of the time for restarts. They also take at most half of the steps.
	restartShare = 4
	// longest is the maximum length of a walk of a restart, as a multiple of the best run, or of leastWalk.
	longest = 8
)

// restarter searches again for the finding, by random walks with at most the faults of the best run, which reducing
// may leave at a local minimum: smaller runs may have nothing in common with it.
type restarter struct {
	cfg   *Config
	loop  *runloop.Loop
	walks *runs.Faulty
	limit int     // length of a walk
	trace *Player // of the system with these faults
	steps int     // executed by walks
}

// newRestarter returns a restarter for the best run, which has this path.
func newRestarter(cfg *Config, path choose.Path) (*restarter, error) {
	o, err := runs.Follow(&cfg.Walks.System, path)
	if err != nil {
		return nil, err
	}
	sys, err := cfg.Walks.System.WithLimits(o.Used)
	if err != nil {
		return nil, err
	}
	opts := kernel.Options{Contain: cfg.contains()}
	s := &restarter{cfg: cfg, limit: max(longest*o.Steps, leastWalk)}
	if s.loop, err = runloop.NewByEngine(&sys, runloop.Engine(cfg.Walks.Engine), opts); err != nil {
		return nil, err
	}
	w, err := kernel.NewWorld(&sys, opts)
	if err != nil {
		return nil, err
	}
	s.trace = &Player{Run: replay.NewRun(w)}
	var names []string
	for _, name := range search.Schedules() {
		names = append(names, string(name))
	}
	weights := cfg.Walks.Weights
	if weights == (search.Weights{}) {
		weights = search.DefaultWeights()
	}
	s.walks = runs.NewFaulty(runs.Settings{
		Scale: weights.Scale(), Given: weights != search.DefaultWeights(), Schedules: names, Seed: cfg.Walks.Seed + 1, Steps: s.limit,
	}, o.Used)
	s.walks.SetRoots([]choose.Path{nil})
	s.walks.Begin(&runs.Job{Count: 1 << 30, Mix: mix(len(names))}, nil)
	return s, nil
}

// mix returns the schedules of successive walks: half of them have the first one, the others the rest in turn.
func mix(schedules int) []uint8 {
	var out []uint8
	for k := 1; k < schedules; k++ {
		out = append(out, 0, uint8(k))
	}
	return out
}

// next returns a script of a run with the finding in a handler, or false if the walks of a restart find none. A run that
// ends with another handler may show another defect.
func (s *restarter) next(ctx context.Context, handler string) (Script, bool) {
	for began := s.steps; s.steps-began < restartSteps && ctx.Err() == nil; {
		task, ok := s.walks.Next()
		if !ok {
			return Script{}, false
		}
		var o runloop.Outcome
		s.loop.Measure(func() { o = s.loop.Run(&short{runloop.Stoppable{Strategy: s.walks, Ctx: ctx}, s.limit}, task) })
		s.steps += o.Steps
		if o.End != runloop.Found || o.Stuck != nil || !same(o.Finding, &s.cfg.Finding) {
			continue
		}
		run, err := s.trace.Follow(s.loop.Replay().Path.Clone())
		if err == nil && run.Finding != nil && same(run.Finding, &s.cfg.Finding) && run.Script.last() == handler {
			return run.Script, true
		}
	}
	return Script{}, false
}

// short ends runs after a number of steps.
type short struct {
	runloop.Stoppable
	limit int
}

// Select implements [runloop.Strategy].
func (s *short) Select(at *runloop.Node) runloop.Selection {
	if at.Step >= s.limit {
		return runloop.Selection{End: runloop.Stopped}
	}
	return s.Stoppable.Select(at)
}

// restart searches for other runs with the finding until none of several, reduced, is smaller than the best one.
func (r *reducer) restart(ctx context.Context, s *restarter) {
	for left := restarts; left > 0 && !r.over && len(r.best.Steps) >= leastRestarted; left-- {
		other, ok := s.next(ctx, r.best.last())
		if !ok {
			return
		}
		if r.aside(ctx, other, func(side *reducer) { side.dropMany(ctx); side.dropSingle(ctx) }) {
			left = restarts + 1
		}
	}
}

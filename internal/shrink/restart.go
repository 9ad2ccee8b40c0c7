package shrink

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const (
	// restarts is the number of searches in a row that find no smaller run before shrinking ends.
	restarts = 8
	// leastRestarted is the size of runs from which on a restart pays.
	leastRestarted = 8
	// restartSteps is the maximum number of steps of the random walks of a restart.
	restartSteps = 1_000_000
	// restartShare is the denominator of the share of the remaining budget that a restart has, in steps and in time.
	restartShare = 2
	// longest is the maximum length of a walk of a restart, as a multiple of the best run, or of leastWalk. shortest is the
	// minimum one, at least shortWalk, of walks to a finding.
	longest   = 8
	shortest  = 3
	shortWalk = 20
	// A restart permits one more run that is not smaller for each stepsPerRun steps of the best run, and walks of
	// walkedPerStep steps since the last smaller one for each of its steps. A short run has little to gain.
	stepsPerRun   = 4
	walkedPerStep = 8_000
	// converged is the number of runs that reduce to the size of the best one before restarting ends, because
	// the others probably do, too.
	converged = 3
)

// restarter searches again for the finding, or for a dead run, by random walks. Reducing may leave the best run at a
// local minimum, and smaller runs may have nothing in common with it.
type restarter struct {
	loop   *runloop.Loop
	walks  *runs.Faulty
	limit  int     // length of a walk
	varied bool    // walks have different lengths, up to limit
	count  int     // walks of different lengths
	trace  *Player // of the system with these faults
	steps  int     // executed by walks
	// suspect reports whether a walk may have violated. violates returns the violating start of its run, or false.
	suspect  func(o *runloop.Outcome) bool
	violates func(run Played, handler string) (Script, bool)
	spent    func() bool // whether the budget is used up
}

// newRestarter returns a restarter for a best run of that many steps. Its walks have at most the faults of the path.
// They recover within that many steps, or violate. 0 means that a recovery may be as long as a walk.
func newRestarter(cfg *Config, path choose.Path, steps, recovery int) (*restarter, error) {
	o, err := runs.Follow(&cfg.Walks.System, path)
	if err != nil {
		return nil, err
	}
	sys, err := cfg.Walks.System.WithLimits(o.Used)
	if err != nil {
		return nil, err
	}
	opts := kernel.Options{Contain: cfg.contains()}
	s := &restarter{limit: max(longest*steps, leastWalk) + recovery, spent: func() bool { return false }}
	if s.loop, err = runloop.NewByEngine(&sys, string(cfg.Walks.Engine), opts); err != nil {
		return nil, err
	}
	w, err := kernel.NewWorld(&sys, opts)
	if err != nil {
		return nil, err
	}
	s.trace = &Player{Run: replay.NewRun(w)}
	var names []string
	for _, name := range schedules.Names() {
		names = append(names, string(name))
	}
	weights := cfg.Walks.Weights
	if weights == (search.Weights{}) {
		weights = search.DefaultWeights()
	}
	s.walks = runs.NewFaulty(runs.Settings{
		Scale: weights.Scale(), Given: weights != search.DefaultWeights(), Schedules: names, Seed: cfg.Walks.Seed + 1,
		Steps: cmp.Or(recovery, s.limit), Limits: o.Used,
	})
	s.walks.SetRoots([]choose.Path{nil})
	s.walks.Begin(&runs.Job{Count: 1 << 30, Mix: mix(len(names))}, nil)
	return s, nil
}

// seek searches for runs that end with a finding.
func (s *restarter) seek(f *sim.Finding) {
	s.varied = true
	s.suspect = func(o *runloop.Outcome) bool { return o.End == runloop.Found && o.Stuck == nil && same(o.Finding, f) }
	s.violates = func(run Played, handler string) (Script, bool) {
		return run.Script, run.Finding != nil && same(run.Finding, f) && run.Script.last() == handler
	}
}

// seekEnds searches for runs without further events.
func (s *restarter) seekEnds() {
	s.varied = true
	s.suspect = func(o *runloop.Outcome) bool { return o.End == runloop.OutOfEvents && !o.Live }
	s.violates = func(run Played, handler string) (Script, bool) {
		return run.Script, run.Finding == nil && run.Script.last() == handler
	}
}

// luby returns number i, from 1 on, of Luby's sequence 1, 1, 2, 1, 1, 2, 4, 1, ...: see Luby, Sinclair and Zuckerman, "Optimal
// Speedup of Las Vegas Algorithms", 1993.
func luby(i int) int {
	for k := bits.Len(uint(i)); ; k = bits.Len(uint(i)) {
		if i == 1<<k-1 {
			return 1 << (k - 1)
		}
		i -= 1<<(k-1) - 1
	}
}

// mix returns the schedules of successive walks: half of them have the first one, the others the rest in turn.
func mix(schedules int) []uint8 {
	var out []uint8
	for k := 1; k < schedules; k++ {
		out = append(out, 0, uint8(k))
	}
	return out
}

// next returns a script that violates in a handler, or false if walks with most steps find none. A run that ends with
// another handler may show another defect. steps is the number of steps of the best script.
func (s *restarter) next(ctx context.Context, handler string, steps, most int) (Script, bool) {
	for began := s.steps; s.steps-began < most && ctx.Err() == nil && !s.spent(); {
		task, ok := s.walks.Next()
		if !ok {
			return Script{}, false
		}
		var o runloop.Outcome
		limit := s.limit
		if s.varied {
			s.count++
			limit = min(limit, max(shortest*steps, shortWalk)*luby(s.count))
		}
		s.loop.Measure(func() { o = s.loop.Run(&short{runloop.Stoppable{Strategy: s.walks, Ctx: ctx}, limit}, task) })
		s.steps += o.Steps
		if !s.suspect(&o) {
			continue
		}
		s.trace.Interrupted = func() bool { return ctx.Err() != nil }
		if run, err := s.trace.Follow(s.loop.Replay().Path.Clone()); err == nil && !run.Cut {
			if script, ok := s.violates(run, handler); ok {
				return script, true
			}
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

// restart searches for other runs with the finding until none of several, reduced, is smaller than the best one. Those of
// a finding are searched for again after a smaller one.
func (r *reducer) restart(ctx context.Context, s *restarter) {
	for again := true; again && !r.over && len(r.best.Steps) >= leastRestarted; {
		again = r.restartOnce(ctx, s) && s.varied
	}
}

// alternate restarts and resamples the best run in turn, until neither finds a smaller one.
func (r *reducer) alternate(ctx context.Context, restart func(), s *resampler) {
	for first := true; ; first = false {
		before := r.best.cost().size()
		restart()
		if !first && r.best.cost().size() == before {
			r.reduce(ctx) // it may have fewer context switches; a run of this size has been resampled
			return
		}
		r.reduceAndResample(ctx, s)
		if r.over || r.best.cost().size() == before {
			return
		}
	}
}

// restartOnce ends after a number of runs that are not smaller, or of steps without a run. A longer best run permits more
// of both. It reports whether it found a smaller run.
func (r *reducer) restartOnce(ctx context.Context, s *restarter) (smaller bool) {
	began := s.steps
	for missed, equal := 0, 0; !r.over; missed++ {
		n := len(r.best.Steps)
		if n < leastRestarted || missed >= restarts+n/stepsPerRun || equal >= converged {
			break
		}
		if !r.inTime(ctx, &r.best) {
			break
		}
		other, ok := s.next(ctx, r.best.last(), n, min(restartSteps, began+walkedPerStep*n-s.steps))
		if !ok {
			break
		}
		before := r.best.cost().size()
		branch, ok := r.reduced(ctx, other, func(branch *reducer) { branch.dropSteps(ctx) })
		if ok {
			r.adopt(branch)
		}
		switch {
		case r.best.cost().size().less(before):
			missed, equal, began, smaller = -1, 0, s.steps, true
		case ok && s.varied && branch.best.cost().size() == before:
			equal++
		}
	}
	return smaller
}

// executed returns the number of executed steps. Several steps of walks count as one.
func (s *restarter) executed() int { return s.trace.Steps + s.steps/cheaper }

// restart searches once for other dead runs with the critical step in the same handler, if a third of the budget is
// left, and more walks find the best run dead. It uses at most another third.
func (d *deadShrinker) restart(ctx context.Context, r *reducer) error {
	if r.over || d.doubted || !r.inTime(ctx, &r.best) || d.executed() >= d.cfg.MaxSteps/3*2 || len(r.best.Steps) < leastRestarted {
		return nil
	}
	if d.player.Play(r.best).Cut {
		return nil
	}
	path := d.player.Run.Path.Clone()
	if !d.dead(path, 0, d.sureWalks()) {
		d.doubted = d.walks < verifying
		return nil
	}
	d.restarted = true
	s, err := newRestarter(d.cfg, path, len(r.best.Steps), d.quick)
	if err != nil {
		return err
	}
	s.suspect = func(o *runloop.Outcome) bool {
		return !o.Live && (o.End == runloop.OutOfEvents || !d.stuck && o.End == runloop.TooLong)
	}
	s.violates = d.deadStart
	spent := r.spent
	r.spent = func() bool { return d.doubted || d.executed()+s.executed() >= d.cfg.MaxSteps/3*2 }
	s.spent = r.spent
	restarting, cancel := d.cfg.restarting(ctx, r)
	d.ctx = restarting
	r.restart(restarting, s)
	cancel()
	d.ctx, r.spent = ctx, spent
	d.steps += s.steps
	d.restarted = !d.doubted
	r.over = r.err != nil
	return nil
}

// deadStart returns the start of a run that ends with the critical step, if that is in the handler.
func (d *deadShrinker) deadStart(run Played, handler string) (Script, bool) {
	if run.Finding != nil || run.Unlikely > d.most {
		return Script{}, false
	}
	if run = d.player.Play(run.Script); run.Err != nil || run.Finding != nil || run.Cut {
		return Script{}, false
	}
	dead := d.causeOf(run.Script)
	if !d.dead(dead.path, 0, d.walks) {
		return Script{}, false
	}
	// The first walks alone place the step almost always right.
	n := firstFrom(-1, len(dead.bounds), func(n int) bool { return d.dead(dead.until(n).path, 0, firstWalks) })
	if n > 0 && !d.dies(dead.until(n), d.walks) {
		n = d.firstDead(dead, n)
	}
	if n == 0 || d.ctx.Err() != nil || dead.script.Steps[n-1].Handler != handler {
		return Script{}, false
	}
	return dead.until(n).script, true
}

package critical

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/search"
)

// Find finds the critical transition of a run, unless the run recovers when it is continued. It searches for a step
// before which walks recover and after which none does: first 1, 2, 4, ... steps beyond the first indeterminate
// state, then by bisection. The result depends only on the configuration without Workers and Engine, unless ctx
// ends, or its [budget.Deadlines]. In that case it is the result known by then, if enough walks were made to call
// the run dead. The error is about the configuration, the system or the path, or is that of ctx.
func Find(ctx context.Context, cfg Config) (*Result, error) {
	cfg.Walks = cmp.Or(cfg.Walks, 200)
	cfg.WalkSteps = cmp.Or(cfg.WalkSteps, runs.DefaultSteps)
	cfg.Seed = cmp.Or(cfg.Seed, 1)
	cfg.Workers = cmp.Or(cfg.Workers, runtime.GOMAXPROCS(0))
	cfg.Engine = cmp.Or(cfg.Engine, runloop.AutoEngine)
	if cfg.Weights == (search.Weights{}) {
		cfg.Weights = search.DefaultWeights()
	}
	if cfg.Walks < 0 || cfg.WalkSteps < 0 || cfg.Workers < 0 {
		return nil, errors.New("critical: Walks, WalkSteps and Workers must not be negative")
	}
	p, err := newProber(&cfg)
	if err != nil {
		return nil, err
	}
	f := &finder{cfg: &cfg, prober: p, dead: deadRun{path: cfg.Path.Clone()}, effort: newEffort(cfg.Walks, cfg.WalkSteps),
		lastRecovering: -1, liveShared: -1, searches: searches{byStep: map[int]*table.Recovery{}}, equals: newEquals()}
	if d, ok := budget.DeadlinesOf(ctx); ok {
		ctx = &deadlined{ctx, d, f}
	}
	if err := f.replay(ctx); err != nil {
		return nil, err
	}
	if !f.dead.goal {
		return nil, ErrNoGoal
	}
	if err := f.takeKnownLive(ctx, cfg.Live); err != nil {
		return nil, err
	}
	res, err := f.find(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		if known := f.resultAtDeadline(context.WithoutCancel(ctx)); known != nil {
			res, err = known, nil
		}
	}
	if err == nil {
		if res.Violation() && f.dead.bounded {
			// Whatever ends these walks early, the result without them is right.
			res.Unbound, _ = p.withoutBound(ctx, f, f.dead.prefix(res.Bound), res.Bound)
		}
		res.Engine = p.engine()
		for _, w := range p.workers {
			res.HardlyJudged = res.HardlyJudged || w.loop.HardlyJudged()
		}
	}
	return res, err
}

// find searches for the critical transition, the step before which the state recovers and after which it does not:
//
//  1. It continues the run by the longest walk. If that becomes live, the run has recovered.
//  2. bisect finds the first step after which nothing recovers: it examines steps 1, 2, 4, ... beyond the one after the
//     last live state, and then halves the interval. A step recovers if a walk of a probe or the exhaustive search
//     (examine.go) finds a live state, or a live run visits an equal state (equal.go).
//  3. verifyDead accepts that step if it is proven dead, if all walks from it ran out of events, or if it lies in the
//     first half of the steps after the last live state and longer walks do not recover, either.
//  4. Otherwise walks become longer, the run is continued by one, and bisect starts again, up to maxLengthenings times.
func (f *finder) find(ctx context.Context) (*Result, error) {
	if f.dead.live {
		return f.result(Recovered, 0), nil
	}
	if ok, err := f.recoversIfExtended(ctx); err != nil || ok {
		return f.result(Recovered, 0), err
	}
	if f.cfg.ProveEnd {
		r, err := f.examine(ctx, f.dead.steps())
		switch {
		case err != nil:
			return nil, err
		case r != nil && r.Live != nil:
			return f.result(Recovered, 0), nil
		case !f.searches.proven(f.dead.steps()):
			return f.result(TooLateToTell, 0), nil
		}
	}
	if f.cfg.searchFirst {
		if ok, err := f.recoversExactly(ctx, f.dead.steps()); err != nil || ok {
			return f.result(Recovered, 0), err
		}
		f.searches.tooManyStates = false
	}
	for lengthened := 0; ; lengthened++ {
		if lengthened > 0 {
			if err := f.lengthen(ctx); err != nil {
				return nil, err
			}
			if f.dead.live {
				return f.result(Recovered, 0), nil
			}
		}
		step, recovers, err := f.bisect(ctx)
		switch {
		case err != nil:
			return nil, err
		case recovers:
			return f.result(Recovered, 0), nil
		case step > 0:
			ok, err := f.verifyDead(ctx, step)
			if err != nil {
				return nil, err
			}
			if ok {
				f.critical = step
				res, err := f.transition(ctx, step)
				if err != nil || f.searches.proven(step) {
					return res, err
				}
				if ok, err := f.recoversAsEqual(ctx, step); err != nil || !ok {
					return res, err
				}
				f.critical = 0 // a live run from the step before visits the state after the step
			}
			if lengthened == maxLengthenings {
				return f.result(TooLateToTell, 0), nil
			}
		default: // dead from the first state on
			if lengthened == maxLengthenings || f.probes.allOutOfEvents() || f.searches.proven(step) {
				return f.result(DeadFromStart, 0), nil
			}
		}
	}
}

// recoversIfExtended reports whether the run becomes live when it is continued for the maximum length of walks:
// accumulated messages may take many steps to be delivered. This is cheaper than to find where shorter walks fail.
// Before a deadline, a short walk first shows how long a step takes.
func (f *finder) recoversIfExtended(ctx context.Context) (bool, error) {
	if f.dead.outOfEvents {
		return false, nil
	}
	if d, ok := ctx.(*deadlined); ok {
		began := budget.Now()
		steps, live, err := f.extend(ctx, min(f.limit, leastLimit))
		if live || err != nil {
			return live, err
		}
		f.reduceTo(d.deadlines.Locate-budget.Now(), (budget.Now()-began)/time.Duration(max(steps, 1)))
	}
	limit := f.limit
	for range maxLengthenings {
		limit *= lengthenFactor
	}
	_, live, err := f.extend(ctx, limit)
	return live, err
}

// extend continues the run by a walk. It returns the number of steps of both, and whether the walk became live.
func (f *finder) extend(ctx context.Context, limit int) (steps int, live bool, err error) {
	w := f.prober.workers[0]
	o, err := f.prober.walk(ctx, w, f.dead.path, 0, limit)
	if err != nil || !f.isLive(w.loop, &o) {
		return o.Steps, false, err
	}
	f.save(w.loop.Replay().Path.Clone(), o.End == runloop.Found)
	return o.Steps, true, nil
}

// lengthen makes walks longer, and continues the run by such a walk.
func (f *finder) lengthen(ctx context.Context) error {
	f.limit *= lengthenFactor
	f.walks = max(f.walks/lengthenFactor, min(f.walks, minWalks))
	if f.dead.outOfEvents {
		return nil
	}
	w := f.prober.workers[0]
	o, err := f.prober.walk(ctx, w, f.dead.path, 0, f.limit)
	if err != nil {
		return err
	}
	if o.End == runloop.Found {
		return &Ended{Finding: o.Finding, Path: w.loop.Replay().Path.Clone(), Steps: o.Steps}
	}
	f.dead.path = append(f.dead.path[:0], w.loop.Replay().Path...)
	return f.replay(ctx)
}

// bisect returns the first step after which neither walks nor an exhaustive search recover. It is 0 only if no state
// of the run is live. If Expected was given, it is examined first, with the step before it. recovers is true if the end
// of the run recovers.
func (f *finder) bisect(ctx context.Context) (step int, recovers bool, err error) {
	first := f.dead.lastLive + 1 // the first indeterminate state
	start, hi := first, 0
	if e := f.cfg.Expected; e > first && e <= f.dead.steps() {
		if _, err := f.probe(ctx, e-1, true); err != nil { // all walks are needed if it is the critical step
			return 0, false, err
		}
		ok, err := f.recovers(ctx, e-1)
		switch {
		case err != nil:
			return 0, false, err
		case ok:
			start = e - 1
		default:
			hi = e - 1
		}
	}
	if start == first {
		if ok, err := f.recovers(ctx, first); err != nil || !ok {
			return first, false, err
		}
	}
	lo := start
	for d := 1; hi == 0 || hi-lo > 1; d *= 2 {
		at := int(uint(lo+hi) >> 1)
		if hi == 0 { // no step is known after which nothing recovers
			if at = min(start+d, f.dead.steps()); at == lo {
				return 0, true, nil
			}
		}
		ok, err := f.recovers(ctx, at)
		switch {
		case err != nil:
			return 0, false, err
		case ok:
			lo = at
		default:
			hi = at
		}
	}
	return hi, false, nil
}

// takeKnownLive uses the known live run, if it is live.
func (f *finder) takeKnownLive(ctx context.Context, live choose.Path) error {
	if live == nil {
		return nil
	}
	w := f.prober.workers[0]
	o, err := f.prober.walk(ctx, w, live, 0, 0)
	if err != nil || !f.isLive(w.loop, &o) {
		return err
	}
	f.save(live, o.End == runloop.Found)
	f.liveShared = f.nearestLive.common
	return nil
}

// recovers reports whether the state after a step recovers: by a walk, by an exhaustive search, or as an equal state does.
func (f *finder) recovers(ctx context.Context, step int) (bool, error) {
	if step <= f.liveShared {
		return true, nil
	}
	p, err := f.probe(ctx, step, false)
	if err != nil || p.Recovered > 0 {
		return err == nil, err
	}
	if ok, err := f.recoversExactly(ctx, step); ok || err != nil || f.searches.proven(step) {
		return ok, err
	}
	return f.recoversAsEqual(ctx, step)
}

// verifyDead reports whether the step is accepted as the critical one: because that is proven, all walks from it ran out
// of events, or it is in the first half of the steps after the last live state and longer walks do not recover either.
func (f *finder) verifyDead(ctx context.Context, step int) (bool, error) {
	p, err := f.probe(ctx, step, true)
	if err != nil || p.Recovered > 0 {
		return false, err
	}
	f.after = p
	if f.probes.allOutOfEvents() || f.searches.proven(step) {
		return true, nil
	}
	first := f.dead.lastLive + 1
	if !f.dead.outOfEvents && step-first > (f.dead.steps()-first)/2 {
		return false, nil
	}
	limit, walks := f.limit, f.walks
	f.limit, f.walks = max(f.limit*lengthenFactor, f.cfg.WalkSteps), max(f.walks/(2*lengthenFactor), min(f.walks, minWalks))
	if f.reduced {
		f.walks = f.enough
	}
	p, err = f.probe(ctx, step, false)
	f.limit, f.walks = limit, walks
	if f.reduced {
		f.after = p
	}
	return p.Recovered == 0, err
}

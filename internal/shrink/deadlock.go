package shrink

import (
	"context"
	"errors"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
)

// deadlock shrinks the run of a system that is dead from the start to a state without further events. No step is critical, so
// any run to such a state will do.
func (d *deadShrinker) deadlock(ctx context.Context) (*Result, error) {
	cfg, p := d.cfg, d.player
	pace := interruptible(ctx, d)
	first, err := p.Follow(cfg.Dead.Dead)
	switch {
	case err != nil:
		return nil, err
	case first.Cut:
		return nil, ErrEnded
	}
	cfg.bound(p.Run.World)
	reducing, confirming, cancel := divide(ctx, cfg.Time)
	defer cancel()
	d.ctx = reducing
	r := &reducer{best: first.Script, causes: p.Causes, prepare: p.Base}
	r.report = func(r *reducer) { cfg.report(r, p.Steps) }
	r.spent = func() bool { return p.Steps >= cfg.MaxSteps }
	r.halfSpent = func() bool { return p.Steps >= cfg.MaxSteps/2 }
	r.pace = pace
	r.judge = func(_ context.Context, s Script) (Script, bool, error) {
		run := p.Play(s)
		ok := run.Err == nil && run.Finding == nil && !run.Cut && run.Unlikely <= first.Unlikely
		if ok {
			o := d.walk(p.Run.Path.Clone(), 0, 0, d.walker)
			ok = o.End == runloop.OutOfEvents && !o.Live
		}
		return run.Script, ok, run.Err
	}
	violates := func(run *Played, steps int) bool { return run.Finding == nil && steps == len(run.Script.Steps) }
	if err := cfg.minimize(reducing, r, p, cfg.Dead.Dead, violates, (*restarter).seekEnds); err != nil {
		return nil, err
	}
	out := &Result{Path: cfg.Dead.Dead, Steps: len(first.Script.Steps), From: len(first.Script.Steps), Dead: cfg.Dead}
	out.Tried, out.Over = r.tried, r.spent() || errors.Is(reducing.Err(), context.DeadlineExceeded) || len(r.left) > 0
	out.Left = len(r.left)
	confirmed := len(r.accepted) == 0
	if d.ctx = confirming; !confirmed {
		dead, err := d.deadEnd(confirming, r.best)
		if err != nil {
			return nil, err
		}
		if confirmed = dead != nil; confirmed {
			out.Path, out.Steps, out.Dead = dead.Dead, dead.Steps, dead
		}
	}
	out.Minimal, out.Pairs, out.Choices, out.Executed = confirmed && r.minimal, confirmed && r.pairs, confirmed && r.choices, d.executed()
	return out, nil
}

// deadEnd returns the result of critical.Find for a script, or nil if that is not as certain a deadlock as the original run, or
// takes too long.
func (d *deadShrinker) deadEnd(ctx context.Context, s Script) (*critical.Result, error) {
	d.player.Base(Script{})
	if !d.plays(s) {
		return nil, nil
	}
	c := d.cfg.Walks
	c.Path, c.WalkSteps = d.player.Run.Path.Clone(), d.limit
	res, err := critical.Find(ctx, c)
	switch ended := (*critical.Ended)(nil); {
	case errors.As(err, &ended), err != nil && ctx.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	case res.Case != d.cfg.Dead.Case || !res.OutOfEvents || d.cfg.Dead.Proof == critical.Exact && res.Proof != critical.Exact:
		return nil, nil
	}
	return res, nil
}

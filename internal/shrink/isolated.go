package shrink

import (
	"context"
	"errors"
)

// IsolatedConfig configures the shrinking of a run that this process cannot execute, because its last step does not
// return or kills the process. T describes a confirmed run.
type IsolatedConfig[T any] struct {
	Start    Script
	MaxTried int            // number of candidates
	Progress func(Progress) // may be nil
	// Judge executes a script in another process, like a [Player]. It returns what was executed, including the last
	// step, and whether it ends like Start.
	Judge func(context.Context, Script) (Script, bool, error)
	// Confirm executes a script with a longer time limit than Judge. It returns nil if the script does not end like
	// Start.
	Confirm func(Script) (*T, error)
}

// rounds is the maximum number of times that Isolated continues from an earlier script.
const rounds = 2

// Isolated shrinks a run that this process cannot execute. If the smallest script is not confirmed it continues
// from the last confirmed one. It returns nil if none is confirmed. The error is that of Judge or Confirm.
func Isolated[T any](ctx context.Context, cfg IsolatedConfig[T]) (*T, *Result, error) {
	r := &reducer{best: cfg.Start, judge: cfg.Judge}
	r.report = func(r *reducer) {
		if cfg.Progress != nil {
			cfg.Progress(Progress{Steps: len(r.best.Steps), Tried: r.tried})
		}
	}
	r.spent = func() bool { return r.tried >= cfg.MaxTried }
	r.halfSpent = func() bool { return true } // a process for each candidate is too expensive
	result := func(s Script, minimal bool) *Result {
		return &Result{Steps: len(s.Steps), From: len(cfg.Start.Steps), Tried: r.tried, Minimal: minimal,
			Over: r.spent() || errors.Is(ctx.Err(), context.DeadlineExceeded)}
	}
	again := func(s Script) (*Script, error) {
		run, ok, err := cfg.Judge(ctx, s)
		if !ok || err != nil {
			return nil, err
		}
		return &run, nil
	}
	var best *T
	confirmed := cfg.Start
	for round := 0; ; round++ {
		r.forget()
		r.reduce(ctx)
		if r.err != nil {
			return nil, nil, r.err
		}
		if len(r.accepted) == 0 {
			return best, result(confirmed, r.minimal), nil
		}
		d, err := cfg.Confirm(r.best)
		if d != nil || err != nil {
			return d, result(r.best, r.minimal), err
		}
		// Judge was wrong about some script on the way.
		back, err := smallest(r.accepted, again)
		if back != nil && err == nil {
			if d, err = cfg.Confirm(*back); d != nil {
				best, confirmed = d, *back
			}
		}
		if err != nil || round == rounds || r.over {
			return best, result(confirmed, false), err
		}
		r.best, r.accepted, r.minimal = confirmed, nil, false
	}
}

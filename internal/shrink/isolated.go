package shrink

import "context"

// Isolated shrinks a run that this process cannot execute, because its last step does not return or kills
// the process. judge executes a script elsewhere, as a [Player] does, and returns what was executed, with
// the last step, and whether that is what start ends with. No more than maxTried candidates are tried.
// progress may be nil. The error is that of judge.
func Isolated(
	ctx context.Context, start Script, maxTried int, progress func(Progress),
	judge func(context.Context, Script) (Script, bool, error),
) (Script, *Result, error) {
	r := &reducer{best: start, judge: judge}
	r.tell = func(r *reducer) {
		if progress != nil {
			progress(Progress{Steps: len(r.best.Steps), Tried: r.tried})
		}
	}
	r.spent = func() bool { return r.tried >= maxTried }
	r.detoured = func() bool { return true } // a process for each is too much
	r.reduce(ctx)
	if r.err != nil {
		return Script{}, nil, r.err
	}
	return r.best, &Result{Steps: len(r.best.Steps), From: len(start.Steps), Tried: r.tried, Minimal: r.minimal}, nil
}

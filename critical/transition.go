package critical

import "context"

// transition returns the result for a critical step.
func (f *finder) transition(ctx context.Context, step int) (*Result, error) {
	if f.dead.outOfEvents || f.cfg.ProveEnd && !f.searches.proven(step) {
		if _, err := f.examine(ctx, f.dead.steps()); err != nil { // without events it has no successors, which is a proof
			return nil, err
		}
	}
	var err error
	res := f.result(Located, step)
	res.After = f.after
	if res.Before, err = f.before(ctx, step-1); err != nil {
		return nil, err
	}
	if res.Choice, err = f.choice(ctx, step); err != nil {
		return nil, err
	}
	res.Probes = f.probes.all()
	res.Live, res.LiveCommon = f.nearestLive.path, f.nearestLive.common
	return res, nil
}

// before makes all walks from the state before the critical step. If that state is live, it uses walks that first
// leave the live states, which are more informative.
func (f *finder) before(ctx context.Context, step int) (Probe, error) {
	if step > f.dead.lastLive {
		return f.probe(ctx, step, true)
	}
	f.prober.leaveLive = true
	p, err := f.probe(ctx, step, true)
	f.prober.leaveLive = false
	if err != nil || p.Recovered > 0 {
		return p, err
	}
	f.probes.finished = f.probes.finished[:len(f.probes.finished)-1]
	return f.probe(ctx, step, true)
}

// choice returns the index of the choice within the step that makes the run dead, or -1 if it is the event.
func (f *finder) choice(ctx context.Context, step int) (int, error) {
	begin := int(f.dead.bounds[step-1]) + 1
	// With the event and the first n picks fixed, walks recover for n <= lo, and do not for n >= hi.
	lo, hi := -1, len(f.dead.prefix(step))-begin
	for hi-lo > 1 {
		mid := (lo + hi) >> 1
		if lo < 0 {
			mid = 0 // usually the event decides
		}
		p, err := f.prober.probe(ctx, f, f.dead.path[:begin+mid], step-1, false)
		switch {
		case err != nil:
			return 0, err
		case p.Recovered > 0:
			lo = mid
			continue
		case f.searches.searched(step):
			r, _, err := f.explore(ctx, f.dead.path[:begin+mid])
			if err != nil {
				return 0, err
			}
			if r != nil && r.Live != nil {
				lo = mid
				continue
			}
		}
		hi = mid
	}
	return hi - 1, nil
}

func (f *finder) result(c Case, step int) *Result {
	res := &Result{
		Transition: Transition{Case: c, Step: step, Probes: f.probes.all(), OutOfEvents: f.dead.outOfEvents, LiveCommon: f.nearestLive.common},
		Choice:     -1, Dead: f.dead.path, Steps: f.dead.steps(), Live: f.nearestLive.path,
		onlySearchRecovers: c == Recovered && f.onlySearchRecovers(),
	}
	switch res.Bound = f.dead.steps(); c {
	case Located:
		res.Bound = step
	case DeadFromStart:
		res.Bound = f.dead.lastLive + 1
	case Unlocated:
		res.After, res.Bound = f.after, f.after.Step
	}
	if c != Recovered {
		res.Tail = f.tail(step)
		f.prove(res)
	}
	return res
}

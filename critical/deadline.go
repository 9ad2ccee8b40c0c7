package critical

import (
	"context"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/budget"
)

// deadFraction is the part of the walks of a probe, 1/deadFraction, that must fail at the deadline to call the run dead: 50 of 200 walks,
// the default, and at least minWalks.
const deadFraction = 4

// resultAtDeadline returns the result at the deadline, or nil if the run cannot be called dead. A run that did not
// recover by a long walk from its end counts as dead if no walk recovered from an earlier step, nor from an equal state.
func (f *finder) resultAtDeadline(ctx context.Context) *Result {
	if f.critical > 0 {
		equal, err := f.recoversAsEqual(ctx, f.critical)
		if err != nil {
			return nil
		}
		i := slices.IndexFunc(f.probes.finished, func(p finishedProbe) bool { return p.Step == f.critical-1 && p.Recovered > 0 })
		if i >= 0 && !equal {
			res := f.result(Located, f.critical)
			res.Before, res.After = f.probes.finished[i].Probe, f.after
			return res
		}
	}
	for equal := true; equal; {
		if f.after = f.mostFailed(); f.after.Walks < f.enough {
			return nil
		}
		var err error
		if equal, err = f.recoversAsEqual(ctx, f.after.Step); err != nil {
			return nil
		}
	}
	res := f.result(Unlocated, 0)
	if res.Proof == Walks && res.Unproven == "" {
		res.Unproven = "no time was left to search the successors"
	}
	return res
}

// lastRecoveringStep returns the last step from which the run is known to recover, or -1.
func (f *finder) lastRecoveringStep() int {
	alive := f.dead.lastLive
	for _, p := range f.probes.finished {
		if p.Recovered > 0 {
			alive = max(alive, p.Step)
		}
	}
	for step, r := range f.searches.byStep {
		if r != nil && r.Live != nil {
			alive = max(alive, step)
		}
	}
	for _, step := range f.equals.recovering {
		alive = max(alive, step)
	}
	return alive
}

// mostFailed returns the probe with the best evidence that the run is dead, or one without walks.
func (f *finder) mostFailed() (best Probe) {
	alive := f.lastRecoveringStep()
	for _, p := range append(f.probes.finished, finishedProbe{Probe: f.probes.interrupted}) {
		if p.Step > alive && p.Recovered == 0 && p.Walks > best.Walks && (!f.reduced || p.Limit >= f.cfg.WalkSteps) {
			best = p.Probe
		}
	}
	return best
}

// newEffort returns the effort of probes while time is left.
func newEffort(walks, limit int) effort {
	return effort{walks: walks, limit: limit, enough: max(walks/deadFraction, min(walks, minWalks))}
}

const (
	// leastLimit and leastWalks bound the reduction of the effort.
	leastLimit = 400
	leastWalks = 20
	// failingProbes is the number of probes without a live walk that locating a critical step is expected to take.
	failingProbes = 4
)

// suffice reports whether that many walks suffice to call the run dead if none is live.
func (e *effort) suffice(walks, configured int) bool {
	return walks >= e.enough && (!e.reduced || e.limit >= configured)
}

// reduceTo makes fewer and shorter walks if steps take so long that the critical step would not be located in the time that
// is left. Programs that never rest take all steps of each walk. Such walks only locate a step: it is called critical, and
// the run dead, only if enough walks of the configured length fail from there, too.
func (e *effort) reduceTo(left, step time.Duration) {
	for e.limit > leastLimit || e.walks > leastWalks {
		if time.Duration(failingProbes*e.walks*e.limit)*step <= left {
			return
		}
		e.walks, e.limit = max(e.walks/3, min(e.walks, leastWalks)), max(e.limit/2, min(e.limit, leastLimit))
		e.reduced = true
	}
}

// deadlined is a context whose Err also reports a deadline: Decide until enough walks failed to recover, and then
// Locate. Done does not.
type deadlined struct {
	context.Context
	deadlines budget.Deadlines
	f         *finder
}

func (c *deadlined) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	end := c.deadlines.Decide
	if c.f.enoughFailed.Load() {
		end = c.deadlines.Locate
	}
	if budget.Now() >= end {
		return context.DeadlineExceeded
	}
	return nil
}

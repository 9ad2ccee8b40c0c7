package critical

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/search"
)

// leastOf is the inverse fraction of the walks of an interrupted probe that suffices to conclude that none
// recovers.
const leastOf = 4

// known returns the result at the deadline, or nil if the run cannot be called dead. A run that did not
// recover by a long walk from its end counts as dead if no walk recovered from an earlier step.
func (f *finder) known() *Result {
	if f.critical > 0 {
		i := slices.IndexFunc(f.made, func(p probed) bool { return p.Step == f.critical-1 && p.Recovered > 0 })
		if i >= 0 {
			res := f.result(Located, f.critical)
			res.Before, res.After = f.made[i].Probe, f.after
			return res
		}
	}
	if f.after = f.dead(); f.after.Walks < f.enough() {
		return nil
	}
	res := f.result(Unlocated, 0)
	if res.Proof == Walks && res.Unproven == "" {
		res.Unproven = "no time was left to search the successors"
	}
	return res
}

// lastAlive returns the last step from which the run is known to recover, or -1.
func (f *finder) lastAlive() int {
	alive := f.lastLive
	for _, p := range f.made {
		if p.Recovered > 0 {
			alive = max(alive, p.Step)
		}
	}
	for step, r := range f.examined {
		if r != nil && r.Live != nil {
			alive = max(alive, step)
		}
	}
	return alive
}

// dead returns the probe with the best evidence that the run is dead, or one without walks.
func (f *finder) dead() (best Probe) {
	alive := f.lastAlive()
	for _, p := range append(f.made, probed{Probe: f.broken}) {
		if p.Step > alive && p.Recovered == 0 && p.Walks > best.Walks {
			best = p.Probe
		}
	}
	return best
}

// enough returns the number of walks of a probe that suffices to call the run dead.
func (f *finder) enough() int { return max(f.cfg.Walks/leastOf, min(f.cfg.Walks, minWalks)) }

// deadlined is a context whose Err also reports a deadline: Decide until enough walks failed to recover, and then
// Locate. Done does not.
type deadlined struct {
	context.Context
	deadlines search.Deadlines
	f         *finder
}

func (c *deadlined) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	end := c.deadlines.Decide
	if c.f.doomed.Load() {
		end = c.deadlines.Locate
	}
	if budget.Now() >= end {
		return context.DeadlineExceeded
	}
	return nil
}

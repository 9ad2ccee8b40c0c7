package critical

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/search"
)

// leastOf is which part of the walks of a probe, broken off by a deadline, is enough to say that none recovers.
const leastOf = 4

// known is what is known when the time is over; nil when that is not enough to say that the run is dead. A run from whose end a long
// walk did not recover is taken for dead when no walk did from an earlier step either.
func (f *finder) known() *Result {
	if f.settled > 0 {
		i := slices.IndexFunc(f.made, func(p probed) bool { return p.Step == f.settled-1 && p.Recovered > 0 })
		if i >= 0 {
			res := f.result(C1, f.settled)
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

// lastAlive returns the last step from which the run is known to recover; -1 means none.
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

// dead returns the probe that shows best that the run is dead, without walks if none does.
func (f *finder) dead() (best Probe) {
	alive := f.lastAlive()
	for _, p := range append(f.made, probed{Probe: f.broken}) {
		if p.Step > alive && p.Recovered == 0 && p.Walks > best.Walks {
			best = p.Probe
		}
	}
	return best
}

// enough returns how many walks of a probe show that the run is dead.
func (f *finder) enough() int { return max(f.cfg.Walks/leastOf, min(f.cfg.Walks, minWalks)) }

// patient is a context that ends, too, with the patience for a run: as long as it is not known that it is dead, and when more is to be found out.
type patient struct {
	context.Context
	patience search.Patience
	f        *finder
}

func (p *patient) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	end := p.patience.Decide
	if p.f.doomed.Load() {
		end = p.patience.Locate
	}
	if budget.Now() >= end {
		return context.DeadlineExceeded
	}
	return nil
}

package critical

import "slices"

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
	f.after = Probe{}
	for _, p := range append(f.made, probed{Probe: f.broken}) {
		if p.Step > alive && p.Recovered == 0 && p.Walks > f.after.Walks {
			f.after = p.Probe
		}
	}
	if f.after.Walks < max(f.cfg.Walks/leastOf, min(f.cfg.Walks, minWalks)) {
		return nil
	}
	res := f.result(Unlocated, 0)
	if res.Proof == Walks && res.Unproven == "" {
		res.Unproven = "the time did not do to search the states that follow"
	}
	return res
}

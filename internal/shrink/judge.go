package shrink

import (
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// judge reports whether a script ends with the critical step's handler, no walk recovers after that step, and a
// walk recovers from before it. If the script is dead earlier, after another step of that handler, the run ends there.
func (d *deadShrinker) judge(_ context.Context, s Script) (Script, bool, error) {
	if s.last() != d.last {
		return Script{}, false, nil
	}
	run := d.player.Play(s)
	n := len(run.Script.Steps)
	if run.Err != nil || run.Finding != nil || run.Cut || run.Script.last() != d.last || run.Unlikely > d.most {
		return Script{}, false, run.Err
	}
	cause, state := d.causeOf(run.Script), d.player.Run.World.Fingerprint()
	if !d.deaths[state] {
		if d.lives[state] {
			return Script{}, false, nil
		}
		if !d.dead(cause.path, 0, min(d.walks, firstWalks)) {
			d.lives[state] = d.ctx.Err() == nil
			return Script{}, false, nil
		}
		if d.revived(cause.script, d.most, d.reached) || !d.dead(cause.path, firstWalks, d.walks) {
			return Script{}, false, nil
		}
		d.deaths[state] = true
	}
	if d.alive(cause.script.without(n-1, n), cause.before(n)) == nil {
		if n = d.firstDead(cause, -1); n == 0 || d.ctx.Err() != nil || cause.script.Steps[n-1].Handler != d.last {
			return Script{}, false, nil
		}
		if cause = cause.until(n); d.alive(cause.script.without(n-1, n), cause.before(n)) == nil {
			return Script{}, false, nil
		}
	}
	if n <= d.verified-d.verified/verifyEach {
		if d.doubted = !d.dead(cause.path, 0, verifying); d.doubted {
			clear(d.deaths)
			return Script{}, false, nil
		}
		d.verified = n
	}
	return cause.script, true, nil
}

// played is a script as it was executed, with its path.
type played struct {
	script Script
	path   choose.Path
	bounds []int32 // as in [replay.Run]
}

// causeOf returns the run of a script that the player has just executed.
func (d *deadShrinker) causeOf(s Script) played {
	return played{s, d.player.Run.Path.Clone(), slices.Clone(d.player.Run.Bounds)}
}

// before returns the path to the state before a step, which is counted from 1.
func (p *played) before(step int) choose.Path { return p.path[:p.bounds[step-1]] }

// until returns the first steps of the run.
func (p *played) until(steps int) played {
	if steps == len(p.bounds) {
		return *p
	}
	return played{p.script.without(steps, len(p.script.Steps)), p.path[:p.bounds[steps]], p.bounds[:steps]}
}

// dies reports whether a run recovers neither by walks nor like a similar run.
func (d *deadShrinker) dies(p played, walks int) bool {
	return d.dead(p.path, 0, min(walks, firstWalks)) && !d.revived(p.script, d.most, d.reached) && d.dead(p.path, firstWalks, walks)
}

// firstDead returns the first step, from alive+1 on, after which a run that is dead at its end is dead. 0 means that it
// is dead from the start.
func (d *deadShrinker) firstDead(p played, alive int) int {
	return firstFrom(alive, len(p.bounds), func(n int) bool { return d.dies(p.until(n), d.walks) })
}

// firstFrom returns the first number after lo for which is returns true, by bisection. It holds for hi.
func firstFrom(lo, hi int, is func(n int) bool) int {
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; is(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// lateStep returns the first step of a dead run, from its critical one on, after which no known recovery of another
// run recovers. Random walks find these recoveries too rarely. It returns the critical step if no step qualifies.
func (d *deadShrinker) lateStep(s Script, step int) int {
	dead := func(n int) bool { return !d.revived(s.without(n, len(s.Steps)), d.most, d.reached) }
	lo, hi := step-1, 0
	for by := 0; hi == 0; by = max(1, 2*by) {
		at := min(step+by, len(s.Steps))
		switch {
		case dead(at):
			hi = at
		case at == len(s.Steps):
			return step
		default:
			lo = at
		}
	}
	return firstFrom(lo, hi, dead)
}

// sureWalks returns the number of walks before the critical transition of a candidate is searched for.
func (d *deadShrinker) sureWalks() int { return max(verifying, min(surest, sureSteps/d.quick)) }

// lasts reports whether neither many walks recover from the end of a path nor some longer ones.
func (d *deadShrinker) lasts(path choose.Path, longer int) bool {
	if !d.dead(path, 0, d.sureWalks()) {
		return false
	}
	quick := d.quick
	defer func() { d.quick = quick }()
	d.quick = d.limit
	return d.dead(path, 0, longer)
}

// confirm searches for the critical transition of a script with a new tail. It returns nil if the script is not
// dead, or has another critical transition.
func (d *deadShrinker) confirm(ctx context.Context, s Script) (*Result, error) {
	if !d.plays(s) || len(s.Steps) > d.cfg.Dead.Step {
		return nil, nil
	}
	start := d.player.Run.Path.Clone()
	before := start[:d.player.Run.Bounds[len(s.Steps)-1]]
	longer := verifying
	if d.refuted {
		longer = surest
	}
	if !d.lasts(start, longer) {
		return nil, nil // a search for the critical transition would take longer to tell
	}
	path, ok := d.tail(start, len(s.Steps))
	if !ok {
		return nil, nil
	}
	c := d.cfg.Walks
	c.Path, c.WalkSteps, c.Expected = path, d.limit, len(s.Steps)
	c.ProveEnd = d.cfg.Dead.Proof == critical.Exact // the smaller run must be as certain
	c.Live = d.alive(s.without(len(s.Steps)-1, len(s.Steps)), before)
	res, err := critical.Find(ctx, c)
	if ended := (*critical.Ended)(nil); errors.As(err, &ended) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if d.cfg.Dead.Proof == critical.Exact && res.Proof != critical.Exact {
		return nil, nil
	}
	if res.Case != critical.Located || res.Step > len(s.Steps) {
		d.refuted = true
		d.learn(res.Live, len(s.Steps))
	}
	if res.Case != critical.Located || res.Step > len(s.Steps) || s.Steps[res.Step-1].Handler != d.last {
		return nil, nil
	}
	res.Dead = res.Dead[:len(path)] // without the longer walks that may have been needed
	if run, err := d.player.Follow(res.Dead); err != nil || run.Cut {
		return nil, err
	}
	res.Steps = d.player.Run.Steps()
	return &Result{Path: res.Dead, Steps: res.Steps, Dead: res}, nil
}

// tail appends to the path of a cause with that many steps a walk in which the property never holds, and which ends
// like the finding. The run does not become longer than the original one: if that ends early because its last state is
// known to be dead, then so does the new one.
func (d *deadShrinker) tail(path choose.Path, steps int) (choose.Path, bool) {
	dead := d.cfg.Dead
	length := min(max(leastTail, steps+1), dead.Steps-dead.Step)
	stuck := d.cfg.Finding.Kind == sim.Deadlock // at the latest in this walk
	if stuck {
		length = min(d.limit, dead.Steps-steps)
	}
	for k := 0; k < tails && (stuck || length > 0) && d.ctx.Err() == nil; k++ {
		watch := &reaching{Walker: d.walker, goal: d.goal}
		o := d.walk(path, k, length, watch)
		if !watch.reached && !o.Live && (o.End == runloop.OutOfEvents) == stuck && (stuck || o.End == runloop.TooLong) {
			return d.loop.Replay().Path.Clone(), true
		}
	}
	return path, !stuck && length < leastTail && d.ctx.Err() == nil
}

// cut shortens a run without a known critical step: it is dead from its first state that is not live, or since some
// later step. Only its tail can be shortened.
func (d *deadShrinker) cut() (*Result, error) {
	_, r, err := d.truncated(d.cfg.Dead.Bound + leastTail)
	if err != nil {
		return nil, err
	}
	r.Executed, r.Minimal = d.player.Steps, r.Dead.Case == critical.DeadFromStart && r.Dead.Bound <= 1 // all before the tail is needed
	return r, nil
}

// truncated executes the first steps of the dead run, at most that many unless it runs out of events, and returns these steps.
func (d *deadShrinker) truncated(most int) (Played, *Result, error) {
	c := *d.cfg.Dead
	if c.OutOfEvents {
		most = c.Steps
	}
	run, err := d.player.followTo(c.Dead, most)
	if run.Cut {
		return run, nil, ErrEnded
	}
	if n := len(run.Script.Steps); n < c.Steps && run.Finding == nil {
		c.Dead, c.Steps = d.player.Run.Path.Clone(), n
	}
	return run, &Result{Path: c.Dead, Steps: c.Steps, From: d.cfg.Dead.Steps, Dead: &c}, err
}

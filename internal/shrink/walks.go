package shrink

import (
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/sim"
)

// walk makes random walk number k from the end of a path.
func (d *deadShrinker) walk(path choose.Path, k, limit int, s runloop.Strategy) runloop.Outcome {
	d.walker.SetLimit(limit)
	d.walker.Seed(d.seed, choose.Derive(choose.Derive(d.seed, path), choose.Path{int32(k)}))
	var o runloop.Outcome
	d.loop.Measure(func() { o = d.loop.Run(&runloop.Stoppable{Strategy: s, Ctx: d.ctx}, runloop.Task{Path: path}) })
	d.steps += o.Steps
	return o
}

// guided returns the path from which to make walk number k from the end of a script, which has this path. Every other
// walk first plays a part of a known recovery, because recoveries from similar states are similar.
func (d *deadShrinker) guided(s Script, path choose.Path, k int) choose.Path {
	if k%2 == 0 || len(d.recoveries) == 0 {
		return path
	}
	k /= 2
	r := d.recoveries[k%len(d.recoveries)].Steps
	whole := s
	whole.Steps = append(s.Steps[:len(s.Steps):len(s.Steps)], r[:len(r)*(k%guides+1)/guides]...)
	if run := d.player.Play(whole); run.Err != nil || run.Finding != nil || run.Cut || run.Unlikely > d.most {
		return path
	}
	return d.player.Run.Path.Clone()
}

// dead makes the walks of these numbers until one reaches the goal, or continues although it should be stuck.
func (d *deadShrinker) dead(path choose.Path, first, end int) bool {
	for k := first; k < end; k++ {
		to := &reaching{Walker: d.walker, goal: d.goal}
		o := d.walk(path, k, d.quick, to)
		if o.Live || to.reached {
			if k >= firstWalks || len(d.recoveries) < mostRecoveries { // the first walks find other recoveries again
				d.remember(path)
			}
			return false
		}
		if o.End == runloop.Mismatch || o.End == runloop.Stopped || d.stuck && o.End != runloop.OutOfEvents {
			return false
		}
	}
	return true
}

// enough returns the length of walks that suffices to recover, estimated by recoveries from the end of a path.
func (d *deadShrinker) enough(path choose.Path) int {
	began := d.steps
	for k := 0; k < liveWalks && d.steps-began < liveSteps && len(d.recoveries) < firstWalks && d.ctx.Err() == nil; k++ {
		if d.walk(path, k, d.limit, d.walker).Live {
			d.remember(path)
		}
	}
	longest := 0
	for _, r := range d.recoveries {
		longest = max(longest, len(r.Steps))
	}
	if longest == 0 {
		return d.limit
	}
	return min(d.limit, max(leastWalk, patience*longest))
}

// alive returns a live run that begins with a script, which has this path, or nil if it finds none.
func (d *deadShrinker) alive(s Script, path choose.Path) choose.Path {
	if d.revived(s, d.most, d.live) {
		return d.player.Run.Path.Clone()
	}
	began := d.steps
	for k := 0; k < liveWalks && d.steps-began < liveSteps && d.ctx.Err() == nil; k++ {
		if d.walk(d.guided(s, path, k), k, d.quick, d.walker).Live {
			live := d.loop.Replay().Path.Clone() // remembering executes other runs in its place
			d.remember(path)
			return live
		}
	}
	return nil
}

// reaching is a walk that also ends when a property holds.
type reaching struct {
	*runs.Walker
	goal    *sim.Property // may be nil
	reached bool
}

// Select implements [runloop.Strategy].
func (s *reaching) Select(at *runloop.Node) runloop.Selection {
	if s.goal != nil && at.Run.World.Holds(s.goal) {
		s.reached = true
		return runloop.Selection{End: runloop.AtGoal}
	}
	return s.Walker.Select(at)
}

// guides is the number of lengths of the parts of recoveries that walks play.
const guides = 4

// mostRecoveries is the maximum number of stored recoveries.
const mostRecoveries = 4

// remember stores the suffix of the last walk behind path as a recovery.
func (d *deadShrinker) remember(path choose.Path) {
	run := d.loop.Replay()
	from := 0
	for from < len(run.Bounds) && int(run.Bounds[from]) < len(path) {
		from++
	}
	d.learn(run.Path.Clone(), from)
}

// learn stores the suffix of a live run from step from on as a recovery.
func (d *deadShrinker) learn(live choose.Path, from int) {
	if live == nil {
		return
	}
	run, err := d.player.Follow(live)
	if err != nil || run.Finding != nil || run.Cut || from >= len(run.Script.Steps) {
		return
	}
	r := Script{Steps: run.Script.Steps[from:]}
	if d.cause.Steps != nil && d.revives(d.cause, r, d.most, d.reached) {
		return // the evidence that a smaller run is dead is as good as that of the original one, but not better
	}
	d.recoveries = append([]Script{r}, d.recoveries[:min(len(d.recoveries), mostRecoveries-1)]...)
}

// errRevived ends a run that became live.
var errRevived = errors.New("revived")

// revived plays the known recoveries after a script, which is much cheaper than random walks. It reports whether
// one reaches a wanted state without answers of weight 0.
func (d *deadShrinker) revived(s Script, unlikely int, wanted func() bool) bool {
	for i, r := range d.recoveries {
		if d.revives(s, r, unlikely, wanted) {
			copy(d.recoveries[1:i+1], d.recoveries[:i])
			d.recoveries[0] = r
			return true
		}
	}
	return false
}

// revives is revived for one recovery.
func (d *deadShrinker) revives(s, recovery Script, unlikely int, wanted func() bool) bool {
	check, from := d.player.Check, d.player.checkFrom
	defer func() { d.player.Check, d.player.checkFrom = check, from }()
	d.player.checkFrom = len(s.Steps)
	d.player.Check = func() error {
		if d.player.Run.Steps() >= len(s.Steps) && wanted() {
			return errRevived
		}
		return d.player.Run.World.Check()
	}
	whole := s
	whole.Steps = append(s.Steps[:len(s.Steps):len(s.Steps)], recovery.Steps...)
	run := d.player.Play(whole)
	return run.Err == errRevived && run.Unlikely <= unlikely
}

// live reports whether the player's state is live.
func (d *deadShrinker) live() bool { return d.player.Run.World.Live() }

// reached reports whether the player's state cannot belong to the dead run.
func (d *deadShrinker) reached() bool {
	w := d.player.Run.World
	return w.Live() || d.goal != nil && w.Holds(d.goal)
}

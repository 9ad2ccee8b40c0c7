package shrink

import (
	"context"
	"errors"
	"fmt"

	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const (
	// firstWalks is the number of random walks from the end of a candidate that must not recover, at first. Their
	// length is patience times the longest recovery of as many walks, but at least leastWalk. If a candidate turns
	// out not to be dead, number and length grow by the factor moreWalks, until there are more than verifying.
	firstWalks = 4
	patience   = 4
	leastWalk  = 200
	moreWalks  = 4
	// verifying is the number of walks that verify an accepted candidate. It is verified if it has fewer steps than the
	// last verified one by one in verifyEach.
	verifying  = 48
	verifyEach = 5
	// liveWalks is the maximum number of walks from before the critical step to see one recover, if no known
	// recovery does. liveSteps is the number of steps after which no more walks are begun.
	liveWalks = 64
	liveSteps = 10_000
	// cheaper is the factor by which a step of a walk takes less time than a step of a script.
	cheaper = 4
	// leastTail is the minimum number of steps after the critical one. There are at least as many as before it.
	leastTail = 200
	// tails is the maximum number of walks to find one in which the property never holds.
	tails = 32
)

// dying shrinks dead runs. It shrinks the cause, which is the steps up to the critical one.
type dying struct {
	cfg    *Config
	player *Player

	loop     *runloop.Loop
	walker   *runs.Walker
	walks    int             // per candidate
	quick    int             // length of these walks
	limit    int             // length of walks that confirm the result
	goal     *sim.Property   // a walk recovers when it holds; nil: when all Eventually properties hold
	stuck    bool            // walks must run out of events
	last     string          // handler of the critical step
	verified int             // steps of the last candidate that more walks found dead
	doubted  bool            // more walks found a candidate not dead that the usual ones found dead
	most     int             // answers of weight 0 in the run
	steps    int             // executed by walks
	ctx      context.Context // ends walks, and the current task
	seed     uint64
	system   *sim.System
	// recoveries are suffixes of runs that became live, the last successful one first.
	recoveries []Script
}

func shrinkDead(ctx context.Context, cfg *Config, p *Player) (*Result, error) {
	c := cfg.Dead
	d := &dying{cfg: cfg, player: p, walks: firstWalks, limit: orElse(c.After.Limit, cfg.Walks.WalkSteps, 2000), seed: max(cfg.Walks.Seed, 1)}
	d.system = &d.cfg.Walks.System
	weights := cfg.Walks.Weights
	if weights == (search.Weights{}) {
		weights = search.DefaultWeights()
	}
	var err error
	if d.loop, err = runloop.NewByEngine(d.system, runloop.Engine(cfg.Walks.Engine), kernel.Options{}); err != nil {
		return nil, err
	}
	d.walker = runs.NewWalker(weights.Scale(), d.limit)
	if b := cfg.Walks.PathBuffer; b != nil {
		d.loop.Replay().Path = b(0) // the player pauses during walks
	}
	switch {
	case c.Case == critical.Located:
		return d.shrink(ctx)
	case c.Case == critical.DeadFromStart, c.Case == critical.Unlocated:
		return d.cut()
	}
	return nil, ErrUnable
}

func orElse(values ...int) int {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

// cut shortens a run without a known critical step: it is dead from its first state that is not live, or since some
// later step. Only its tail can be shortened.
func (d *dying) cut() (*Result, error) {
	c := *d.cfg.Dead
	if _, err := d.player.Follow(c.Dead); err != nil {
		return nil, err
	}
	from := d.player.Run.Steps()
	steps := from
	if most := c.Bound + leastTail; from > most && !c.OutOfEvents {
		steps, c.Dead = most, c.Dead[:d.player.Run.Bounds[most]].Clone()
	}
	c.Steps = steps
	return &Result{Path: c.Dead, Steps: steps, From: from, Dead: &c, Executed: d.player.Steps, Minimal: c.Case == critical.DeadFromStart}, nil
}

func (d *dying) shrink(ctx context.Context) (*Result, error) {
	cfg, c := d.cfg, d.cfg.Dead
	all, err := d.player.Follow(c.Dead)
	if err != nil {
		return nil, err
	}
	if all.Finding != nil || c.Step < 1 || c.Step > len(all.Script.Steps) {
		return nil, fmt.Errorf("shrink: the dead run ends with %w in step %d, its critical step is %d",
			orNothing(all.Finding), len(all.Script.Steps), c.Step)
	}
	unshrunk := &Result{Path: c.Dead, Steps: len(all.Script.Steps), From: len(all.Script.Steps), Dead: c}
	if ctx.Err() != nil {
		unshrunk.Executed, unshrunk.Over = d.executed(), errors.Is(ctx.Err(), context.DeadlineExceeded)
		return unshrunk, nil
	}
	d.learn(c.Live, c.LiveCommon)
	cause := all.Script
	cause.Steps = cause.Steps[:c.Step]
	d.last, d.most = cause.last(), all.Unlikely
	for i := range d.system.Properties {
		if p := &d.system.Properties[i]; p.Eventually != nil && p.Name == d.cfg.Finding.Property {
			d.goal = p
		}
	}
	reducing, confirming, cancel := divide(ctx, cfg.Time)
	defer cancel()
	d.ctx = reducing
	if n := len(d.player.Play(cause).Script.Steps); n < c.Step {
		return nil, fmt.Errorf("%w: only %d of the %d steps up to its critical one happen again", ErrUnable, n, c.Step)
	}
	path := d.player.Run.Path.Clone()
	d.quick = d.limit
	// That one property never holds again implies that all together never hold. A deadlock implies that no property
	// recovers.
	d.stuck = d.cfg.Finding.Kind == sim.Deadlock
	if goal, stuck := d.goal, d.stuck; !d.dead(path, 2*firstWalks) {
		d.goal = nil
		if d.stuck = stuck && d.dead(path, 2*firstWalks); !d.stuck {
			d.goal = goal
			if !d.dead(path, 2*firstWalks) {
				d.goal = nil
			}
		}
	}
	d.quick = d.enough(path[:d.player.Run.Bounds[c.Step-1]])
	r := &reducer{best: cause, judge: d.judge, causes: d.player.Causes}
	if cfg.judged != nil {
		r.judge = cfg.judged(r.judge)
	}
	r.report = func(r *reducer) { cfg.report(r, d.executed()) }
	r.spent = func() bool { return d.doubted || d.executed() >= d.cfg.MaxSteps }
	r.detoured = func() bool { return d.executed() >= d.cfg.MaxSteps/2 }
	again := &resampler{player: d.player, random: choose.NewRandom(d.seed, uint64(len(cfg.Path))), executed: d.executed}
	again.violates = func(run *Played, steps int) bool {
		return run.Unlikely <= d.most && (run.Finding == nil || steps < len(run.Script.Steps))
	}
	over := func() bool {
		return errors.Is(reducing.Err(), context.DeadlineExceeded) || d.executed() >= cfg.MaxSteps
	}
	for {
		d.ctx, d.doubted, d.verified = reducing, false, len(r.best.Steps)
		r.over = false
		r.forget()
		r.reduceAndResample(reducing, again)
		if r.err != nil {
			return nil, r.err
		}
		if reducing.Err() != nil && len(r.accepted) == 0 {
			break
		}
		last := len(r.accepted) == 0 || d.walks > verifying || over() || reducing.Err() != nil
		d.ctx = confirming
		var res *Result
		minimal, pairs := r.minimal, r.pairs
		if !d.doubted {
			res, err = d.confirm(confirming, r.best)
		}
		if res == nil && err == nil && last {
			minimal, pairs = false, false
			res, err = smallest(r.accepted, func(s Script) (*Result, error) { return d.confirm(confirming, s) })
		}
		if err != nil && confirming.Err() == nil {
			return nil, err
		}
		if res != nil {
			res.From, res.Tried, res.Executed, res.Minimal, res.Pairs, res.Over = unshrunk.From, r.tried, d.executed(), minimal, pairs, over()
			return res, nil
		}
		if err != nil || last {
			break
		}
		// Some candidate on the way was not dead, though none of its walks recovered.
		d.walks, d.quick = d.walks*moreWalks, min(d.quick*moreWalks, d.limit)
		d.ctx, d.verified = reducing, len(cause.Steps)
		d.back(r, cause)
	}
	unshrunk.Tried, unshrunk.Executed, unshrunk.Over = r.tried, d.executed(), over()
	return unshrunk, nil
}

// smallest returns the result of confirm for the last of the accepted scripts that it confirms, or nil. The very
// last one is known to fail. It tries 1, 2, 4, ... scripts back, and then bisects. An error of confirm ends it.
func smallest[T any](accepted []Script, confirm func(Script) (*T, error)) (*T, error) {
	var best *T
	confirmed, refused := -1, len(accepted)-1
	for stride := 1; refused-confirmed > 1; stride *= 2 {
		at := (confirmed + refused) / 2
		if best == nil {
			at = max(refused-stride, 0)
		}
		res, err := confirm(accepted[at])
		switch {
		case err != nil && best != nil:
			return best, nil
		case err != nil:
			return nil, err
		case res == nil:
			refused = at
		default:
			best, confirmed = res, at
		}
	}
	return best, nil
}

// interruptedConfirming is the time to confirm the smallest run after an interruption.
const interruptedConfirming = 2 * time.Second

// divide splits the time until the deadline of ctx, if it has one: half of it for candidates, the rest to confirm
// the result. If ctx is cancelled, the best candidate so far is confirmed, too, if that takes no longer than
// interruptedConfirming. The limit is processor time for both, 0 for none.
func divide(ctx context.Context, limit time.Duration) (reducing, confirming context.Context, cancel func()) {
	confirming, end := context.WithCancel(context.WithoutCancel(ctx))
	ends := []func(){end}
	cancel = func() {
		for _, end := range ends {
			end()
		}
	}
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(interruptedConfirming, end) })
	ends = append(ends, func() { stop() })
	limited := func(ctx context.Context, end context.CancelFunc) context.Context {
		ends = append(ends, end)
		return ctx
	}
	reducing = ctx
	if at, ok := budget.Deadline(ctx); ok {
		now := budget.Now()
		reducing = limited(budget.WithDeadline(reducing, now+(at-now)/2))
		confirming = limited(budget.WithDeadline(confirming, at))
	}
	if limit > 0 {
		reducing = limited(budget.WithProcessorTime(reducing, limit/2))
		confirming = limited(budget.WithProcessorTime(confirming, limit))
	}
	return reducing, confirming, cancel
}

// back returns to the last accepted script that more walks find dead.
func (d *dying) back(r *reducer, cause Script) {
	lo, hi := -1, len(r.accepted)-1 // dead up to lo, not at hi
	at := func(i int) Script {
		if i < 0 {
			return cause
		}
		return r.accepted[i]
	}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if _, ok, err := d.judge(d.ctx, at(mid)); ok && err == nil {
			lo = mid
		} else {
			hi = mid
		}
	}
	r.best, r.accepted = at(lo), r.accepted[:lo+1]
}

// executed returns the number of executed steps. Several steps of walks count as one, because those are executed by
// tables.
func (d *dying) executed() int { return d.player.Steps + d.steps/cheaper }

// judge reports whether a script ends with the critical step's handler, no walk recovers after that step, and a
// walk recovers from before it.
func (d *dying) judge(_ context.Context, s Script) (Script, bool, error) {
	if s.last() != d.last {
		return Script{}, false, nil
	}
	run := d.player.Play(s)
	n := len(run.Script.Steps)
	if run.Err != nil || run.Finding != nil || run.Script.last() != d.last || run.Unlikely > d.most {
		return Script{}, false, run.Err
	}
	path := d.player.Run.Path.Clone()
	before := path[:d.player.Run.Bounds[n-1]]
	if d.revived(run.Script, run.Unlikely, d.reached) || !d.dead(path, d.walks) {
		return Script{}, false, nil
	}
	if d.alive(run.Script.without(n-1, n), before) == nil {
		return Script{}, false, nil
	}
	if n <= d.verified-d.verified/verifyEach {
		if d.doubted = !d.dead(path, verifying); d.doubted {
			return Script{}, false, nil
		}
		d.verified = n
	}
	return run.Script, true, nil
}

// confirm searches for the critical transition of a script with a new tail. It returns nil if the script is not
// dead, or has another critical transition.
func (d *dying) confirm(ctx context.Context, s Script) (*Result, error) {
	if n := len(d.player.Play(s).Script.Steps); n == 0 || n != len(s.Steps) {
		return nil, nil
	}
	start := d.player.Run.Path.Clone()
	before := start[:d.player.Run.Bounds[len(s.Steps)-1]]
	quick := d.quick
	d.quick = d.limit
	dead := d.dead(start, verifying)
	if d.quick = quick; !dead {
		return nil, nil // a search for the critical transition would take longer to tell
	}
	path, ok := d.tail(start, len(s.Steps))
	if !ok {
		return nil, nil
	}
	c := d.cfg.Walks
	c.Path, c.WalkSteps, c.Expected = path, d.limit, len(s.Steps)
	c.Live = d.alive(s.without(len(s.Steps)-1, len(s.Steps)), before)
	res, err := critical.Find(ctx, c)
	if ended := (*critical.Ended)(nil); errors.As(err, &ended) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if d.cfg.Dead.Proof == critical.Exact && res.Proof != critical.Exact {
		return nil, nil // the smaller run must be as certain
	}
	if res.Case != critical.Located || res.Step > len(s.Steps) {
		d.learn(res.Live, len(s.Steps))
	}
	if res.Case != critical.Located || res.Step > len(s.Steps) || s.Steps[res.Step-1].Handler != d.last {
		return nil, nil
	}
	res.Dead = res.Dead[:len(path)] // without the longer walks that may have been needed
	if _, err := d.player.Follow(res.Dead); err != nil {
		return nil, err
	}
	res.Steps = d.player.Run.Steps()
	return &Result{Path: res.Dead, Steps: res.Steps, Dead: res}, nil
}

// tail appends to the path of a cause with that many steps a walk in which the property never holds, and which ends
// like the finding.
func (d *dying) tail(path choose.Path, steps int) (choose.Path, bool) {
	length := max(leastTail, steps+1)
	stuck := d.cfg.Finding.Kind == sim.Deadlock // at the latest in this walk
	if stuck {
		length = d.limit
	}
	for k := 0; k < tails && d.ctx.Err() == nil; k++ {
		watch := &reaching{Walker: d.walker, goal: d.goal}
		o := d.walk(path, k, length, watch)
		if !watch.reached && !o.Live && (o.End == runloop.OutOfEvents) == stuck && (stuck || o.End == runloop.TooLong) {
			return d.loop.Replay().Path.Clone(), true
		}
	}
	return nil, false
}

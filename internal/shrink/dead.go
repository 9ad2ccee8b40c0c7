package shrink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const (
	// acceptingWalks is the number of random walks from the end of a candidate that must not recover, at first. Their
	// length is patience times the longest of some recoveries, but at least leastWalk. If a candidate turns out not to
	// be dead, the number grows by the factor moreWalks, up to verifying.
	acceptingWalks = 16
	patience       = 4
	leastWalk      = 200
	moreWalks      = 2
	// firstWalks is the number of these walks that are made before known recoveries are tried. They find most candidates
	// that are not dead.
	firstWalks = 4
	// verifying is the number of walks that verify an accepted candidate. It is verified if it is shorter than the last
	// verified one by at least a fraction of 1/verifyEach.
	verifying  = 48
	verifyEach = 5
	// surest is the number of walks before the critical transition of a candidate is searched for. There are fewer, but
	// at least verifying, if together they have more than sureSteps steps.
	surest    = 200
	sureSteps = 60_000
	// liveWalks is the maximum number of walks from before the critical step to see one recover, if no known
	// recovery does. liveSteps is the number of steps after which no more walks are begun.
	liveWalks = 64
	liveSteps = 10_000
	// cheaper is the factor by which a step of a walk takes less time than a step of a script.
	cheaper = 4
	// leastTail is the minimum number of steps after the critical one. There are at least as many as before it.
	leastTail = 200
	// confirmingTimes is the time to confirm the result, in times of as many walks as verify a candidate, of full length.
	// leastReserve is the denominator of the minimum share of the time for it.
	confirmingTimes = 15
	leastReserve    = 5
	// tails is the maximum number of walks to find one in which the property never holds.
	tails = 32
)

// deadShrinker shrinks dead runs. It shrinks the cause, which is the steps up to the critical one.
type deadShrinker struct {
	cfg    *Config
	player *Player

	loop      *runloop.Loop
	walker    *runs.Walker
	walks     int                           // per candidate
	quick     int                           // length of these walks
	limit     int                           // length of walks that confirm the result
	goal      *sim.Property                 // a walk recovers when it holds; nil: when all Eventually properties hold
	stuck     bool                          // walks must run out of events
	cause     Script                        // of the original run; no steps if not known yet
	base      Script                        // the last confirmed one
	refuted   bool                          // the search for a critical transition found a script not dead that many walks found dead
	last      string                        // handler of the critical step
	deaths    map[encoding.Fingerprint]bool // final states of candidates that were found dead
	lives     map[encoding.Fingerprint]bool // final states of candidates from which a walk recovered
	verified  int                           // steps of the last candidate that more walks found dead
	restarted bool                          // other dead runs were searched for
	doubted   bool                          // more walks found a candidate not dead that the usual ones found dead
	most      int                           // answers of weight 0 in the run
	steps     int                           // executed by walks
	ctx       context.Context               // ends walks, and the current task
	seed      uint64
	system    *sim.System
	// recoveries are suffixes of runs that became live, the last successful one first.
	recoveries []Script
}

func shrinkDead(ctx context.Context, cfg *Config, p *Player) (*Result, error) {
	d, err := newDeadShrinker(cfg, p)
	if err != nil {
		return nil, err
	}
	switch cfg.Dead.Case {
	case critical.Located:
		return d.shrink(ctx)
	case critical.DeadFromStart, critical.Unlocated:
		if cfg.Dead.Case == critical.DeadFromStart && cfg.Dead.OutOfEvents {
			return d.deadlock(ctx)
		}
		return d.cut()
	}
	return nil, ErrUnable
}

func newDeadShrinker(cfg *Config, p *Player) (*deadShrinker, error) {
	d := &deadShrinker{cfg: cfg, player: p, walks: acceptingWalks,
		deaths: map[encoding.Fingerprint]bool{}, lives: map[encoding.Fingerprint]bool{},
		limit: orElse(cfg.Dead.After.Limit, cfg.Walks.WalkSteps, runs.DefaultSteps), seed: max(cfg.Walks.Seed, 1)}
	d.system = &d.cfg.Walks.System
	weights := cfg.Walks.Weights
	if weights == (search.Weights{}) {
		weights = search.DefaultWeights()
	}
	var err error
	if d.loop, err = runloop.NewByEngine(d.system, string(cfg.Walks.Engine), kernel.Options{}); err != nil {
		return nil, err
	}
	d.walker = runs.NewWalker(weights.Scale(), d.limit)
	if b := cfg.Walks.PathBuffers; b != nil {
		d.loop.Replay().Path = b[0] // the player pauses during walks
	}
	return d, nil
}

// interruptible makes the player look at ctx, and later at the context of d, before each step. It returns the pace of these steps.
func interruptible(ctx context.Context, d *deadShrinker) *pace {
	d.ctx = ctx
	d.player.Interrupted = func() bool { return d.ctx.Err() != nil }
	return newPace(d.player, d.executed, d.cfg.Repeated)
}

// goal returns the Eventually property of that name, or nil.
func goal(sys *sim.System, name string) *sim.Property {
	for i := range sys.Properties {
		if p := &sys.Properties[i]; p.Eventually != nil && p.Name == name {
			return p
		}
	}
	return nil
}

func orElse(values ...int) int {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

func (d *deadShrinker) shrink(ctx context.Context) (*Result, error) {
	cfg, c := d.cfg, d.cfg.Dead
	pace := interruptible(ctx, d)
	all, unshrunk, err := d.truncated(c.Step + max(leastTail, c.Step+1))
	if err != nil {
		return nil, err
	}
	if all.Finding != nil || c.Step < 1 || c.Step > len(all.Script.Steps) {
		return nil, fmt.Errorf("shrink: the dead run ends with %w in step %d, its critical step is %d",
			orNothing(all.Finding), len(all.Script.Steps), c.Step)
	}
	d.learn(c.Live, c.LiveCommon)
	cause := all.Script
	cause.Steps = cause.Steps[:c.Step]
	d.last, d.most = cause.last(), all.Unlikely
	d.goal = goal(d.system, cfg.Finding.Property)
	reducing, confirming, cancel := divide(ctx, cfg.Time)
	defer cancel()
	d.ctx = reducing
	run := d.player.Play(cause)
	if run.Cut {
		unshrunk.Executed, unshrunk.Over = d.executed(), errors.Is(ctx.Err(), context.DeadlineExceeded)
		return unshrunk, nil
	}
	if n := len(run.Script.Steps); n < c.Step {
		return nil, fmt.Errorf("%w: only %d of the %d steps up to its critical one happen again", ErrUnable, n, c.Step)
	}
	cfg.bound(d.player.Run.World) // the state may grow in the tail
	path := d.player.Run.Path.Clone()
	before := path[:d.player.Run.Bounds[c.Step-1]]
	d.quick = d.limit
	began := budget.ProcessTime()
	// That one property never holds again implies that all together never hold. A deadlock implies that no property
	// recovers.
	d.stuck = d.cfg.Finding.Kind == sim.Deadlock
	if goal, stuck := d.goal, d.stuck; !d.dead(path, 0, verifying) {
		d.goal = nil
		if d.stuck = stuck && d.dead(path, 0, verifying); !d.stuck {
			d.goal = goal
			if !d.dead(path, 0, verifying) {
				d.goal = nil
			}
		}
	}
	if took := budget.ProcessTime() - began; cfg.Time > 0 {
		var cancel context.CancelFunc
		reducing, cancel = budget.WithProcessorTime(reducing, cfg.Time-took-reserve(cfg.Time, took))
		defer cancel()
		d.ctx = reducing
	}
	d.quick = d.enough(before)
	cause.Steps = all.Script.Steps[:d.lateStep(all.Script, c.Step)]
	d.cause, d.base, d.last = cause, cause, cause.last()
	r := &reducer{best: cause, judge: d.judge, causes: d.player.Causes, prepare: d.player.Base}
	r.pace = pace
	if cfg.judged != nil {
		r.judge = cfg.judged(r.judge)
	}
	r.report = func(r *reducer) { cfg.report(r, d.executed()) }
	r.spent = func() bool { return d.doubted || d.executed() >= d.cfg.MaxSteps }
	r.halfSpent = func() bool {
		if d.restarted {
			return d.executed() >= d.cfg.MaxSteps/6*5
		}
		return d.executed() >= d.cfg.MaxSteps/3 // the next third is for restarts
	}
	random := choose.NewRandom(d.seed, uint64(len(cfg.Path)))
	again := &resampler{player: d.player, random: random, executed: d.executed, restarts: true, walks: true}
	again.violates = func(run *Played, steps int) bool {
		return run.Unlikely <= d.most && (run.Finding == nil || steps < len(run.Script.Steps))
	}
	over := func() bool {
		return errors.Is(reducing.Err(), context.DeadlineExceeded) || d.executed() >= cfg.MaxSteps
	}
	var confirmed *Result // of the run before random runs
	probed := false       // walks found the run before random runs dead
	result := func(res *Result) (*Result, error) {
		res.From, res.Tried, res.Executed, res.Over, res.Left = unshrunk.From, r.tried, d.executed(), over() || len(r.left) > 0, len(r.left)
		return res, nil
	}
	for {
		d.ctx, d.doubted, d.verified = reducing, false, len(r.best.Steps)
		r.over = false
		if !d.restarted {
			r.reduce(reducing)
			if err := d.restart(reducing, r); err != nil {
				return nil, err
			}
		}
		if confirmed == nil && !probed {
			r.reduce(reducing)
		} else {
			r.reduceAndResample(reducing, again)
		}
		if r.err != nil {
			return nil, r.err
		}
		ended := reducing.Err() != nil || over()
		if len(r.accepted) == 0 && (ended || confirmed != nil && !d.doubted) {
			if confirmed != nil && confirmed.Dead.Step == len(r.best.Steps) {
				confirmed.Minimal, confirmed.Pairs, confirmed.Choices = confirmed.Minimal || r.minimal, confirmed.Pairs || r.pairs, r.choices
			}
			break
		}
		if confirmed == nil && !probed && !ended && !d.doubted {
			// The search for the critical transition takes longer, so it is made for the last run only.
			if probed = d.plays(r.best) && d.lasts(d.player.Run.Path.Clone(), verifying); probed {
				d.base = r.best
				continue
			}
		}
		var res *Result
		if d.ctx = confirming; !d.doubted || ended {
			res, err = d.confirm(confirming, r.best)
		}
		if res != nil {
			whole := res.Dead.Step == len(r.best.Steps)
			res.Minimal, res.Pairs, res.Choices = whole && r.minimal, whole && r.pairs, r.choices
			if confirmed != nil || probed || ended {
				return result(res)
			}
			confirmed, d.base, r.accepted = res, r.best, nil
			continue
		}
		last := ended || !d.doubted && (len(r.accepted) == 0 || d.walks >= verifying)
		if err == nil && last {
			res, err = smallest(r.accepted, func(s Script) (*Result, error) {
				res, err := d.confirm(confirming, s)
				if res != nil {
					d.base = s
				}
				return res, err
			})
		}
		if err != nil && confirming.Err() == nil {
			return nil, err
		}
		if res != nil && (confirmed != nil || ended) {
			return result(res)
		}
		if res != nil {
			// It may not be minimal yet: continue, with as many walks as confirm a script.
			confirmed, r.best, d.walks = res, d.base, d.sureWalks()
			r.forget()
			clear(d.deaths)
			r.accepted = nil
			continue
		}
		if err != nil || last {
			break
		}
		// Some candidate on the way was not dead, though none of its walks recovered.
		d.walks, d.ctx = min(d.walks*moreWalks, verifying), reducing
		d.back(r)
	}
	return result(cmp.Or(confirmed, unshrunk))
}

// plays executes a script and reports whether all its steps happened.
func (d *deadShrinker) plays(s Script) bool {
	n := len(d.player.Play(s).Script.Steps)
	return n > 0 && n == len(s.Steps)
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

// divide splits the time until the deadline of ctx, if it has one: two thirds for candidates, the rest to confirm
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
		reducing = limited(budget.WithDeadline(reducing, now+(at-now)/3*2))
		confirming = limited(budget.WithDeadline(confirming, at))
	}
	if limit > 0 {
		reducing = limited(budget.WithProcessorTime(reducing, limit))
		confirming = limited(budget.WithProcessorTime(confirming, limit))
	}
	return reducing, confirming, cancel
}

// reserve returns the part of a time limit that is kept for confirming the result, if verifying walks of full length took some
// time. A slow machine needs more, since the budget of steps does not end the candidates there.
func reserve(limit, took time.Duration) time.Duration {
	return max(limit/leastReserve, min(confirmingTimes*took, limit/2))
}

// back returns to the last accepted script that more walks find dead, or to the last confirmed one.
func (d *deadShrinker) back(r *reducer) {
	lo, hi := -1, len(r.accepted) // dead up to lo, not at hi
	for by := 1; hi-lo > 1; by *= 2 {
		at := max(hi-by, (lo+hi)/2)
		if d.player.Play(r.accepted[at]); d.dies(d.causeOf(r.accepted[at]), verifying) {
			lo = at
		} else {
			hi = at
		}
	}
	r.accepted = r.accepted[:lo+1]
	if r.best = d.base; lo >= 0 {
		r.best = r.accepted[lo]
	}
	r.larger, r.claims = map[textSum]bool{}, claims{}
	clear(d.deaths)
}

// executed returns the number of executed steps. Several steps of walks count as one, because those are executed by
// tables.
func (d *deadShrinker) executed() int { return d.player.Steps + d.steps/cheaper }

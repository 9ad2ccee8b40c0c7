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
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// DefaultMaxSteps is the default budget of executed steps.
const DefaultMaxSteps = 2_000_000

// Config is the run to shrink, and the effort. All fields but Path and Finding have defaults.
type Config struct {
	// Walks configures the search for critical transitions, and has the system. Its Path is ignored. Without
	// [Config].Dead only System and PathBuffers are used.
	Walks critical.Config
	Path  choose.Path // the run, to its last step
	// Finding is the finding at the end of the run. For a dead run it has the kind and the property that never
	// holds again.
	Finding sim.Finding
	// Dead is the known critical transition of a dead run. Nil means that the run ends with Finding.
	Dead *critical.Result
	// MaxSteps is the budget of executed steps, walks included. After it no more candidates are tried, and the best
	// one is confirmed. 0 means as many as Searched, but at least as many as take some seconds, estimated by the size of
	// nodes' states, and at most DefaultMaxSteps.
	MaxSteps int
	// Searched is the number of steps that the search for the run executed.
	Searched int
	// Time is the limit of processor time. After it, as after MaxSteps, the best candidate is confirmed within the
	// same time again if the run is dead. 0 means no limit.
	Time time.Duration
	// Repeated is the number of executions of the result for which the time of the context must suffice, the last one of Run included.
	Repeated int
	// Progress, if not nil, is called before each candidate.
	Progress func(Progress)
	// Contain is as in [kernel.Options]. Without it a candidate may end the goroutine of [Run].
	Contain bool

	judged func(judge) judge // changes the judge, to plant defects in tests; nil means no change
}

// contains reports whether worlds contain checked code.
func (c *Config) contains() bool { return c.Contain || contain.Exited(&c.Finding) }

// Progress is the progress of shrinking.
type Progress struct{ Steps, Tried, Executed int }

// Result is the result of shrinking. It depends only on the configuration without Workers, unless the context or Time
// ended the shrinking.
type Result struct {
	Path  choose.Path
	Steps int // of Path
	From  int // steps of the original run
	// Finding is the finding at the end of Path. For a dead run it is nil, and Dead is the critical transition.
	Finding  *sim.Finding
	Dead     *critical.Result
	Tried    int // number of candidates
	Executed int // number of steps
	// Minimal reports that no single step before the finding, or before the critical transition, can be dropped. It
	// is false if the budget or the context ended shrinking earlier. Pairs reports that, moreover, no two causes
	// with their consequences can be dropped. Choices reports that this was not tried with all combinations of the choices
	// of crashes.
	Minimal, Pairs, Choices bool
	// Over reports that MaxSteps, Time or the deadline of the context ended shrinking before all candidates were tried.
	Over bool
	// Left is the number of candidates that were not tried, because they would not have ended in time.
	Left int
}

// ErrUnable is the error of [Run] for a run that cannot be shrunk. Either its critical transition is unknown, or a
// second execution does not end with its finding, because the system is nondeterministic or the finding came from a
// stricter check.
var ErrUnable = errors.New("shrink: the run cannot be shrunk")

// ErrEnded is the error of [Run] if ctx ends before the run has been executed once.
var ErrEnded = errors.New("shrinking ended before the run had been executed once")

// Run shrinks a run. If ctx ends, the candidate in progress ends with its step, and Run returns the smallest run known by then. That is
// the original run if a dead run could not be confirmed before the deadline of ctx. The error is about the configuration or the system, or
// is [ErrUnable] or [ErrEnded].
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.MaxSteps < 0 {
		return nil, fmt.Errorf("shrink: MaxSteps is %d, must not be negative", cfg.MaxSteps)
	}
	w, err := kernel.NewWorld(&cfg.Walks.System, kernel.Options{Contain: cfg.contains()})
	if err != nil {
		return nil, err
	}
	p := &Player{Run: replay.NewRun(w)}
	if cfg.Walks.PathBuffers != nil {
		p.Run.Path = cfg.Walks.PathBuffers[0]
	}
	switch {
	case cfg.Dead != nil:
		return shrinkDead(ctx, &cfg, p)
	case cfg.Finding.Kind == sim.Nondeterminism || cfg.Finding.Kind == sim.Liveness || cfg.Finding.Kind == sim.Deadlock:
		return nil, ErrUnable
	}
	if cfg.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = budget.WithProcessorTime(ctx, cfg.Time)
		defer cancel()
	}
	return shrinkFinding(ctx, &cfg, p)
}

// shrinkFinding shrinks a run that ends with a finding.
func shrinkFinding(ctx context.Context, cfg *Config, p *Player) (*Result, error) {
	p.Unblock = true
	pace := newPace(p, func() int { return p.Steps }, cfg.Repeated)
	p.Interrupted = func() bool { return ctx.Err() != nil }
	first, err := p.Follow(cfg.Path)
	switch {
	case err != nil:
		return nil, err
	case first.Cut:
		return nil, ErrEnded
	}
	cfg.bound(p.Run.World)
	path := p.Run.Path.Clone()
	if first.Finding == nil || !same(first.Finding, &cfg.Finding) {
		return nil, fmt.Errorf("%w: it ends with %w when it is executed again, not with %w", ErrUnable, orNothing(first.Finding), &cfg.Finding)
	}
	// The limit of choices has no place, so the step identifies it.
	at := ""
	if n := len(first.Script.Steps); n > 0 && cfg.Finding.Kind == sim.Divergence {
		at = first.Script.Steps[n-1].Class
	}
	r := &reducer{best: first.Script, causes: p.Causes, prepare: p.Base}
	r.report = func(r *reducer) { cfg.report(r, p.Steps) }
	r.spent = func() bool { return p.Steps >= cfg.MaxSteps }
	r.halfSpent = func() bool { return p.Steps >= cfg.MaxSteps/2 }
	r.pace = pace
	r.judge = func(_ context.Context, s Script) (Script, bool, error) {
		run := p.Play(s)
		ok := run.Finding != nil && same(run.Finding, &cfg.Finding) && run.Unlikely <= first.Unlikely
		if n := len(run.Script.Steps); ok && at != "" {
			ok = n > 0 && run.Script.Steps[n-1].Class == at
		}
		return run.Script, ok, run.Err
	}
	if cfg.judged != nil {
		r.judge = cfg.judged(r.judge)
	}
	violates := func(run *Played, steps int) bool {
		return run.Finding != nil && steps == len(run.Script.Steps) && same(run.Finding, &cfg.Finding)
	}
	var seek func(*restarter)
	if at == "" {
		seek = func(s *restarter) { s.seek(&cfg.Finding) }
	}
	if err := cfg.minimize(ctx, r, p, cfg.Path, violates, seek); err != nil {
		return nil, err
	}
	out := &Result{
		Path: path, Steps: len(first.Script.Steps), From: len(first.Script.Steps), Finding: first.Finding, Tried: r.tried, Left: len(r.left),
		Over: r.spent() || errors.Is(ctx.Err(), context.DeadlineExceeded) || len(r.left) > 0,
	}
	out.end(r, p)
	return out, nil
}

// end makes the best run of r the result, if it is not the original one.
func (out *Result) end(r *reducer, p *Player) {
	if r.smaller {
		p.Base(Script{})
		p.Interrupted = nil
		last := p.Play(r.best)
		if last.Finding == nil || !same(last.Finding, out.Finding) || len(last.Script.Steps) != len(r.best.Steps) {
			r.claims = claims{}
		} else {
			out.Path, out.Steps, out.Finding = p.Run.Path.Clone(), p.Run.Steps(), last.Finding
		}
	}
	out.Executed, out.Minimal, out.Pairs, out.Choices = p.Steps, r.minimal, r.pairs, r.choices
}

// minimize makes the best script of r, which has that path, as small as possible, by the steps of the package comment. seek says
// what restarts search for; nil means none. violates is as in [resampler].
func (cfg *Config) minimize(
	ctx context.Context, r *reducer, p *Player, path choose.Path, violates func(*Played, int) bool, seek func(*restarter),
) error {
	again := &resampler{player: p, random: choose.NewRandom(cfg.Walks.Seed, uint64(len(path))), restarts: true}
	again.executed = func() int { return p.Steps }
	again.violates = violates
	original := r.best
	if len(r.best.Steps) >= leastRestarted {
		r.dropSteps(ctx)
	}
	if len(r.best.Steps) < leastRestarted || r.over || seek == nil || !r.inTime(ctx, &original) { // a restart follows the path
		r.reduceAndResample(ctx, again)
		for cfg.Dead == nil && len(r.best.Steps) < leastRestarted && deviate(ctx, r, p, &cfg.Finding) {
			r.reduceAndResample(ctx, again)
		}
		return r.err
	}
	// Reducing drops faults, but runs with more of them violate more often.
	other, err := newRestarter(cfg, path, len(r.best.Steps), 0)
	if err != nil {
		return err
	}
	seek(other)
	executed := func() int { return p.Steps + other.executed() }
	r.spent = func() bool { return executed() >= cfg.MaxSteps }
	r.alternate(ctx, func() {
		spent, most := r.spent, executed()+(cfg.MaxSteps-executed())/restartShare
		r.spent = func() bool { return executed() >= most }
		other.spent = r.spent
		restarting, cancel := cfg.restarting(ctx, r)
		r.restart(restarting, other)
		cancel()
		r.spent, r.over = spent, r.err != nil
	}, again)
	return r.err
}

// restarting returns the context of a restart.
func (cfg *Config) restarting(ctx context.Context, r *reducer) (context.Context, context.CancelFunc) {
	ctx, cancel := r.pace.before(ctx, &r.best)
	if cfg.Time == 0 {
		return ctx, cancel
	}
	ctx, end := budget.WithProcessorTime(ctx, cfg.Time/restartShare)
	return ctx, func() { end(); cancel() }
}

// leastWork is the minimum budget without MaxSteps: the number of steps times the size of a node's state in bytes, since the
// time that a step takes grows with that. It takes a few seconds. leastSize is the minimum size.
const leastWork, leastSize = 160_000_000, 140

// bound sets MaxSteps if it is 0. The world is at the end of the run.
func (cfg *Config) bound(w kernel.World) {
	if cfg.MaxSteps > 0 {
		return
	}
	size := leastSize
	if s, ok := w.(interface{ NodeBytes() int }); ok {
		size = max(size, s.NodeBytes())
	}
	cfg.MaxSteps = min(max(cfg.Searched, leastWork/size), DefaultMaxSteps)
}

func (cfg *Config) report(r *reducer, executed int) {
	if cfg.Progress != nil {
		cfg.Progress(Progress{len(r.best.Steps), r.tried, executed})
	}
}

func orNothing(f *sim.Finding) error {
	if f == nil {
		return errors.New("nothing")
	}
	return f
}

// Package shrink makes violating runs smaller, so that people see in them what matters: it leaves out
// faults and other steps (delta debugging: Zeller and Hildebrandt, Simplifying and Isolating
// Failure-Inducing Input, 2002), alone and together with all that follows from them, reorders the rest so that there are
// fewer context switches, and lowers picks. It alternates that with short random runs that are like the smallest one. A
// candidate is executed tolerantly, see [Player]; it is kept when it still violates the same property in the same way.
package shrink

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// DefaultMaxSteps is how many steps are executed to shrink a run, as a rule.
const DefaultMaxSteps = 2_000_000

// Config says what to shrink, and with how much effort. The zero value of each field but Path and
// Finding is a default.
type Config struct {
	// Walks is what critical transitions are looked for with, and what holds the system. Its Path is
	// not looked at. Of a run that is no [Config].Dead only System and PathBuffer matter.
	Walks critical.Config
	Path  choose.Path // the run, to its last step
	// Finding is what the run ends with, or, when it is dead, the kind and the property that never holds
	// again.
	Finding sim.Finding
	// Dead says what is known of a dead run; nil: the run ends with Finding.
	Dead *critical.Result
	// MaxSteps ends shrinking: no candidate is tried after that many steps were executed, walks
	// included. What is known of the best one is confirmed then. 0: DefaultMaxSteps.
	MaxSteps int
	// Progress is called before each candidate. May be nil.
	Progress func(Progress)
}

// Progress is a snapshot for people while a run is shrunk.
type Progress struct{ Steps, Tried, Executed int }

// Result is what became of a run. It depends on nothing but the configuration, Workers excluded,
// unless the context ended it.
type Result struct {
	Path  choose.Path
	Steps int // of Path
	From  int // steps of the run before
	// Finding is what Path ends with; of a dead run it is nil, and Dead is its critical transition.
	Finding  *sim.Finding
	Dead     *critical.Result
	Tried    int // candidates
	Executed int // steps
	// Minimal says that no single step before the finding, or before the critical transition, can be left
	// out. Otherwise the budget or the context ended it earlier. Pairs says that, moreover, no two causes can be left out, each with all
	// that follows from it.
	Minimal, Pairs bool
}

// ErrUnable is the error of [Run] about runs that cannot be made smaller: those whose critical
// transition is not known, and those that do not end with their finding when they are executed again,
// because it is no function of the run, or was made by a closer look.
var ErrUnable = errors.New("shrink: the run cannot be shrunk")

// Run shrinks a run. When ctx is done it returns the smallest that is known by then, which may be the
// run itself, and is when a dead run could not be confirmed before the deadline of ctx. The error is about the configuration or the system, or is [ErrUnable].
func Run(ctx context.Context, cfg Config) (*Result, error) {
	cfg.MaxSteps = cmp.Or(cfg.MaxSteps, DefaultMaxSteps)
	if cfg.MaxSteps < 0 {
		return nil, fmt.Errorf("shrink: MaxSteps is %d, must not be negative", cfg.MaxSteps)
	}
	w, err := kernel.NewWorld(&cfg.Walks.System, kernel.Options{Contain: contain.Exited(&cfg.Finding)})
	if err != nil {
		return nil, err
	}
	p := &Player{Run: replay.NewRun(w)}
	if cfg.Walks.PathBuffer != nil {
		p.Run.Path = cfg.Walks.PathBuffer(0)
	}
	switch {
	case cfg.Dead != nil:
		return shrinkDead(ctx, &cfg, p)
	case cfg.Finding.Kind == sim.Nondeterminism || cfg.Finding.Kind == sim.Liveness || cfg.Finding.Kind == sim.Deadlock:
		return nil, ErrUnable
	}
	return shrinkFinding(ctx, &cfg, p)
}

// shrinkFinding shrinks a run that ends with a finding.
func shrinkFinding(ctx context.Context, cfg *Config, p *Player) (*Result, error) {
	first, err := p.Follow(cfg.Path)
	if err != nil {
		return nil, err
	}
	if first.Finding == nil || !same(first.Finding, &cfg.Finding) {
		return nil, fmt.Errorf("%w: it ends with %w when it is executed again, not with %w", ErrUnable, orNothing(first.Finding), &cfg.Finding)
	}
	// The bound on choices tells of no place, so the step stands for it.
	at := ""
	if n := len(first.Script.Steps); n > 0 && cfg.Finding.Kind == sim.Divergence {
		at = first.Script.Steps[n-1].Class
	}
	r := &reducer{best: first.Script, causes: p.Causes}
	r.tell = func(r *reducer) { cfg.tell(r, p.Steps) }
	r.spent = func() bool { return p.Steps >= cfg.MaxSteps }
	r.detoured = func() bool { return p.Steps >= cfg.MaxSteps/2 }
	r.judge = func(_ context.Context, s Script) (Script, bool, error) {
		run := p.Play(s)
		ok := run.Finding != nil && same(run.Finding, &cfg.Finding) && run.Unlikely <= first.Unlikely
		if n := len(run.Script.Steps); ok && at != "" {
			ok = n > 0 && run.Script.Steps[n-1].Class == at
		}
		return run.Script, ok, run.Err
	}
	again := &resampler{player: p, random: choose.NewRandom(cfg.Walks.Seed, uint64(len(cfg.Path))), restarts: true}
	again.executed = func() int { return p.Steps }
	again.violates = func(run *Played, steps int) bool {
		return run.Finding != nil && steps == len(run.Script.Steps) && same(run.Finding, &cfg.Finding)
	}
	r.reduceAndResample(ctx, again)
	if r.err != nil {
		return nil, r.err
	}
	last := p.Play(r.best)
	return &Result{
		Path: p.Run.Path.Clone(), Steps: p.Run.Steps(), From: len(first.Script.Steps), Finding: last.Finding,
		Tried: r.tried, Executed: p.Steps, Minimal: r.minimal, Pairs: r.pairs,
	}, nil
}

func (cfg *Config) tell(r *reducer, executed int) {
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

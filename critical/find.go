package critical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Config is the run in which [Find] searches, and the effort. All fields but System and Path have defaults. It has a
// field for each option, since callers set them in one literal.
type Config struct {
	System    sim.System
	Path      choose.Path    // the run that seems to be dead, to its last step
	Walks     int            // walks per probe; 0 means 200
	WalkSteps int            // length of a walk; 0 means 2,000
	Weights   search.Weights // zero means those of search
	Seed      uint64         // 0 means 1
	Workers   int            // 0 means GOMAXPROCS
	Engine    string         // engine of walks; "" means auto
	// HandlerLimit is the maximum time of checked code in a walk; exceeding it ends [Find] with an [Ended]. 0 means
	// no limit, except in the exhaustive search.
	HandlerLimit time.Duration
	// PathBuffer is as in [search.Config].
	PathBuffer func(worker int) choose.Path
	// Calls is as in [search.Config], also for the exhaustive search: a skipped call there ends [Find] with an
	// [Ended].
	Calls *options.Calls
	// States is the maximum number of states visited, within 256 steps, to prove that no live state follows. 0
	// means 16,384, or 1,024 if nodes carry programs, as their steps are more expensive. A negative number disables
	// the search.
	States int
	// Progress, if not nil, is called at intervals, never concurrently.
	Progress func(Progress)
	// Expected is the step that is probably critical, such as that of the run before it was shrunk. If it is, no other
	// step is examined. 0 means unknown.
	Expected int
	// Live is a known run to a live state. It shows that the states that it has in common with Path recover. Nil means
	// that none is known.
	Live choose.Path
	// RequireProof accepts a run as a violation only if it is proven dead.
	RequireProof bool
	// ProveEnd searches the successors of the last state first. Unless that proves the run dead, the result is
	// [TooLateToTell] or [Recovered], without walks that take longer.
	ProveEnd bool
	// searchFirst makes walks only from states for which the exhaustive search finds no live successor.
	searchFirst bool
}

// Progress is the progress of Find.
type Progress struct {
	Step, Steps int // walks start after Step, of a run of Steps
	Walks, Of   int // number of walks made, and their maximum; 0 of 0 during an exhaustive search
}

// ErrNoGoal is the error of a system without an Eventually property.
var ErrNoGoal = errors.New("critical: the system has no Eventually property, so no run is dead")

// Find finds the critical transition of a run, unless the run recovers when it is continued. It searches for a step
// before which walks recover and after which none does: first 1, 2, 4, ... steps beyond the first indeterminate
// state, then by bisection. The result depends only on the configuration without Workers and Engine, unless ctx
// ends, or its [budget.Deadlines]. In that case it is the result known by then, if enough walks were made to call
// the run dead. The error is about the configuration, the system or the path, or is that of ctx.
func Find(ctx context.Context, cfg Config) (*Result, error) {
	cfg.Walks = cmp.Or(cfg.Walks, 200)
	cfg.WalkSteps = cmp.Or(cfg.WalkSteps, 2000)
	cfg.Seed = cmp.Or(cfg.Seed, 1)
	cfg.Workers = cmp.Or(cfg.Workers, runtime.GOMAXPROCS(0))
	cfg.Engine = cmp.Or(cfg.Engine, runloop.AutoEngine)
	if cfg.Weights == (search.Weights{}) {
		cfg.Weights = search.DefaultWeights()
	}
	if cfg.Walks < 0 || cfg.WalkSteps < 0 || cfg.Workers < 0 {
		return nil, errors.New("critical: Walks, WalkSteps and Workers must not be negative")
	}
	if err := cfg.Weights.Validate(); err != nil {
		return nil, fmt.Errorf("critical: %w", err)
	}
	p, err := newProber(&cfg)
	if err != nil {
		return nil, err
	}
	f := &finder{cfg: &cfg, prober: p, dead: deadRun{path: cfg.Path.Clone()}, limit: cfg.WalkSteps, walks: cfg.Walks,
		lastRecovering: -1, liveShared: -1, searches: searches{byStep: map[int]*table.Recovery{}}, equals: newEquals()}
	if d, ok := budget.DeadlinesOf(ctx); ok {
		ctx = &deadlined{ctx, d, f}
	}
	if err := f.replay(ctx); err != nil {
		return nil, err
	}
	if !f.dead.goal {
		return nil, ErrNoGoal
	}
	if err := f.takeKnownLive(ctx, cfg.Live); err != nil {
		return nil, err
	}
	res, err := f.find(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		if known := f.resultAtDeadline(context.WithoutCancel(ctx)); known != nil {
			res, err = known, nil
		}
	}
	if err == nil {
		res.Engine = p.engine()
		for _, w := range p.workers {
			res.HardlyJudged = res.HardlyJudged || w.loop.HardlyJudged()
		}
	}
	return res, err
}

// MismatchError is the error of [Find] when the path cannot be followed to its end.
type MismatchError struct{ err error }

func (e *MismatchError) Error() string { return e.err.Error() }

// Unwrap returns the reason.
func (e *MismatchError) Unwrap() error { return e.err }

// Ended is the error of [Find] when the continued run ends with a finding of another kind, or when checked code
// does not return in a walk.
type Ended struct {
	Finding *sim.Finding
	Path    choose.Path // to the finding
	Steps   int
	Overdue bool // checked code did not return in time, perhaps because the machine was busy
}

func (e *Ended) Error() string {
	if e.Overdue {
		return fmt.Sprintf("critical: a walk from the run does not end, after step %d: %v", e.Steps, e.Finding)
	}
	return fmt.Sprintf("critical: the run, made longer, ends with a finding in step %d: %v", e.Steps, e.Finding)
}

// unfit describes why a run cannot be examined.
func unfit(o *runloop.Outcome) error {
	switch o.End {
	case runloop.Mismatch:
		return &MismatchError{fmt.Errorf("critical: %w", o.Err)}
	case runloop.Found:
		if o.Stuck != nil {
			return stuckIn(o)
		}
		return &MismatchError{fmt.Errorf("critical: step %d of the run ends it with a finding: %w", o.Steps, o.Finding)}
	}
	return nil
}

// stuckIn returns the error of a walk in which checked code does not return.
func stuckIn(o *runloop.Outcome) error {
	return &Ended{Finding: o.Finding, Path: o.Stuck, Steps: o.Steps, Overdue: true}
}

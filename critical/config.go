package critical

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Config is the run in which [Find] searches, and the effort. All fields but System and Path have defaults.
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
	// PathBuffers are as in [search.Config].
	PathBuffers []choose.Path
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

// hasAlways reports whether a finding is a violated Always property, after a successful step.
func (c *Config) hasAlways(f *sim.Finding) bool {
	return f.Kind == sim.Safety && slices.ContainsFunc(c.System.Properties, func(p sim.Property) bool {
		return p.Always != nil && p.Name == f.Property
	})
}

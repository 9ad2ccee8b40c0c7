package search

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/sim"
)

// overdueAfter abandons checked code of an exploration, by the rule for an unresponsive worker of a round.
func overdueAfter(patience int) func(ticks int) bool {
	w := watch{patience: patience}
	var mu sync.Mutex // several may wait, but not at the same time
	return func(ticks int) bool {
		mu.Lock()
		defer mu.Unlock()
		if w.waiting = ticks; ticks == 1 {
			w.cpu = budget.ProcessTime()
		}
		return ticks > patience && !w.starved(1)
	}
}

// Overdue is for [kernel.Options] of explorations outside of searches. It abandons checked code that does not return
// within limit; 0 means the default of searches.
func Overdue(limit time.Duration) func(ticks int) bool {
	c := Config{HandlerLimit: cmp.Or(limit, defaultHandlerLimit)}
	return overdueAfter(c.patience())
}

// interruptedTicks is the time limit for checked code once the search is interrupted.
const interruptedTicks = 10

// stuck judges an abandoned step of an exploration. If the step was only slow, everything is explored again, with ten
// times as much patience.
func stuck(ctx context.Context, cfg *Config, began time.Time, patience int, x *table.Exploration, f *sim.Finding, r *Result) (*Result, error) {
	sus := &Suspect{
		Kind: sim.Divergence, Node: -1, Path: x.Path, Strategy: cfg.Strategy, Overdue: true,
		Message: "the handler " + didNotReturn(cfg),
	}
	if ctx.Err() != nil { // the code did not get its full time limit
		r.Verdict, r.Stopped, r.Suspects, r.Undecided = Interrupted, StoppedInterrupted, 1, 1
		r.Stats.Seconds = time.Since(began).Seconds()
		return r, nil
	}
	if f.Property != "" {
		sus.Property, sus.Message = f.Property, "its function "+didNotReturn(cfg)
	}
	if !cfg.Calls.Refuses() { // a refused call may end this process
		if o, err := follow(&cfg.System, x.Path, overdueAfter(patience)); err == nil {
			sus.Steps = o.Steps
		}
	}
	var c Confirmed
	if cfg.Confirm == nil {
		c.Violation = true
	} else {
		limited, cancel := cfg.confirming(ctx, sus, false)
		defer cancel()
		var err error
		c, err = cfg.Confirm(limited, *sus)
		if err != nil && !undecided(limited, err) {
			return nil, err
		}
	}
	switch {
	case c.Violation:
		r.Verdict, r.Finding, r.Detail, r.Stopped = Violation, cmp.Or(c.Instead, sus), c.Detail, StoppedFound
	case ctx.Err() != nil:
		r.Verdict, r.Stopped, r.Suspects, r.Undecided, r.Suspect = Interrupted, StoppedInterrupted, 1, 1, sus
	case c.Refuted && patience == cfg.patience() && !cfg.Calls.Refuses():
		return statesWithin(ctx, cfg, began, 10*patience)
	default:
		r.Verdict, r.Stopped, r.Suspects, r.Undecided, r.Suspect = Inconclusive, StoppedStuck, 1, 1, sus
		if c.Refuted {
			r.Undecided, r.Suspect = 0, nil
		}
	}
	r.Stats.Seconds = time.Since(began).Seconds()
	return r, nil
}

func didNotReturn(cfg *Config) string {
	return fmt.Sprintf("did not return within %v", cfg.HandlerLimit.Round(time.Millisecond))
}

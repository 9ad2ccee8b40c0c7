package search

import (
	"cmp"
	"context"
	"time"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/sim"
)

// interruptedTicks is the time limit for checked code once the search is interrupted.
const interruptedTicks = 10

// confirmHang judges an abandoned step of an exploration. If the step was only slow, everything is explored again, with ten
// times the limit.
func confirmHang(
	ctx context.Context, cfg *Config, began time.Time, ticks int, x *table.Exploration, f *sim.Finding, r *Result,
) (*Result, error) {
	sus := cfg.divergence(x.Path, cfg.Strategy)
	if ctx.Err() != nil { // the code did not get its full time limit
		r.Verdict, r.Stopped, r.Suspects, r.Undecided = Interrupted, stats.StoppedInterrupted, 1, 1
		r.Stats.Seconds = time.Since(began).Seconds()
		return r, nil
	}
	switch {
	case cfg.Calls.HasSkipped():
		sus.Kind, sus.Property, sus.Message = sim.Panic, f.Property, "the search process died in this step: "+cfg.Calls.HowDied
	case f.Property != "":
		sus.Property, sus.Message = f.Property, "its function "+runloop.DidNotReturn(cfg.HandlerLimit)
	}
	if !cfg.Calls.HasSkipped() { // a skipped call may end this process
		if o, err := runs.FollowWithin(&cfg.System, x.Path, runloop.OverdueAfter(ticks)); err == nil {
			sus.Steps = o.Steps
		}
	}
	var c Confirmed
	if cfg.Confirm == nil {
		c.Violation = true
	} else {
		cfg.suspect(sus)
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
		r.Verdict, r.Finding, r.Detail, r.Stopped = Violation, cmp.Or(c.Instead, sus), c.Detail, stats.StoppedFound
	case ctx.Err() != nil:
		r.Verdict, r.Stopped, r.Suspects, r.Undecided, r.Suspect = Interrupted, stats.StoppedInterrupted, 1, 1, sus
	case c.Refuted && ticks == cfg.handlerTicks() && !cfg.Calls.HasSkipped():
		return statesWithin(ctx, cfg, began, 10*ticks)
	default:
		r.Verdict, r.Stopped, r.Suspects, r.Undecided, r.Suspect = Inconclusive, stats.StoppedStuck, 1, 1, sus
		if c.Refuted {
			r.Undecided, r.Suspect = 0, nil
		}
	}
	r.Stats.Seconds = time.Since(began).Seconds()
	return r, nil
}

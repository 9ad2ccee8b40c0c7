package search

import (
	"context"
	"errors"
	"time"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// shortest searches breadth first for a violation in fewer steps than the one found, with all orders of events and all
// crashes, in the remaining time. Dead messages are dropped, which preserves the number of steps.
func (r *Result) shortest(ctx context.Context, cfg *Config, began time.Time, ticks int, x *table.Exploration) error {
	s := &stats.Shortest{Found: r.Finding.Steps}
	r.Stats.Shortest = s
	if s.Found <= 1 { // initial states were checked
		s.Least = true
		return nil
	}
	if cfg.Strategy.Can(strategy.BreadthFirst) && x.Reduced.Used != options.ReduceFull && x.Crashes == nil {
		conclude(s, x)
		return nil
	}
	opts, err := explorationOf(ctx, cfg, began, ticks)
	if err != nil {
		return err
	}
	opts.Frontier, opts.Reduce, opts.Crashes = explore.Queue, options.ReduceDrop, options.CrashExplicit
	opts.Log, opts.Trial, opts.MaxDepth = nil, nil, s.Found-1
	ctx, cancel := cfg.within(ctx, cfg.Time)
	defer cancel()
	y, err := table.Explore(ctx, &cfg.System, opts)
	if why := options.UnsupportedBy(err); why != "" {
		s.Why = "the state tables do not support " + why
		return nil
	}
	if err != nil {
		return err
	}
	s.States = y.States
	var finding *sim.Finding
	switch errors.As(y.Finding, &finding); {
	case finding != nil && !contain.Overdue(finding) && finding.Kind != sim.Nondeterminism:
		before := r.Stats
		if err := r.found(cfg, y, finding); err != nil {
			return err
		}
		r.Stats = before
		conclude(s, y)
	case y.Finding != nil:
		s.Why = "the breadth-first search failed: " + y.Finding.Error()
	case y.Complete || y.Stopped == stats.StoppedDepth:
		conclude(s, y)
	default:
		s.Why = "stopped by " + y.Stopped
	}
	return nil
}

// conclude checks that x, which went breadth first up to the reported violation, omitted no state before it.
func conclude(s *stats.Shortest, x *table.Exploration) {
	switch {
	case x.Omission > 0:
		s.Why = "states are compared by fingerprint, and fingerprints can collide"
	case len(x.Sampled) > 0:
		s.Why = "large choices were sampled"
	default:
		s.Least = true
	}
}

// noShortest records that no shorter violation was searched for.
func (r *Result) noShortest(cfg *Config) {
	if cfg.Shortest {
		r.Stats.Shortest = &stats.Shortest{Why: "only for safety violations is the shortest run computed"}
	}
}

package search

import (
	"context"
	"errors"
	"time"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Shortest tells whether fewer steps than those of a violation lead to one.
type Shortest struct {
	Found  int    `json:"found"`         // steps of the violation that was found first
	Least  bool   `json:"least"`         // no run of fewer steps than the one that is told violates anything
	States int    `json:"states"`        // that were visited to know that
	Why    string `json:"why,omitempty"` // it is not known
}

// shortest looks for a violation by fewer steps than the one that was found, breadth first, all orders of events and all crashes included, in the time that is left. Dead
// messages are dropped, which keeps the number of steps.
func (r *Result) shortest(ctx context.Context, cfg *Config, began time.Time, patience int, x *table.Exploration) error {
	s := &Shortest{Found: r.Finding.Steps}
	r.Stats.Shortest = s
	if s.Found <= 1 { // where runs begin was looked at
		s.Least = true
		return nil
	}
	if cfg.Strategy.Can(BreadthFirst) && x.Reduced.Used != options.ReduceFull && x.Crashes == nil {
		s.judge(x)
		return nil
	}
	opts, err := explorationOf(ctx, cfg, began, patience)
	if err != nil {
		return err
	}
	opts.Frontier, opts.Reduce, opts.Crashes, opts.Log, opts.Hurry, opts.MaxDepth = explore.Queue, options.ReduceDrop, options.CrashExplicit, nil, nil, s.Found-1
	ctx, cancel := cfg.within(ctx, cfg.Time)
	defer cancel()
	y, err := table.Explore(ctx, &cfg.System, opts)
	if why := unsupported(err); why != "" {
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
		stats := r.Stats
		if err := r.found(cfg, y, finding); err != nil {
			return err
		}
		r.Stats = stats
		s.judge(y)
	case y.Finding != nil:
		s.Why = "the breadth-first search failed: " + y.Finding.Error()
	case y.Complete || y.Stopped == StoppedDepth:
		s.judge(y)
	default:
		s.Why = "stopped by " + y.Stopped
	}
	return nil
}

// judge says whether x, which came breadth first as far as the violation that is told, passed by no state on the way.
func (s *Shortest) judge(x *table.Exploration) {
	switch {
	case x.Omission > 0:
		s.Why = "states are compared by fingerprint, and fingerprints can collide"
	case len(x.Sampled) > 0:
		s.Why = "large choices were sampled"
	default:
		s.Least = true
	}
}

// noShortest says that nothing shorter was looked for.
func (r *Result) noShortest(cfg *Config) {
	if cfg.Shortest {
		r.Stats.Shortest = &Shortest{Why: "only for safety violations is the shortest run computed"}
	}
}

package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

// breadthFirst visits states, not runs: the table engine looks successors up, so that there is no run for a
// [Loop] to execute. Finding paths and confirming suspects is as for other strategies.
func breadthFirst(ctx context.Context, cfg Config) (*Result, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	if len(cfg.Prefix) > 0 || cfg.PrefixRuns > 0 {
		return nil, errors.New("strategy bfs starts from the first state: it takes no prefix")
	}
	began := time.Now()
	exploring := ctx
	if cfg.Time > 0 {
		var cancel context.CancelFunc
		exploring, cancel = context.WithTimeout(ctx, cfg.Time)
		defer cancel()
	}
	opts := table.ExploreOptions{MaxBytes: cfg.MaxBytes, Visited: visitedSets[cfg.Visited]}
	if cfg.Workers > 1 {
		opts.Go = func(f func()) { go f() }
	}
	if cfg.Progress != nil {
		shown := began
		opts.Progress = func(states, transitions, depth int) {
			if now := time.Now(); now.Sub(shown) >= progressEvery {
				shown = now
				cfg.Progress(Progress{Elapsed: now.Sub(began), Phase: string(BFS), Depth: depth, States: states, Events: transitions})
			}
		}
	}
	if cfg.MaxDepth < maxDepth {
		opts.MaxDepth = cfg.MaxDepth
	}
	x, err := table.Explore(exploring, &cfg.System, opts)
	if err != nil {
		return nil, err
	}
	r := &Result{Verdict: OK, Stopped: stoppedBy(ctx, x)}
	r.Stats = Stats{
		States: x.States, Transitions: x.Transitions, Events: x.Transitions, Handlers: x.Stats.Handlers, Bytes: x.Bytes,
		ExhaustedDepth: x.Depth, Complete: x.Complete, Recovers: x.LivenessChecked && x.Dead == 0, Omission: x.Omission,
		Phases: []Phase{}, NeverHappened: []string{}, Sometimes: []Sometimes{},
	}
	var finding *sim.Finding
	var refused *sim.StateError
	switch {
	case errors.As(x.Finding, &refused):
		return nil, atStep(x.Finding, x.Depth)
	case errors.As(x.Finding, &finding):
		sus := &Suspect{Path: x.Path, Strategy: BFS, Node: -1}
		sus.Find(finding)
		sus.Steps = x.Depth
		r.Verdict, r.Finding = Violation, sus
	case x.Dead > 0:
		sus := &Suspect{
			Kind: sim.Liveness, Node: -1, Path: x.DeadPath, Steps: x.DeadCritical, Strategy: BFS, OutOfEvents: x.DeadOutOfEvents,
		}
		if x.DeadOutOfEvents {
			sus.Kind = sim.Deadlock
		}
		r.Verdict, r.Finding, r.Stopped = Violation, sus, StoppedFound
		if cfg.Confirm != nil {
			// The states say that it is dead; walks show how it goes on, and the nearest run that recovers.
			c, err := cfg.Confirm(ctx, *sus)
			if err != nil && ctx.Err() == nil {
				return nil, err
			}
			r.Finding, r.Detail = cmp.Or(c.Instead, sus), c.Detail
		}
	case x.States <= 1 && !x.Complete:
		r.Verdict = Inconclusive
	case !x.LivenessChecked && slices.ContainsFunc(cfg.System.Properties, func(p sim.Property) bool { return p.Eventually != nil }):
		r.Stats.Unchecked = "liveness properties" // only walks, or all states with what follows them, could tell
	}
	r.Stats.Seconds = time.Since(began).Seconds()
	return r, nil
}

var visitedSets = map[Visited]table.Visited{Fingerprints64: table.Fingerprints64, Fingerprints128: table.Fingerprints128}

func stoppedBy(ctx context.Context, x *table.Exploration) string {
	switch {
	case x.Complete:
		return StoppedComplete
	case x.Finding != nil:
		return StoppedFound
	case x.Stopped == "interrupted" && ctx.Err() == nil:
		return StoppedTime
	case x.Stopped == "depth":
		return StoppedDepth
	}
	return x.Stopped
}

package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// stateful visits states, not runs. The table engine looks successors up, so a loop has no run to execute. Paths are
// built and suspects confirmed as for other strategies.
func stateful(ctx context.Context, cfg Config) (*Result, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	if len(cfg.Prefix) > 0 || cfg.PrefixRuns > 0 {
		return nil, fmt.Errorf("strategy %s starts from the initial state and does not accept a prefix", cfg.Strategy)
	}
	if cfg.Log != nil && cfg.Found != nil {
		return nil, errors.New("a log cannot be combined with Found: a logged search ends at its first violation")
	}
	if cfg.Calls.HasSkipped() {
		cfg.Time *= 2
	}
	if cfg.Found != nil {
		return statesOnward(ctx, &cfg)
	}
	return statesWithin(ctx, &cfg, time.Now(), cfg.handlerTicks())
}

// statesOnward visits all states again after each violation of an Always property, except for those reached only
// through such a state.
func statesOnward(ctx context.Context, cfg *Config) (*Result, error) {
	began := time.Now()
	cfg.known = map[string]bool{}
	accepted := 0
	for {
		r, err := statesWithin(ctx, cfg, began, cfg.handlerTicks())
		if err != nil {
			return nil, err
		}
		if len(cfg.known) > 0 {
			r.Stats.unvisitedBehind()
		}
		if r.Verdict != Violation {
			if len(cfg.known) > accepted {
				r.Verdict = Violation
			}
			return r, nil
		}
		reported := *r
		reported.Last = cfg.lastOfStates(r.Finding)
		err = cfg.Found(ctx, &reported)
		if reported.Accepted {
			reported.Verdict, reported.Finding, reported.Detail = Inconclusive, nil, nil
			accepted++
		}
		if err != nil || reported.Last != "" {
			return &reported, err
		}
		cfg.known[r.Finding.Property] = true
	}
}

// unvisitedBehind retracts results that hold only if the states after violations were visited, too.
func (s *Stats) unvisitedBehind() {
	s.Complete, s.Recovers = false, false
	if s.Fair != nil && s.Fair.Judged {
		s.Fair.Judged, s.Fair.Why = false, "states after a violation were not visited"
	}
}

// lastOfStates returns the reason why the search of states cannot continue after a violation, or "" if it can.
func (c *Config) lastOfStates(f *Suspect) string {
	for _, p := range c.System.Properties {
		if p.Always != nil && p.Name == f.Property && f.Kind == sim.Safety {
			return ""
		}
	}
	return fmt.Sprintf("strategy %s continues only after violations of Always properties; other strategies continue after any violation",
		c.Strategy)
}

// statesWithin is stateful for a search that started at began, with a limit of that many ticks for checked code.
func statesWithin(ctx context.Context, cfg *Config, began time.Time, ticks int) (*Result, error) {
	exploring, cancel := cfg.within(ctx, cfg.Time)
	defer cancel()
	opts, err := explorationOf(ctx, cfg, began, ticks)
	if err != nil {
		return nil, err
	}
	opts.Calls = cfg.Calls
	visit := table.Explore
	if cfg.RemoteExplorer != nil {
		visit = cfg.RemoteExplorer
	}
	x, err := visit(exploring, &cfg.System, opts)
	if why := options.UnsupportedBy(err); why != "" {
		return nil, fmt.Errorf("strategy %s does not support %s; use strategy %s, which executes runs", cfg.Strategy, why, Deepening)
	}
	var log *explore.LogError
	switch {
	case errors.As(err, &log) && noRoom(err):
		x.Stopped = stats.StoppedDisk
	case err != nil:
		return nil, err
	}
	var finding *sim.Finding
	if x.Finding != nil && !errors.As(x.Finding, &finding) {
		return nil, runloop.AtStep(x.Finding, x.Depth) // other behaviour of the system is meaningless
	}
	x.Sampled.Merge(sampledByServices(&cfg.System))
	visited := x.Complete && x.Omission <= stateset.MostOmission && len(x.Sampled) == 0
	complete := visited && !(unjudged(&cfg.System, x) && exploring.Err() != nil)
	r := &Result{Stopped: stoppedBy(ctx, x)}
	if visited && !complete {
		r.Stopped = interruptedBy(ctx)
	}
	r.Stats = Stats{
		Work: Work{States: x.States, Transitions: x.Transitions, Events: x.Transitions, Handlers: x.Stats.Handlers, Bytes: x.Bytes,
			Disk: x.Disk, Expanded: x.Expanded, Phases: []stats.Phase{}, Engine: stats.EngineOf(x)},
		Coverage: Coverage{ExhaustedDepth: x.Depth, Complete: complete, Recovers: complete && x.LivenessChecked && x.Dead == 0},
		Omission: x.Omission,
	}
	if !cfg.Strategy.Can(strategy.BreadthFirst) && r.Stopped != stats.StoppedDepth && r.Stopped != stats.StoppedSampled && !visited {
		r.Stats.ExhaustedDepth = 0 // it is only deep in some places
	}
	r.Stats.Sampled, r.Stats.Reduced, r.Stats.Crashes = x.Sampled, cfg.reduced(x), x.Crashes
	if cfg.RemoteExplorer == nil {
		cover(&cfg.System, x, &r.Stats)
	}
	r.Stats.fair(&cfg.System, x)
	// Depth-first search completes no depth before all. Earlier processes may have visited states that this one did
	// not.
	allVisited := visited || r.Stopped == stats.StoppedSampled
	conclusive := r.Stats.ExhaustedDepth > 0 && x.Omission <= stateset.MostOmission && !cfg.Calls.HasSkipped() ||
		allVisited && !cfg.Calls.Doubts()
	switch {
	case finding != nil && contain.Overdue(finding):
		return confirmHang(ctx, cfg, began, ticks, x, finding, r)
	case finding != nil:
		if err := r.found(cfg, x, finding); err != nil {
			return nil, err
		}
		if cfg.Shortest && finding.Kind != sim.Nondeterminism {
			cfg.suspect(r.Finding)
			if err := r.shortest(ctx, cfg, began, ticks, x); err != nil {
				return nil, err
			}
		}
	case x.Dead > 0:
		if err := deadState(ctx, cfg, x, r); err != nil {
			return nil, err
		}
		r.noShortest(cfg)
	case x.Fairness != nil && x.Fairness.Starvation != nil:
		r.starved(x.Fairness.Starvation, cfg.Strategy)
		r.noShortest(cfg)
	case !x.LivenessChecked && expectsLive(&cfg.System):
		r.Stats.Unchecked = "liveness properties, deadlocks" // this takes walks, or all states with their successors
	}
	refused, err := r.walkFair(exploring, cfg, opts.World)
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return confirmHang(ctx, cfg, began, ticks, refused, contain.GivenUp(), r)
	}
	r.Verdict = Conclude(r.Finding != nil, r.Stopped, conclusive && !r.Stats.judgedNothing(&cfg.System))
	r.Stats.Seconds = time.Since(began).Seconds()
	return r, nil
}

// unjudged reports whether an exploration did not judge a liveness property.
func unjudged(sys *sim.System, x *table.Exploration) bool {
	return !x.LivenessChecked && expectsLive(sys) || x.Fairness != nil && !x.Fairness.Judged
}

// expectsLive reports whether the system has an Eventually property.
func expectsLive(sys *sim.System) bool {
	return slices.ContainsFunc(sys.Properties, func(p sim.Property) bool { return p.Eventually != nil })
}

// found makes a finding about a state or step the finding of a search.
func (r *Result) found(cfg *Config, x *table.Exploration, f *sim.Finding) error {
	o, err := runs.Follow(&cfg.System, x.Path)
	if err != nil {
		return err
	}
	r.Finding, r.Stopped = &Suspect{Finding: *f, Path: x.Path, Strategy: cfg.Strategy, Steps: o.Steps}, stats.StoppedFound
	return nil
}

// noRoom reports whether an error means that a disk is full.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// deadState makes the nearest dead state the finding of a search.
func deadState(ctx context.Context, cfg *Config, x *table.Exploration, r *Result) error {
	sus := &Suspect{
		Finding: sim.Finding{Kind: sim.Liveness, Node: -1}, Path: x.DeadPath, Steps: x.DeadCritical, Strategy: cfg.Strategy,
		OutOfEvents: x.DeadOutOfEvents, Proven: x.Omission == 0,
	}
	if x.DeadOutOfEvents {
		sus.Kind = sim.Deadlock
	}
	r.Finding, r.Stopped = sus, stats.StoppedFound
	if cfg.Confirm != nil {
		cfg.suspect(sus)
		// The states prove that it is dead. Walks show a continuation, and the nearest run that recovers.
		limited, cancel := cfg.confirming(ctx, sus, false)
		defer cancel()
		c, err := cfg.Confirm(limited, *sus)
		if err != nil && !undecided(limited, err) {
			return err
		}
		r.Finding, r.Detail = cmp.Or(c.Instead, sus), c.Detail
	}
	return nil
}

// explorationOf returns the options for visiting states.
func explorationOf(ctx context.Context, cfg *Config, began time.Time, ticks int) (opts options.Options, err error) {
	visited, err := stateset.Named(cfg.Visited)
	if err != nil {
		return opts, err
	}
	opts = options.Options{MaxBytes: cfg.MaxBytes, Visited: visited, Frontier: cfg.Strategy.info().Frontier,
		Reduce:   options.Reduction(cmp.Or(cfg.Reduce, options.ReduceAuto)),
		Symmetry: cfg.Symmetry, Crashes: options.CrashModel(cfg.Crashes), Weightless: cfg.Weights.Weightless(), Known: cfg.known,
		Log: cfg.Log}
	if cfg.Time > 0 {
		opts.Trial = func(ctx context.Context) (context.Context, context.CancelFunc) { return cfg.within(ctx, cfg.Time/2) }
	}
	opts.World.UseAfterReturn, opts.World.Settle = cfg.late, cfg.Calls.Settles()
	if cfg.Spill != "" && cfg.MaxBytes > 0 {
		opts.Spill = &stateset.Spill{Dir: cfg.Spill, Bytes: cfg.MaxBytes / 4 * 3}
	}
	late := runloop.OverdueAfter(ticks)
	opts.World.Overdue = func(ticks int) bool { return late(ticks) || ticks > interruptedTicks && ctx.Err() != nil }
	if cfg.Workers > 1 {
		opts.Go = func(f func()) { go f() }
	}
	if cfg.Progress != nil {
		shown := began
		opts.Progress = func(states, transitions, depth, waiting int) {
			if now := time.Now(); now.Sub(shown) >= progressEvery {
				shown = now
				cfg.Progress(Progress{Elapsed: now.Sub(began), Phase: string(cfg.Strategy), Depth: depth, States: states, Events: transitions,
					Waiting: waiting})
			}
		}
	}
	if cfg.MaxDepth < fpset.MaxDepth {
		opts.MaxDepth = cfg.MaxDepth
	}
	return opts, nil
}

func stoppedBy(ctx context.Context, x *table.Exploration) string {
	switch {
	case x.Complete && x.Omission > stateset.MostOmission:
		return stats.StoppedFingerprints
	case x.Complete && len(x.Sampled) > 0:
		return stats.StoppedSampled
	case x.Complete:
		return stats.StoppedComplete
	case x.Finding != nil:
		return stats.StoppedFound
	case x.Stopped == explore.StoppedInterrupted:
		return interruptedBy(ctx)
	case x.Stopped == explore.StoppedDepth:
		return stats.StoppedDepth
	}
	return x.Stopped
}

// interruptedBy returns why an exploration was interrupted: by ctx, or else by the time limit.
func interruptedBy(ctx context.Context) string {
	if ctx.Err() != nil {
		return stats.StoppedInterrupted
	}
	return stats.StoppedTime
}

// cover fills in the events that happened, and the others.
func cover(sys *sim.System, x *table.Exploration, s *Stats) {
	did := &x.Coverage
	c := coverage.New(sys)
	copy(c.Actions, did.Actions)
	for _, m := range did.Sent {
		c.Expect(coverage.MessageItem, m.To, m.Body)
	}
	for _, m := range did.Delivered {
		c.Happen(c.Message(m.To, m.Body))
	}
	for _, t := range did.Set {
		c.Expect(coverage.TimerItem, -1, t)
	}
	for _, t := range did.Fired {
		c.Fired(t)
	}
	sometimes := make([]int, 0, len(did.Sometimes))
	for _, held := range did.Sometimes {
		n := 0
		if held {
			n = 1
		}
		sometimes = append(sometimes, n)
	}
	s.FaultsUsed, s.ForeignTimes = did.Used, did.ForeignTimes
	s.Grows = x.Grows
	s.cover(sys, c, sometimes)
}

// reduced returns how states were left out, or nil if no reduction was requested.
func (c *Config) reduced(x *table.Exploration) *stats.Reduced {
	if c.Reduce == options.ReduceNone && !c.Symmetry {
		return nil
	}
	return &x.Reduced
}

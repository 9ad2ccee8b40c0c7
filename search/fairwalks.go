package search

import (
	"context"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
)

// Fair walks begin after fairAfter of work by runs, and are repeated whenever the work has doubled, with one state per
// fairShare of work.
const (
	fairAfter = 1 << 17
	fairShare = 1 << 5
	leastFair = 1 << 12
	fewStates = 1 << 15 // limit of states to visit once walks have found something, in no more time than the earlier work
)

// walkFair makes fair walks, with a separate seed.
func walkFair(ctx context.Context, cfg *Config, world kernel.Options, turn, states, bytes int) (*fairness.FairWalks, error) {
	out, err := fairness.WalkFair(ctx, &cfg.System, fairness.FairWalkOptions{
		World: world, Weightless: cfg.Weights.Weightless(), States: states, MaxBytes: bytes, Calls: cfg.Calls,
		Seed: choose.Derive(cfg.Seed, choose.Path{int32(turn)}),
	})
	if why := options.UnsupportedBy(err); why != "" {
		return &fairness.FairWalks{Why: "the state tables do not support " + why}, nil
	}
	return out, err
}

// walkFair makes fair walks if they are due. With last it makes them only if none were made yet.
func (s *searcher) walkFair(ctx context.Context, last bool) error {
	f := &s.fairWalks
	switch {
	case len(s.cfg.System.Obligations()) == 0 || len(s.cfg.Prefix) > 0 || s.cfg.Alone || s.findings.any() || f.Why != "":
		return nil
	case last && (f.Walks > 0 || s.stopping == stats.StoppedComplete || s.stopping == stats.StoppedInterrupted ||
		s.stopping == stats.StoppedTime ||
		s.stopping == stats.StoppedStuck):
		return nil
	case !last && (s.stopping != "" || s.worked() < fairAfter<<s.fairTurn):
		return nil
	}
	limited, cancel := s.cfg.within(ctx, s.cfg.Time)
	defer cancel()
	opts, err := explorationOf(ctx, &s.cfg, s.began, s.cfg.handlerTicks())
	if err != nil {
		return err
	}
	bytes := 0
	if s.cfg.MaxBytes > 0 {
		bytes = max(1, s.cfg.MaxBytes-s.global.Need(0)-s.cfg.Reach.need(0))
	}
	s.fairTurn++
	out, err := walkFair(limited, &s.cfg, opts.World, s.fairTurn, max(leastFair, s.worked()/fairShare), bytes)
	if err != nil {
		return err
	}
	*f = f.And(stats.FairWalks{Walks: out.Walks, States: out.States, Why: out.Why})
	if limited.Err() != nil {
		f.Why = "" // the search ends for the same reason
	}
	if out.Skipped != nil {
		return s.settle(ctx, s.cfg.divergence(out.Path, s.cfg.Strategy), "a handler did not return")
	}
	if out.Starvation == nil {
		return nil
	}
	s.cfg.suspect(starvation(out.Starvation, s.cfg.Strategy))
	found, err := s.amongAll(limited, bytes)
	if err != nil {
		return err
	}
	if found == nil || found.Steps+found.Round > out.Starvation.Steps+out.Starvation.Round {
		found = out.Starvation
	}
	return s.violation(ctx, starvation(found, s.cfg.Strategy), nil, "")
}

// amongAll visits all states, if they are few, once walks have found starvation. It then knows which alternatives
// existed, and which choices matter. Nil means that there are more states, or that something else was found first.
func (s *searcher) amongAll(ctx context.Context, bytes int) (*fairness.Starvation, error) {
	cfg := s.cfg.visitingAll()
	opts, err := explorationOf(ctx, &cfg, s.began, cfg.handlerTicks())
	if err != nil {
		return nil, err
	}
	opts.MaxStates, opts.MaxBytes = fewStates, bytes
	x, err := table.Explore(ctx, &cfg.System, opts)
	if options.UnsupportedBy(err) != "" {
		return nil, nil
	}
	if err != nil || x.Fairness == nil {
		return nil, err
	}
	return x.Fairness.Starvation, nil
}

// walkFair makes fair walks if memory did not suffice for all states. skipped is the exploration that reached a skipped
// call, or nil.
func (r *Result) walkFair(ctx context.Context, cfg *Config, world kernel.Options) (skipped *table.Exploration, err error) {
	switch {
	case r.Stats.Fair == nil || r.Stats.Fair.Judged || r.Finding != nil || cfg.RemoteExplorer != nil || len(cfg.known) > 0,
		r.Stopped != stats.StoppedMemory: // a user who bounds the depth wants nearby findings
		return nil, nil
	}
	out, err := walkFair(ctx, cfg, world, 0, max(leastFair, r.Stats.States/fairShare), cfg.MaxBytes)
	if err != nil {
		return nil, err
	}
	if out.Skipped != nil {
		return &table.Exploration{Finding: out.Skipped, Path: out.Path}, nil
	}
	r.Stats.Fair.Walked = stats.FairWalks{Walks: out.Walks, States: out.States, Why: out.Why}
	if out.Starvation != nil {
		r.starved(out.Starvation, cfg.Strategy)
	}
	return nil, nil
}

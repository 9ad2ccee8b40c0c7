package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// fair fills in how infinite fair runs were judged, if states were visited.
func (s *Stats) fair(sys *sim.System, x *table.Exploration) {
	names := sys.Obligations()
	if len(names) == 0 {
		return
	}
	s.Fair = &stats.Fair{Obligations: names, Why: "not all states were visited"}
	if f := x.Fairness; f != nil {
		s.Fair.Judged, s.Fair.Why = f.Judged, f.Why
		if f.Judged && len(x.Sampled) > 0 {
			s.Fair.Judged, s.Fair.Why = false, "choices were sampled"
		}
		for i, h := range f.Hot {
			s.Fair.Hot = append(s.Fair.Hot, h.States)
			if h.States == 0 && f.Judged { // otherwise it may have been counted in few of the states
				s.NeverHappened = append(s.NeverHappened, "an obligation of "+names[i])
			}
		}
		slices.Sort(s.NeverHappened)
	}
}

// noteFairRunsUnjudged records that a search that executes runs does not judge infinite ones.
func (s *Stats) noteFairRunsUnjudged(sys *sim.System, name Name) {
	if names := sys.Obligations(); len(names) > 0 {
		s.Fair = &stats.Fair{Obligations: names, Why: "not all states were visited"}
		if !name.Can(strategy.KeepsStates) {
			s.Fair.Why = fmt.Sprintf("strategy %s executes runs and does not visit all states; %s do", name,
				strings.Join(strategy.Names(strategy.VisitsStates), " and "))
		}
	}
}

// starved makes an infinite run with an obligation open forever the finding of a search.
func (r *Result) starved(s *fairness.Starvation, strategy Name) {
	r.Finding, r.Stopped = starvation(s, strategy), stats.StoppedFound
}

// starvation returns the suspect for such a run.
func starvation(s *fairness.Starvation, strategy Name) *Suspect {
	message := s.Property + " stays pending forever"
	if s.Obligation != "" {
		message += " for " + s.Obligation
	}
	return &Suspect{
		Finding: sim.Finding{Kind: sim.Starvation, Property: s.Property, Message: message, Node: -1},
		Path:    s.Path, Steps: s.Steps + s.Round, Strategy: strategy, Proven: true, Starved: s,
	}
}

// within returns a context that ends the given time after the start of the search; 0 means no limit.
func (c *Config) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return budget.WithDeadline(ctx, c.start+limit)
	}
	return context.WithCancel(ctx)
}

// visitingAll returns the config of a search of all states.
func (c *Config) visitingAll() Config {
	cfg := *c
	cfg.Strategy, cfg.Visited, cfg.MaxDepth, cfg.Progress = BFS, "", fpset.MaxDepth, nil
	return cfg
}

// judgeFair judges infinite fair runs once a search that executes runs has seen all states. It visits them again, and
// keeps them.
func (s *searcher) judgeFair(ctx context.Context, r *Result) error {
	if r.Finding != nil || s.findings.found > 0 || !r.Stats.Complete || r.Stats.Fair == nil || len(s.cfg.Prefix) > 0 {
		return nil
	}
	cfg := s.cfg.visitingAll()
	exploring, cancel := cfg.within(ctx, cfg.Time)
	defer cancel()
	opts, err := explorationOf(ctx, &cfg, s.began, cfg.handlerTicks())
	if err != nil {
		return err
	}
	x, err := table.Explore(exploring, &cfg.System, opts)
	if why := options.UnsupportedBy(err); why != "" {
		r.Stats.Fair.Why = "the state tables do not support " + why
		return nil
	}
	if err != nil {
		return err
	}
	r.Stats.fair(&cfg.System, x)
	var finding *sim.Finding
	switch {
	case errors.As(x.Finding, &finding) && !contain.Overdue(finding): // not found by the runs
		err = r.found(&cfg, x, finding)
	case x.Dead > 0:
		err = deadState(ctx, &cfg, x, r)
	case x.Fairness != nil && x.Fairness.Starvation != nil:
		r.starved(x.Fairness.Starvation, s.cfg.Strategy)
	}
	if r.Finding != nil {
		r.Verdict = Conclude(true, r.Stopped, true)
	}
	return err
}

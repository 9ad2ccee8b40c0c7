package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
)

// Alternating returns c with the engine switched after each run.
func Alternating(c Config) Config {
	c.Engine, c.alternate = runloop.AutoEngine, true
	return c
}

// Prefixes makes runs without injections from c.Prefix on, each until a live state follows one that is not, and
// returns the paths of the first n. It skips runs that do not get there, and returns an error if none does. When ctx is
// done it returns ctx's error, and the paths made until then.
func Prefixes(ctx context.Context, c Config, n int) ([]choose.Path, error) {
	c.Confirm = func(context.Context, Suspect) (Confirmed, error) { return Confirmed{Refuted: true}, nil }
	c.PrefixRuns = n
	s, err := newSearcher(c)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if err := s.makePrefixes(ctx, n); err != nil {
		return nil, err
	}
	switch {
	case s.findings.finding != nil:
		return nil, fmt.Errorf("a run intended as a prefix ended with a finding: %s: %s", s.findings.finding.Kind, s.findings.finding.Message)
	case s.stopping == stats.StoppedInterrupted:
		return s.totals.prefixes, ctx.Err()
	case len(s.totals.prefixes) == 0:
		return nil, errors.New("no fault-free run reached a live state, so there is no prefix")
	}
	return s.totals.prefixes, nil
}

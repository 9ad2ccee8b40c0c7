package check

import (
	"cmp"
	"context"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// WalkOptions set the effort of walks from a loaded run. The zero value of each field is its default.
type WalkOptions struct {
	Walks     int // per probe of a critical transition
	WalkSteps int
	Seed      uint64 // 0 means the seed of the path file
	Workers   int
}

// options returns the options for a loaded run.
func (c *WalkOptions) options(l *Loaded) Options {
	return Options{Header: l.Header, Search: search.Config{System: l.System, Walks: c.Walks, WalkSteps: c.WalkSteps, Weights: l.weights(),
		Seed: cmp.Or(c.Seed, l.Header.Seed, 1), Workers: cmp.Or(c.Workers, runs.DefaultWorkers())}}
}

// CriticalOptions set the effort of the search for a critical transition.
type CriticalOptions struct {
	WalkOptions
	Property string // a state is live if it holds; an empty string means if all hold
	// PathBuffers are as in [Options].
	PathBuffers []choose.Path `json:"-"`
}

// Critical finds the critical transition of a loaded run and returns the report. It writes no files.
func Critical(ctx context.Context, l *Loaded, effort CriticalOptions) (*report.Report, error) {
	r, _, err := l.critical(ctx, effort)
	return r, err
}

// critical is [Critical]. It also returns the path files of the report.
func (l *Loaded) critical(ctx context.Context, effort CriticalOptions) (*report.Report, files, error) {
	o := effort.options(l)
	o.Search.Property, o.Search.PathBuffers = effort.Property, effort.PathBuffers
	c, err := newChecker(o)
	if err != nil {
		return nil, files{}, err
	}
	cfg := c.criticalConfig()
	cfg.Path = l.Path
	start := time.Now()
	res, err := critical.Find(ctx, cfg)
	if err != nil {
		return nil, files{}, err
	}
	r := c.report(&search.Result{
		Verdict: criticalVerdict(res),
		Stats:   search.Stats{Work: search.Work{Seconds: time.Since(start).Seconds()}},
	})
	r.Property = l.Header.Property
	r.Strategy = "critical"
	r.Kind, r.Message = violationOf(res)
	f, err := c.describeDead(r, res, l.Header)
	if err != nil {
		return nil, files{}, err
	}
	return r, f, keep(r, f)
}

// violationOf returns the kind and the message of the finding that a run is dead.
func violationOf(res *critical.Result) (sim.FindingKind, string) {
	const message = "no live state was reached"
	if res.OutOfEvents {
		return sim.Deadlock, message
	}
	return sim.Liveness, message
}

func criticalVerdict(res *critical.Result) search.Verdict {
	switch {
	case res.Violation():
		return search.Violation
	case res.Case == critical.Recovered:
		return search.OK
	}
	return search.Inconclusive
}

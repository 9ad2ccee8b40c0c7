package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// ShrinkOptions set the effort of shrinking a run. The zero value of each field is its default.
type ShrinkOptions struct {
	WalkOptions
	MaxSteps int // as in shrink.Config
	// Respawn is as in [Options]. The JSON of commands does not contain functions.
	Respawn func() *exec.Cmd `json:"-"`
	// Progress is as in [search.Config].
	Progress func(search.Progress) `json:"-"`
}

// Shrink shrinks a loaded run and returns its report, with the smaller run as text. There is no text if the run is not known to
// violate anything. Shrink writes no files.
func Shrink(ctx context.Context, l *Loaded, effort ShrinkOptions) (*report.Report, error) {
	if l.Header.Endless {
		return nil, errors.New("the run ends in a cycle, and such runs cannot be shrunk")
	}
	if l.Unsafe != nil && (l.Death == nil || l.Death.Running > 0) {
		return nil, fmt.Errorf("the run cannot be shrunk: %s, after a time that may differ in each smaller run; "+
			"handlers that await their goroutines make it end in one step", l.Unsafe.Why)
	}
	began := time.Now()
	c := &checker{Options: effort.options(l), sys: l.System}
	res, err := c.known(ctx, l)
	if err != nil {
		return nil, err
	}
	before, err := c.shrink(ctx, res)
	if err != nil {
		return nil, err
	}
	if before != nil && before.refused != "" {
		return nil, errors.New(before.refused)
	}
	res.Stats.Seconds = time.Since(began).Seconds()
	r := c.report(res)
	r.Strategy = "shrink"
	if res.Finding == nil {
		return r, nil
	}
	if before != nil {
		r.Shrunk = &before.facts
	}
	f, err := c.describe(r, res)
	if err != nil {
		return nil, err
	}
	return r, keep(r, f)
}

func (c *ShrinkOptions) options(l *Loaded) Options {
	o := c.WalkOptions.options(l)
	o.Search.Progress, o.Search.HandlerLimit = c.Progress, lookLimit/4
	o.Respawn, o.ShrinkSteps = c.Respawn, cmp.Or(c.MaxSteps, shrink.DefaultMaxSteps) // requested for any length
	return o
}

// known returns the known result of a run: its finding or, without one, whether it is dead.
func (c *checker) known(ctx context.Context, l *Loaded) (*search.Result, error) {
	res := &search.Result{Verdict: search.Violation}
	if d := l.Death; d != nil {
		res.Finding = &search.Suspect{Finding: d.Finding, Path: d.Path(), Steps: d.Steps}
		res.Detail = d
		return res, nil
	}
	trace, err := replay.RecordNear(&c.sys, l.Path, c.tracing(), replay.Outlined)
	if err != nil {
		return nil, err
	}
	found := &search.Suspect{Finding: sim.Finding{Property: l.Header.Property, Node: -1}, Path: l.Path, Steps: len(trace.Steps)}
	if trace.Finding != nil {
		found.Finding, found.Steps = *trace.Finding, trace.FoundAt
		res.Finding = found
		return res, nil
	}
	if !slices.ContainsFunc(c.sys.Properties, func(p sim.Property) bool { return p.Eventually != nil }) {
		res.Verdict = search.OK
		return res, nil
	}
	cfg := c.criticalConfig()
	cfg.Path = l.Path
	dead, err := critical.Find(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if res.Verdict = criticalVerdict(dead); res.Verdict != search.Violation {
		return res, nil
	}
	found.Kind, found.Message = violationOf(dead)
	res.Finding, res.Detail = found, dead
	return res, nil
}

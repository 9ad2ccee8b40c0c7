package check

import (
	"context"
	"errors"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/shrink"
	"github.com/macemc/macemc/sim"
)

// original is a finding as it was before it was shrunk.
type original struct {
	path  choose.Path
	facts report.Shrunk
}

// shrink makes the run of a finding smaller, in place. It returns nil when that was not asked for, does
// not apply, or changes nothing.
func (o *Options) shrink(ctx context.Context, sys *sim.System, res *search.Result) (*original, error) {
	if o.NoShrink || res.Finding == nil {
		return nil, nil
	}
	began := time.Now()
	found := res.Finding
	cfg := shrink.Config{
		Walks: o.criticalConfig(*sys), Path: found.Path, MaxSteps: o.ShrinkSteps, Progress: o.shrinkProgress(began),
		Finding: sim.Finding{Kind: found.Kind, Property: found.Property, Message: found.Message, Stack: found.Stack},
	}
	before := &original{path: found.Path}
	switch detail := res.Detail.(type) {
	case *Death:
		return nil, nil
	case *critical.Result:
		dead, err := replay.Record(sys, detail.Dead, sim.Options{})
		if err != nil {
			return nil, err
		}
		cfg.Dead, cfg.Finding.Property = detail, deadProperty(dead, detail.Step, found.Property)
		before.path, before.facts.FromCritical = detail.Dead, detail.Step
	}
	small, err := shrink.Run(ctx, cfg)
	switch {
	case errors.Is(err, shrink.ErrUnable):
		return nil, nil
	case err != nil:
		return nil, err
	}
	before.facts.FromSteps, before.facts.Candidates, before.facts.Executed = small.From, small.Tried, small.Executed
	before.facts.Minimal, before.facts.Seconds = small.Minimal, time.Since(began).Seconds()
	after := *found
	after.Path, after.Steps, after.Property = small.Path, small.Steps, cfg.Finding.Property
	if f := small.Finding; f != nil {
		after.Find(f)
	}
	if small.Dead != nil {
		res.Detail = small.Dead
	}
	res.Finding = &after
	return before, nil
}

// shrinkProgress tells of shrinking as a phase of the search.
func (o *Options) shrinkProgress(began time.Time) func(shrink.Progress) {
	if o.Search.Progress == nil {
		return nil
	}
	shown := began
	return func(p shrink.Progress) {
		if now := time.Now(); now.Sub(shown) > progressEvery {
			shown = now
			o.Search.Progress(search.Progress{Elapsed: now.Sub(began), Phase: "shrinking", Depth: p.Steps, Paths: p.Tried, Events: p.Executed})
		}
	}
}

// progressEvery is how often progress of shrinking is told.
const progressEvery = 200 * time.Millisecond

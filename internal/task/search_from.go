package task

import (
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// resume fills in missing flags from the run of --from. It returns that run, or nil without --from.
func (f *Search) resume(p *Process) (*check.Source, error) {
	if f.From == "" {
		return nil, nil
	}
	run, err := check.OpenSource(p.Systems, f.From)
	if err != nil {
		return nil, err
	}
	h := run.Header()
	if f.System != "" && f.System != h.System {
		return nil, fmt.Errorf("--from %s is a run of system %q, not of %q", f.From, h.System, f.System)
	}
	for _, x := range []struct {
		flag    string
		differs bool
	}{
		{"nodes", f.Given.Has("nodes") && f.Nodes != h.Nodes},
		{"bug", f.Given.Has("bug") && !slices.Equal(f.Bugs, h.Bugs)},
		{"set", f.Given.Has("set")},
	} {
		if x.differs {
			return nil, fmt.Errorf("--%s contradicts --from %s: nodes, parameters and bugs are those of the run", x.flag, f.From)
		}
	}
	f.System, f.Nodes, f.Bugs, f.Set = h.System, h.Nodes, h.Bugs, nil
	params, property, weights := check.SplitParams(&h)
	if !f.Given.Has("property") {
		f.Property = property
	}
	if !f.Given.Has("weights") && !f.Unbiased {
		f.Weights = weights
	}
	for _, x := range params {
		f.Set = append(f.Set, x.Key+"="+x.Value)
	}
	if !f.Given.Has("timing") {
		f.Timing = h.Timing
	}
	if !f.Given.Has("interleave") {
		f.Interleave = h.Interleave
	}
	if !f.Given.Has("crash-cut") {
		f.CrashCut = h.CrashCut
	}
	return run, nil
}

// onward makes the search start at the end of the run of --from, or after one of its steps. The limits are raised by
// the faults that the run has used. It returns the merged recordings, or nil for a path file.
func (f *Search) onward(run *check.Source, s *check.Subject, cfg *search.Config) (*recording.Merged, error) {
	h := run.Header()
	// The limits in the header suffice for the run.
	most, err := replay.HeaderLimits(&h)
	if err != nil {
		return nil, err
	}
	loose, err := raised(s.System, most)
	if err != nil {
		return nil, err
	}
	if err := f.Modes.Apply(&loose); err != nil {
		return nil, modeError(err)
	}
	if h.AsLive {
		loose = simext.AsLive(loose)
	}
	loaded, err := run.On(context.Background(), &loose)
	if err != nil {
		return nil, err
	}
	if f.Given.Has("step") {
		if loaded.Path, err = loaded.Until(f.Step); err != nil {
			return nil, fmt.Errorf("--step %d: %w", f.Step, err)
		}
	}
	o, err := runs.Follow(&loose, loaded.Path)
	if err != nil {
		return nil, err
	}
	if s.System, err = raised(s.System, o.Used); err != nil {
		return nil, err
	}
	s.System = s.System.At(loaded.System.Instant())
	s.System.Timing, s.System.Interleave, s.System.CrashCut = loose.Timing, loose.Interleave, loose.CrashCut
	if h.AsLive {
		s.System = simext.AsLive(s.System)
	}
	cfg.System, cfg.Prefix, cfg.PrefixRuns = s.System, loaded.Path, 0
	return loaded.Recording, nil
}

// raised returns the system with additional fault limits.
func raised(sys sim.System, by sim.Limits) (sim.System, error) {
	limits := sys.Limits()
	for f := range limits {
		limits[f] += by[f]
	}
	return sys.WithLimits(limits)
}

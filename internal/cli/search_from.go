package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// resume takes from the run of --from what the flags do not say. It returns the system's name.
func (a *app) resume(f *searchFlags, args []string, changed func(string) bool) (string, error) {
	if f.from == "" {
		return args[0], nil
	}
	var err error
	if f.run, err = check.OpenSource(a.systems, f.from); err != nil {
		return "", err
	}
	h := f.run.Header()
	if len(args) > 0 && args[0] != h.System {
		return "", fmt.Errorf("--from %s is a run of system %q, not of %q", f.from, h.System, args[0])
	}
	for _, x := range []struct {
		flag    string
		differs bool
	}{
		{"nodes", changed("nodes") && f.nodes != h.Nodes},
		{"bug", changed("bug") && !slices.Equal(f.bugs, h.Bugs)},
		{"set", changed("set")},
	} {
		if x.differs {
			return "", fmt.Errorf("--%s contradicts --from %s: nodes, parameters and bugs are those of the run", x.flag, f.from)
		}
	}
	f.nodes, f.bugs, f.set = h.Nodes, h.Bugs, nil
	params, property, weights := check.SplitParams(&h)
	if !changed("property") {
		f.property = property
	}
	if !changed("weights") && !f.unbiased {
		f.weights = weights
	}
	for _, p := range params {
		f.set = append(f.set, p.Key+"="+p.Value)
	}
	if !changed("timing") {
		f.timing = h.Timing
	}
	if !changed("interleave") {
		f.interleave = h.Interleave
	}
	return h.System, nil
}

// onward makes the search start where the run of --from ends, or after one of its steps. The faults that
// the run has used do not count: the limits are raised by them. What it was merged from is returned, nil when
// it is a path file.
func (f *searchFlags) onward(s *check.Subject, cfg *search.Config, changed func(string) bool) (*recording.Merged, error) {
	h := f.run.Header()
	// What the header allows is enough for the run to fit.
	most, err := replay.HeaderLimits(&h)
	if err != nil {
		return nil, err
	}
	loose, err := raised(s.System, most)
	if err != nil {
		return nil, err
	}
	if f.timing != "" {
		if loose.Timing, err = sim.ParseTiming(f.timing); err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
	}
	if f.interleave != "" {
		if loose.Interleave, err = sim.ParseInterleave(f.interleave); err != nil {
			return nil, fmt.Errorf("--interleave: %w", err)
		}
	}
	loaded, err := f.run.On(context.Background(), &loose)
	if err != nil {
		return nil, err
	}
	if changed("step") {
		if loaded.Path, err = loaded.Until(f.step); err != nil {
			return nil, fmt.Errorf("--step %d: %w", f.step, err)
		}
	}
	o, err := search.Follow(&loose, loaded.Path)
	if err != nil {
		return nil, err
	}
	if s.System, err = raised(s.System, o.Used); err != nil {
		return nil, err
	}
	s.System.Timing, s.System.Interleave = loose.Timing, loose.Interleave
	cfg.System, cfg.Prefix, cfg.PrefixRuns = s.System, loaded.Path, 0
	return loaded.Recording, nil
}

// raised is a system with more fault limits.
func raised(sys sim.System, by sim.Limits) (sim.System, error) {
	limits := sys.Limits()
	more := check.LimitFields(&by)
	for i, field := range check.LimitFields(&limits) {
		*field.Value += *more[i].Value
	}
	return sys.WithLimits(limits)
}

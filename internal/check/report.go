package check

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// uncovered describes behavior of the system's services that a search cannot see.
func uncovered(sys *sim.System) string {
	l := declared.Limited(sys)
	if l == nil {
		return ""
	}
	text := l.Uncovered(sys.Interleave)
	if c := sys.Clocks; c != nil && (c.Offset > 0 || c.Drift > 0) {
		text += "; clock offsets and drifts other than 0 and the maximum, and clocks that change their rate"
	}
	return text
}

// crashCut returns the report's entry for the crash cut. An empty string means a prefix, or no node failures.
func crashCut(sys *sim.System) string {
	if sys.CrashCut == sim.CutPrefix || sys.Crashes == 0 && sys.Halts == 0 {
		return ""
	}
	return sys.CrashCut.String()
}

func clocks(sys *sim.System) string {
	if sys.Clocks == nil {
		return ""
	}
	return sys.Clocks.String()
}

// report fills in the fields common to all searches.
func (c *checker) report(res *search.Result) *report.Report {
	full := &c.Search.System
	r := &report.Report{
		Settings: report.Settings{
			System:   full.Name,
			Nodes:    full.Nodes,
			Bugs:     c.Header.Bugs,
			Limits:   full.Limits(),
			Timing:   full.Timing.String(),
			Clocks:   clocks(full),
			CrashCut: crashCut(full),
			Strategy: string(cmp.Or(c.Search.Strategy, search.Deepening)),
		},
		Uncovered: uncovered(full),
		Seed:      cmp.Or(c.Search.Seed, 1),
		Workers:   c.Search.Workers,
		WalkSteps: cmp.Or(c.Search.WalkSteps, runs.DefaultSteps),
		Verdict:   res.Verdict,
		Depth:     res.Stats.ExhaustedDepth,
		Work:      res.Stats.Work,
		Stopped:   res.Stopped,
		Suspects:  res.Suspects,
		Undecided: res.Undecided,
		Slow:      res.Slow,
		Coverage:  report.Coverage{Coverage: res.Stats.Coverage, Assumed: c.assumed},
	}
	if r.Verdict == search.OK && slices.ContainsFunc(c.assumed, func(a report.Assumption) bool { return a.Wrong() }) {
		r.Verdict = search.Inconclusive
	}
	if res.Finding == nil {
		r.Running = c.running
	}
	r.Program, r.OtherVersions = version.Current().String(), c.OtherVersions
	r.Kept, r.Shard, r.Cluster = c.Kept, c.Shard, c.Cluster
	r.Monitors = full.MonitorNames()
	for i, rule := range declared.ActionRules(full) {
		if rule.Disturbs {
			r.Disturbing = append(r.Disturbing, full.ActionNames()[i])
		}
	}
	for _, d := range full.Disturbing {
		r.Disturbing = append(r.Disturbing, d.String())
	}
	r.Coverage.NoProperty = len(full.Properties) == 0 && len(r.Monitors) == 0
	if c.Search.Property != "" {
		r.Coverage.NotChecked = leftOut(full, c.Search.Property)
	}
	document.NoteSampled(r, full.Properties)
	if res.Stats.Omission > 0 {
		r.Coverage.OmissionProbability = &res.Stats.Omission
	}
	if params := c.header().Params; len(params) > 0 {
		r.Params = map[string]string{}
		for _, p := range params {
			r.Params[p.Key] = p.Value
		}
	}
	return r
}

// leftOut names what a search for one property or monitor does not check of a system.
func leftOut(full *sim.System, only string) []string {
	var names []string
	for _, p := range full.Properties {
		names = append(names, p.Name)
	}
	names = append(append(names, full.MonitorNames()...), sim.AssertionProperty)
	return slices.DeleteFunc(names, func(n string) bool { return n == only || n == "monitor "+only })
}

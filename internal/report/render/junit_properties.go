package render

import (
	"fmt"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
)

// junitProperties returns the properties of a report's test suite: the settings of the search and its coverage.
func junitProperties(r *report.Report) []Property {
	list := []Property{
		{"nodes", fmt.Sprint(r.Nodes)}, {"timing", r.Timing}, {"strategy", r.Strategy}, {"seed", fmt.Sprint(r.Seed)},
		{"paths", fmt.Sprint(r.Paths)}, {"states", fmt.Sprint(r.States)}, {"events", fmt.Sprint(r.Events)}, {"stopped", r.Stopped},
		{"complete", fmt.Sprint(r.Coverage.Complete)},
	}
	for _, f := range append([]*report.Report{r}, r.Findings...) {
		if text := document.TimingAssumption(f); text != "" {
			list = append(list, Property{"liveness_assumes", text})
			break // all findings of a search have one timing
		}
	}
	if r.Clocks != "" {
		list = append(list, Property{"clocks", r.Clocks})
	}
	if r.CrashCut != "" {
		list = append(list, Property{"crash_cut", r.CrashCut})
	}
	for _, what := range r.Coverage.BySample {
		list = append(list, Property{"checked_in_a_sample", what})
	}
	list = append(list, reductionProperties(r)...)
	if c := r.Coverage.Crashes; c != nil {
		list = append(list, Property{"crash_model", string(c.Model)}, Property{"crashes_left_out", replay.ListNodes(c.Implicit)},
			Property{"crashes_left_out_proven", fmt.Sprint(c.Proven)})
		for _, o := range c.CrashSensitive {
			list = append(list, Property{"crashes_matter", fmt.Sprintf("n%d: %s", o.Node, o.Why)})
		}
		if c.Why != "" {
			list = append(list, Property{"no_crashes_left_out_because", c.Why})
		}
	}
	if d := r.Coverage.Shortest; d != nil {
		list = append(list, Property{"shortest", fmt.Sprint(d.Least)})
		if d.Why != "" {
			list = append(list, Property{"shortest_unknown_because", d.Why})
		}
	}
	if f := r.Coverage.Fair; f != nil {
		judged := "judged"
		if !f.Judged {
			judged = "not judged: " + document.WhyFairRunsUnjudged(&r.Coverage)
		}
		list = append(list, Property{"fair_runs", judged})
	}
	for _, d := range document.SampledLines(r) {
		list = append(list, Property{"sampled", d})
	}
	for _, line := range document.KnownLines(r) {
		list = append(list, Property{"known", line})
	}
	if text := document.Orders(&r.Coverage); text != "" {
		list = append(list, Property{"orders", text})
	}
	for _, g := range r.Coverage.Grows {
		list = append(list, Property{"grows", document.Grown(g)})
	}
	if text := document.ShortWalks(r); text != "" {
		list = append(list, Property{"warning", text})
	}
	if r.Uncovered != "" {
		list = append(list, Property{"not_covered", r.Uncovered})
	}
	return list
}

func reductionProperties(r *report.Report) []Property {
	d := r.Coverage.Reduced
	if d == nil {
		return nil
	}
	list := []Property{{"reduced", string(d.Used)}, {"states_passed", fmt.Sprint(d.Passed)}, {"chains", fmt.Sprint(d.Chains)},
		{"reduction_rounds", fmt.Sprint(d.Rounds)}}
	if d.Why != "" {
		list = append(list, Property{"reduced_less_because", d.Why})
	}
	if d.Permutations > 0 {
		list = append(list, Property{"permutations", fmt.Sprint(d.Permutations)})
	}
	if d.Asymmetry != "" {
		list = append(list, Property{"no_symmetry_because", d.Asymmetry})
	}
	return list
}

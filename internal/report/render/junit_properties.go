package render

import (
	"fmt"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
)

// junitProperties returns the properties of a report's test suite: the settings of the search and its coverage.
func junitProperties(r *report.Report) []Property {
	c := &r.Coverage
	list := []Property{
		{"nodes", fmt.Sprint(r.Nodes)}, {"timing", r.Timing}, {"strategy", r.Strategy}, {"seed", fmt.Sprint(r.Seed)},
		{"paths", fmt.Sprint(r.Paths)}, {"states", fmt.Sprint(r.States)}, {"events", fmt.Sprint(r.Events)}, {"stopped", r.Stopped},
		{"complete", fmt.Sprint(c.Complete)},
	}
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				list = append(list, Property{name, v})
			}
		}
	}
	for _, f := range append([]*report.Report{r}, r.Findings...) {
		if text := document.TimingAssumption(f); text != "" {
			add("liveness_assumes", text)
			break // all findings of a search have one timing
		}
	}
	add("clocks", r.Clocks)
	add("crash_cut", r.CrashCut)
	add("checked_in_a_sample", c.BySample...)
	if d := c.Reduced; d != nil {
		list = append(list, Property{"reduced", string(d.Used)})
		add("states_passed", fmt.Sprint(d.Passed))
		add("chains", fmt.Sprint(d.Chains))
		add("reduction_rounds", fmt.Sprint(d.Rounds))
		add("reduced_less_because", d.Why)
		if d.Permutations > 0 {
			add("permutations", fmt.Sprint(d.Permutations))
		}
		add("no_symmetry_because", d.Asymmetry)
	}
	if d := c.Crashes; d != nil {
		list = append(list, Property{"crash_model", string(d.Model)}, Property{"crashes_left_out", replay.ListNodes(d.Implicit)})
		add("crashes_left_out_proven", fmt.Sprint(d.Proven))
		for _, o := range d.CrashSensitive {
			add("crashes_matter", fmt.Sprintf("n%d: %s", o.Node, o.Why))
		}
		add("no_crashes_left_out_because", d.Why)
	}
	if d := c.Shortest; d != nil {
		add("shortest", fmt.Sprint(d.Least))
		add("shortest_unknown_because", d.Why)
	}
	if f := c.Fair; f != nil {
		judged := "judged"
		if !f.Judged {
			judged = "not judged: " + document.WhyFairRunsUnjudged(c)
		}
		add("fair_runs", judged)
	}
	add("sampled", document.SampledLines(r)...)
	add("known", document.KnownLines(r)...)
	add("orders", document.Orders(c))
	for _, g := range c.Grows {
		add("grows", document.Grown(g))
	}
	add("warning", document.ShortWalks(r))
	add("not_covered", r.Uncovered)
	return list
}

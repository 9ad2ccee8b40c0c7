package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Essentials returns at most five lines about a search without a finding: its coverage, warnings, the gaps, and a suggestion.
func Essentials(r *report.Report) (lines []string) {
	covered := summaryLines(r)
	if r.Coverage.Complete {
		covered = append(covered, textfmt.Plural(r.States, "state"))
	}
	if len(covered) > 0 {
		lines = append(lines, strings.Join(append([]string{strings.Join(covered, ": ")}, recoveryLines(r)...), "; "))
	}
	lines = slices.Concat(lines, ifText("", ShortWalks(r)), ifText("", slowSteps(r)), ifText("NOT covered: ", join(missing(r)...)))
	next := "more time (--time)"
	switch {
	case r.Coverage.Complete:
		next = "more nodes, actions or faults (--nodes, --crashes, --loss)"
	case r.Running > 0:
		next = "handlers that wait for the goroutines that they start"
	case !strategy.Can(r.Strategy, strategy.Faults) && len(unusedFaults(r)) > 0:
		next = "a strategy with faults (--strategy " + string(search.Faulty) + ")"
	case r.Stopped == stats.StoppedMemory:
		next = "more memory (--memory), or hashes for states (--visited 64)"
	case r.Stopped == stats.StoppedPaths:
		next = "more runs (--max-paths)"
	}
	return append(lines, "next: "+next+"; -v shows the full coverage")
}

// noProperty is the gap of a system without properties and monitors.
const noProperty = "the system has no property, so only failed assertions, panics, handlers that hang and nondeterminism are found"

// running describes the goroutines that ran beyond a search.
func running(r *report.Report) string {
	return textfmt.Plural(r.Running, "goroutine") + " started by handlers and still running at the end"
}

// missing lists the gaps in the coverage of a search without a finding, the most important first.
func missing(r *report.Report) []string {
	c := &r.Coverage
	var never, off []string
	for _, s := range c.Sometimes {
		if s.Runs == 0 {
			never = append(never, fmt.Sprintf("%q never held", s.Property))
		}
	}
	for f := range sim.FaultCount {
		if r.Limits[f] == 0 && applies(r, f) {
			off = append(off, limitName(f))
		}
	}
	return slices.Concat(ifTrue(r.Running > 0, running(r)), ifText("", c.Unchecked), ifTrue(c.NoProperty, noProperty), c.NotChecked, never,
		ifAny(len(neverHappened(c)), "event", " never happened"), ifAny(len(c.Sampled), "choice", " only sampled"),
		ifAny(r.Undecided, "suspect", " not confirmed"), ifText("never used: ", strings.Join(unusedFaults(r), ", ")),
		ifText("off: ", strings.Join(off, ", ")))
}

// ifAny returns a line with a number of things, or none if there are none.
func ifAny(n int, what, after string) []string { return ifTrue(n > 0, textfmt.Plural(n, what)+after) }

// unusedFaults returns the faults within the limits that never struck.
func unusedFaults(r *report.Report) (names []string) {
	for f := range sim.FaultCount {
		if r.Limits[f] > 0 && r.Coverage.FaultsUsed[f] == 0 && r.Cluster == "" {
			names = append(names, limitName(f))
		}
	}
	return names
}

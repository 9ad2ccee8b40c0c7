package document

import (
	"fmt"
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
	if warning := ShortWalks(r); warning != "" {
		lines = append(lines, warning)
	}
	if slow := slowSteps(r); slow != "" {
		lines = append(lines, slow)
	}
	if missing := missing(r); len(missing) > 0 {
		lines = append(lines, "NOT covered: "+strings.Join(missing, "; "))
	}
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
func missing(r *report.Report) (list []string) {
	c := &r.Coverage
	if r.Running > 0 {
		list = append(list, running(r))
	}
	if c.Unchecked != "" {
		list = append(list, c.Unchecked)
	}
	if c.NoProperty {
		list = append(list, noProperty)
	}
	list = append(list, c.NotChecked...)
	for _, s := range c.Sometimes {
		if s.Runs == 0 {
			list = append(list, fmt.Sprintf("%q never held", s.Property))
		}
	}
	if n := len(neverHappened(c)); n > 0 {
		list = append(list, textfmt.Plural(n, "event")+" never happened")
	}
	if n := len(c.Sampled); n > 0 {
		list = append(list, textfmt.Plural(n, "choice")+" only sampled")
	}
	if r.Undecided > 0 {
		list = append(list, textfmt.Plural(r.Undecided, "suspect")+" not confirmed")
	}
	var off []string
	for f := range sim.FaultCount {
		if r.Limits[f] == 0 && applies(r, f) {
			off = append(off, limitName(f))
		}
	}
	if unused := unusedFaults(r); len(unused) > 0 {
		list = append(list, "never used: "+strings.Join(unused, ", "))
	}
	if len(off) > 0 {
		list = append(list, "off: "+strings.Join(off, ", "))
	}
	return list
}

// unusedFaults returns the faults within the limits that never struck.
func unusedFaults(r *report.Report) (names []string) {
	for f := range sim.FaultCount {
		if r.Limits[f] > 0 && r.Coverage.FaultsUsed[f] == 0 && r.Cluster == "" {
			names = append(names, limitName(f))
		}
	}
	return names
}

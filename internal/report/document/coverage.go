package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// coverageLines describes the coverage of the search.
func coverageLines(r *report.Report) []string {
	c := &r.Coverage
	return slices.Concat(otherFindings(r), shardLines(r), summaryLines(r),
		ifText("", ShortWalks(r), " (this check tests little)"),
		exhaustionLines(r),
		ifText("searched by the workers at ", r.Cluster, "; they do not collect used faults, events that never happened and Sometimes properties"),
		lines("growing: ", c.Grows, Grown),
		storedLines(r), reductionLines(r), crashLines(r),
		ifTrue(c.Recovers, "recovery is always possible: from each state a live state is reachable without faults"),
		lines("built with ", r.OtherVersions, report.OtherVersion.String),
		ifTrue(r.Running > 0 && r.Kind == "", "NOT checked: "+running(r)),
		ifText("NOT checked: ", c.Unchecked),
		fairRuns(c),
		lines("", c.Assumed, assumptionLine),
		ifTrue(c.NoProperty, "NOT checked: "+noProperty),
		ifText("not checked: ", join(c.NotChecked...)),
		walkLines(r), faultLines(r), recoveryLines(r),
		ifText("never happened: ", strings.Join(neverHappened(c), ", "), "   (this check does not test them)"),
		sometimesLines(r),
		ifText("", afterLive(c)),
		ifText("", Orders(c)),
		ifTrue(c.ForeignTimes, "times of different nodes were compared: every outcome was tried, including impossible ones"),
		ifText("checked in a sample of runs and steps: ", join(c.BySample...)),
		lines("SAMPLED, not enumerated: ", SampledLines(r), func(s string) string { return s + "; the others are not covered" }),
		ifText("checked only for the sampled alternatives: ", join(c.OnlySampled...)),
		hiddenStates(c),
		ifText("not covered: ", r.Uncovered),
		suspectLines(r), engineLines(r))
}

// ifText returns a line from a text, or none if the text is empty.
func ifText(before, text string, after ...string) []string {
	return ifTrue(text != "", before+text+strings.Join(after, ""))
}

// prefixed returns a text after a prefix, or an empty string if the text is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// ifTrue returns a line if a condition holds.
func ifTrue(holds bool, line string) []string {
	if !holds {
		return nil
	}
	return []string{line}
}

// lines returns a line for each element of a list.
func lines[T any](before string, list []T, text func(T) string) (lines []string) {
	for _, x := range list {
		lines = append(lines, before+text(x))
	}
	return lines
}

// hiddenStates describes the risk that fingerprints were too short.
func hiddenStates(c *report.Coverage) []string {
	if c.OmissionProbability == nil {
		return nil
	}
	return []string{fmt.Sprintf("probability that equal fingerprints hid a state: at most %.2g", *c.OmissionProbability)}
}

// suspectLines describes the suspects that are no findings.
func suspectLines(r *report.Report) []string {
	var list []string
	if refuted := r.Suspects - r.Undecided - r.Slow; refuted > 0 {
		list = append(list, "suspected violations that were refuted: "+textfmt.Number(refuted))
	}
	list = append(list, ifText("", slowSteps(r))...)
	if r.Undecided > 0 {
		line := textfmt.Plural(r.Undecided, "suspected violation") + " could not be confirmed"
		if r.Stopped == stats.StoppedTime {
			line += fmt.Sprintf("; the last had up to %v beyond the time limit", budget.LeastConfirming)
		}
		list = append(list, line)
	}
	if r.Suspect != nil {
		list = slices.Concat(list, []string{suspectLine(r.Suspect)}, r.Suspect.Ends, ifText("decide: ", r.Suspect.Decide))
	}
	return list
}

// neverHappened returns what never happened, without the Sometimes properties, which have lines of their own.
func neverHappened(c *report.Coverage) []string {
	return slices.DeleteFunc(slices.Clone(c.NeverHappened), func(what string) bool {
		return slices.ContainsFunc(c.Sometimes, func(s stats.Sometimes) bool { return what == "sometimes "+s.Property })
	})
}

// exhaustionLines describes how many of all states were visited, if the search visits states.
func exhaustionLines(r *report.Report) []string {
	c := &r.Coverage
	exhaustive := fmt.Sprintf("exhaustive to depth %s%s, %s", textfmt.Number(c.ExhaustedDepth), beyondFindings(r), textfmt.Plural(r.States, "state"))
	switch {
	case c.Complete:
		exhaustive = fmt.Sprintf("complete: %s", textfmt.Plural(r.States, "state"))
	case c.OmissionProbability != nil && *c.OmissionProbability > stateset.MostOmission:
		exhaustive = fmt.Sprintf("NOT exhaustive, because states with equal fingerprints count as one; depth %s, %s",
			textfmt.Number(c.ExhaustedDepth), textfmt.Plural(r.States, "state"))
	case r.Stopped == stats.StoppedSampled:
		exhaustive = fmt.Sprintf("complete for the sampled alternatives: %s", textfmt.Plural(r.States, "state"))
	case c.ExhaustedDepth == 0:
		exhaustive = fmt.Sprintf("the search ended early: %s seen, the successors of %s of them computed",
			textfmt.Plural(r.States, "state"), textfmt.Number(r.Expanded))
		if d := c.Reduced; d != nil && string(d.Used) != options.ReduceNone {
			exhaustive += "; no depth is complete, as states were left out (--reduce none leaves out none)"
		} else {
			exhaustive += "; no depth is complete"
		}
	}
	if len(c.Sampled) > 0 && r.Stopped != stats.StoppedSampled {
		exhaustive += ", for the sampled alternatives"
	}
	if r.Transitions > 0 {
		exhaustive += ", " + textfmt.Plural(r.Transitions, "transition")
		if r.Cluster == "" {
			exhaustive += fmt.Sprintf(" (%s, the rest cached); %.1f bytes per state", textfmt.Plural(r.Handlers, "handler execution"),
				float64(r.Bytes)/float64(max(1, r.States)))
		}
	}
	return ifTrue(c.ExhaustedDepth > 0 || c.Complete || search.Name(r.Strategy).Can(strategy.VisitsStates), exhaustive)
}

// Grown describes a component that grew while states were visited.
func Grown(g stats.Growth) string {
	text := g.What
	if g.Node >= 0 {
		text += fmt.Sprintf(" of n%d", g.Node)
	}
	text += ", to " + textfmt.Number(g.Elements)
	if g.OfType == g.Elements {
		return textfmt.Printable(text + " " + g.Type)
	}
	if text += " elements"; g.OfType > 0 {
		text += fmt.Sprintf(", %s of them %s", textfmt.Number(g.OfType), g.Type)
	}
	return textfmt.Printable(text)
}

// storedLines names the folder of a checkpointed search.
func storedLines(r *report.Report) []string {
	k := r.Kept
	if k == nil {
		return nil
	}
	text := "stored in " + k.Folder
	if k.Runs > 0 {
		text += fmt.Sprintf(", which already held %s", textfmt.Plural(k.Runs, "run"))
	}
	if k.Before > 0 {
		text += fmt.Sprintf(", which already held %s", textfmt.Plural(k.Before, "state"))
	}
	if k.Lost > 0 {
		text += fmt.Sprintf("; %s of an unfinished part are repeated", textfmt.Plural(k.Lost, "run"))
	}
	if r.Disk > 0 {
		text += fmt.Sprintf("; up to %s MB were spilled to its disk", textfmt.Number(int(r.Disk>>20)))
	}
	return []string{text}
}

// walkLines describes random walks and their results.
func walkLines(r *report.Report) (lines []string) {
	for i := range r.Phases {
		if p := &r.Phases[i]; walking(p) && p.Paths > 0 {
			lines = append(lines, walkLine(r, p))
		}
	}
	var actions, turns []string
	for _, a := range r.Relied {
		actions = append(actions, fmt.Sprintf("%s in %s", a.Action, textfmt.Plural(a.Walks, "walk")))
	}
	for _, s := range r.Schedules {
		turns = append(turns, fmt.Sprintf("%s %s", s.Name, textfmt.Number(s.Paths)))
	}
	return slices.Concat(lines, ifText("recovering walks executed actions: ", strings.Join(actions, ", ")),
		ifText("scheduled walks: ", strings.Join(turns, ", ")))
}

// applies reports whether a search could have a fault. Those of programs require a program.
func applies(r *report.Report, f sim.Fault) bool { return !f.Event().OfProgram() || r.Uncovered != "" }

// faultLines counts the faults used.
func faultLines(r *report.Report) []string {
	if r.Cluster != "" {
		return nil
	}
	var used, off []string
	for f := range sim.FaultCount {
		if r.Limits[f] > 0 {
			used = append(used, fmt.Sprintf("%s %d/%d", limitName(f), r.Coverage.FaultsUsed[f], r.Limits[f]))
		} else if applies(r, f) {
			limit := "--" + f.String()
			if r.InTest {
				limit = limitName(f)
			}
			off = append(off, fmt.Sprintf("%s (%s 0)", f.Absence(), limit))
		}
	}
	return append(ifText("faults used: ", strings.Join(used, ", ")), ifText("faults that were off: ", strings.Join(off, ", "))...)
}

// recoveryLines states under which timing recovery was judged. If it never failed and no node could halt, which is
// hardest, they name that.
func recoveryLines(r *report.Report) []string {
	all, some := true, r.Coverage.Recovers
	for i := range r.Phases {
		if p := &r.Phases[i]; walking(p) && p.Paths > 0 {
			all = all && p.Live == p.Paths
			some = some || p.Live < p.Paths || p.Steps.Max > 0 // otherwise no property has to become true
		}
	}
	how := judgedRecovery(r)
	if !some || how == "" || r.Coverage.NoProperty || r.Kind != "" {
		return nil
	}
	if !all {
		return []string{"recovery was judged " + how}
	}
	line := "recovery never failed " + how
	if r.Limits[sim.Halts] == 0 {
		try := "--halts 1"
		if r.InTest {
			try = "Halts: 1"
		}
		line += "; not tried: a node that halts (" + try + ")"
	}
	return []string{line}
}

// sometimesLines counts the runs in which Sometimes properties held.
func sometimesLines(r *report.Report) (lines []string) {
	for _, s := range r.Coverage.Sometimes {
		switch {
		case s.Runs == 0:
			lines = append(lines, fmt.Sprintf("sometimes: %q NEVER", s.Property))
		case search.Name(r.Strategy).Can(strategy.VisitsStates):
			lines = append(lines, fmt.Sprintf("sometimes: %q in some state", s.Property))
		default:
			lines = append(lines, fmt.Sprintf("sometimes: %q in %s%s", s.Property, textfmt.Plural(s.Runs, "run"), vacuous(&s)))
		}
	}
	return lines
}

// summaryLines summarizes the coverage in at most one line.
func summaryLines(r *report.Report) []string {
	c := &r.Coverage
	var what []string
	units := "choices"
	if search.Name(r.Strategy).Can(strategy.VisitsStates) {
		units = "steps"
	}
	switch {
	case c.OmissionProbability != nil && *c.OmissionProbability > stateset.MostOmission:
	case c.Complete:
		all := "everything that can happen within the limits of nodes, actions and faults"
		if r.CrashCut == sim.CutNone.String() {
			all += ", except crashes inside steps"
		}
		what = append(what, all)
	case c.ExhaustedDepth > 0:
		all := fmt.Sprintf("everything that can happen in the first %s %s of a run", textfmt.Number(c.ExhaustedDepth), units) + beyondFindings(r)
		if len(c.Sampled) > 0 {
			all += ", for the sampled alternatives"
		}
		what = append(what, all)
	}
	runs := 0
	for i := range r.Phases {
		if p := &r.Phases[i]; numbered(p) {
			runs += p.Paths
		}
	}
	if runs > 0 {
		what = append(what, textfmt.Plural(runs, "random run"))
	}
	return ifText("covered: ", strings.Join(what, ", and "))
}

// beyondFindings describes what a search omits that continued after a finding.
func beyondFindings(r *report.Report) string {
	switch {
	case r.Accepted() > 0:
		return ", except after known findings"
	case len(r.Findings) > 0:
		return ", except after findings"
	}
	return ""
}

// numbered reports whether a phase consists of random walks from the start.
func numbered(p *stats.Phase) bool { return strategy.OfWalks(p.Name) != nil }

// walking reports whether a phase consists of random walks, from the start or from leaves.
func walking(p *stats.Phase) bool { return p.Name == strategy.LeafWalks || numbered(p) }

func walkLine(r *report.Report, p *stats.Phase) string {
	parts := []string{fmt.Sprintf("%s %s", p.Name, textfmt.Number(p.Paths))}
	if p.Live == p.Paths {
		parts = append(parts, "all live")
	} else {
		for _, n := range []struct {
			count int
			what  string
		}{{p.Live, "live"}, {p.Duplicates, "cut at a known state"}, {p.OutOfEvents, "out of events"}, {p.TooLong, "too long"}} {
			if n.count > 0 {
				parts = append(parts, textfmt.Number(n.count)+" "+n.what)
			}
		}
	}
	if h := &p.Steps; h.Count > 0 {
		parts = append(parts, fmt.Sprintf("median %s steps", median(h)))
		longest := "longest " + textfmt.Number(h.Max)
		switch walks := strategy.OfWalks(p.Name); {
		case r.WalkSteps > 0 && walks != nil && walks.Can(strategy.Faults):
			longest += fmt.Sprintf(" (parts without faults: at most %s)", textfmt.Number(r.WalkSteps))
		case r.WalkSteps > 0:
			longest += " of " + textfmt.Number(r.WalkSteps)
		}
		parts = append(parts, longest)
	}
	return strings.Join(parts, ", ")
}

package document

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// orStoodFor qualifies the claim that all states were visited if the search omitted some.
func orStoodFor(r *report.Report) string {
	d, c := r.Coverage.Reduced, r.Coverage.Crashes
	if d != nil && (string(d.Used) != options.ReduceNone || d.Permutations > 0) || c != nil && c.Proven {
		return ", or omitted because it cannot change the verdict"
	}
	return ""
}

// reductionLines describes which states were omitted, and why not more.
func reductionLines(r *report.Report) (lines []string) {
	d := r.Coverage.Reduced
	if d == nil {
		return nil
	}
	rounds := ""
	if d.Rounds > 1 {
		rounds = fmt.Sprintf("; explored in %s rounds, each without the refuted assumptions of the one before", textfmt.Number(d.Rounds))
	}
	switch string(d.Used) {
	case options.ReduceFull:
		lines = append(lines, fmt.Sprintf("reduced (full): %s stored, %s checked in passing on %s; dead messages dropped in %s%s",
			textfmt.Plural(r.States, "state"), textfmt.Plural(d.Passed, "state"), textfmt.Plural(d.Chains, "sequence")+" of steps",
			textfmt.Plural(d.Dead, "local state"), rounds),
			"states and transitions are counted after the reduction")
	case options.ReduceDrop:
		lines = append(lines, fmt.Sprintf("reduced (drop): dead messages dropped in %s%s", textfmt.Plural(d.Dead, "local state"), rounds))
	}
	return slices.Concat(lines, ifText("", d.Why), ifTrue(d.Permutations > 0, fmt.Sprintf(
		"symmetry: states that differ by one of %s of nodes with the same role count as one", textfmt.Plural(d.Permutations, "permutation"))),
		ifText("no symmetry: ", d.Asymmetry))
}

// crashLines describes inside which steps nodes crashed and halted, the nodes with omitted crashes, and why crashes
// of other nodes matter.
func crashLines(r *report.Report) (lines []string) {
	switch r.CrashCut {
	case sim.CutNone.String():
		lines = append(lines, "crash cut none: nodes crashed and halted between steps only, NOT inside steps")
	case sim.CutSubset.String():
		lines = append(lines, "crash cut subset: a crash or halt inside a step lost any subset of its datagrams")
	}
	c := r.Coverage.Crashes
	if c == nil {
		return lines
	}
	proven := ""
	switch {
	case c.Proven:
		proven = "proven, from all known steps, not to change the verdict; \"never happened\" refers to runs without them"
	case r.Verdict == search.Violation:
		proven = "the violation was found without them"
	default:
		proven = "NOT proven to leave the verdict unchanged"
	}
	if len(c.Implicit) > 0 {
		lines = append(lines, fmt.Sprintf("crashes of %s were omitted: %s", replay.ListNodes(c.Implicit), proven))
	}
	for _, o := range c.CrashSensitive {
		lines = append(lines, fmt.Sprintf("crashes of n%d matter: %s", o.Node, o.Why))
	}
	return append(lines, ifText("no crashes can be omitted: ", c.Why)...)
}

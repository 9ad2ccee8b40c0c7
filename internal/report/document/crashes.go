package document

import (
	"fmt"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

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
	if c.Why != "" {
		lines = append(lines, "no crashes can be omitted: "+c.Why)
	}
	return lines
}

package report

import (
	"fmt"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// crashes says inside which steps nodes crashed and halted, of which nodes crashes were left out, and why not of others.
func (r *Report) crashes() (lines []string) {
	switch r.CrashCut {
	case sim.CutNone.String():
		lines = append(lines, "crash cut none: nodes crashed and halted between steps only, NOT inside steps")
	case sim.CutSubset.String():
		lines = append(lines, "crash cut subset: of a step inside which a node crashed or halted any datagrams were lost")
	}
	c := r.Coverage.Crashes
	if c == nil {
		return lines
	}
	proven := ""
	switch {
	case c.Proven:
		proven = "it is shown, from all steps that are known, that this changes no verdict; what never happened is that of runs without"
	case r.Verdict == search.Violation:
		proven = "this was found without"
	default:
		proven = "that this changes no verdict is NOT shown"
	}
	if len(c.Implicit) > 0 {
		lines = append(lines, fmt.Sprintf("crashes of %s were left out: %s", replay.ListNodes(c.Implicit), proven))
	}
	for _, o := range c.CrashSensitive {
		lines = append(lines, fmt.Sprintf("crashes of n%d matter: %s", o.Node, o.Why))
	}
	if c.Why != "" {
		lines = append(lines, "no crashes can be left out: "+c.Why)
	}
	return lines
}

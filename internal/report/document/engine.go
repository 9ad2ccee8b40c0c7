package document

import (
	"fmt"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/textfmt"
)

// engineLines names the engine that executed steps, and its speed.
func engineLines(r *report.Report) []string {
	e := &r.Engine
	if e.Used == "" {
		return nil
	}
	text := "engine: " + string(e.Used)
	switch {
	case e.Unsupported != "":
		text += "; the table engine does not support " + e.Unsupported
	case e.TableRate > 0:
		fast, slow := e.TableRate, e.ReplayRate
		other := runloop.ReplayEngine
		if e.Used == runloop.ReplayEngine {
			fast, slow, other = slow, fast, runloop.TableEngine
		}
		if fast < 1.05*slow {
			text += fmt.Sprintf(", measured about as fast as %s", other)
		} else {
			text += fmt.Sprintf(", measured %.1f times as fast as %s", fast/slow, other)
		}
	case e.Programs:
		text += ", which executes programs"
	case e.Asked == runloop.AutoEngine:
		text += ", too few events to measure"
	}
	lines := []string{text}
	if e.TableEvents > 0 {
		lines[0] += fmt.Sprintf("; %.4g %% of the table's steps were cached", 100*max(0, e.HitRate))
	}
	if e.Tried > 0 {
		lines = append(lines,
			"quorums without a Need: "+textfmt.Plural(e.Tried, "set")+" tried in different states of their nodes; a Need reduces them")
	}
	var again []string
	for _, c := range e.Copies {
		if !c.Copied {
			again = append(again, fmt.Sprintf("%s (%s)", c.Type, c.Why))
		}
	}
	return append(lines, ifText("not copyable, so their state is rebuilt by replay: ", join(again...))...)
}

package crashes

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/sim"
)

// appendReason appends the reason why the node is crash-sensitive, if it is.
func (a *simulation) appendReason(list []options.CrashSensitive) []options.CrashSensitive {
	for k := range a.own {
		if a.list[k].fails() {
			return append(list, options.CrashSensitive{Node: sim.NodeID(a.node), Why: a.because(k)})
		}
	}
	return list
}

// because describes a run of a crashed node up to a step that it could not take without the crash.
func (a *simulation) because(k int) string {
	r := a.r
	text := "in state " + stateText(r, a.list[k].crashed)
	visited := map[int]bool{}
	for !visited[k] {
		visited[k] = true
		m := &a.list[k]
		if m.wrong != "" {
			return text + ": " + m.wrong
		}
		d := m.lost
		what := ""
		switch d.kind {
		case afterCrash:
			what = fmt.Sprintf("n%d crashes", a.node)
		case afterHalt:
			what = fmt.Sprintf("n%d halts", a.node)
		case afterCut:
			what = r.StepText(m.crashed, d.act) + ", and fails inside that step"
		default:
			what = r.StepText(m.crashed, d.act)
		}
		text += ", " + what
		if len(d.ends) == 0 {
			return text + ", where it takes a step that it could not take without the crash"
		}
		k = d.ends[0]
	}
	return text + ", and so on"
}

// stateText formats a local state.
func stateText(r *por.ReducedGraph, id uint32) string {
	e := r.World.Engine
	l := &e.Locals.List[id]
	var parts []string
	for _, f := range e.FieldsOf(l.Node, l.State) {
		if len(parts) == 6 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, f.Path+" "+f.Value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

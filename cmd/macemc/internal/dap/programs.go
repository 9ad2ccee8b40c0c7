package dap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/mdb"
)

// runsPrograms reports whether nodes of a session's state run programs with goroutines.
func runsPrograms(d mdb.Debugger) bool {
	return slices.ContainsFunc(d.View(mdb.Wanted{}).States, func(l mdb.StateLine) bool { return l.Path == "(goroutines)" })
}

// moves reports whether a request is for a session on steps: it moves, or sets breakpoints at lines that handle steps.
func moves(m dap.Message) bool {
	switch m := m.(type) {
	case *dap.NextRequest, *dap.StepInRequest, *dap.StepOutRequest, *dap.StepBackRequest, *dap.ContinueRequest, *dap.ReverseContinueRequest,
		*dap.SetBreakpointsRequest:
		return true
	case *dap.EvaluateRequest:
		return m.Arguments.Context == "repl"
	}
	return false
}

// nodeThread names a goroutine of a node's program by its function outside the standard library, if there is one.
func nodeThread(g inspect.Goroutine) string {
	node, n := inspect.NodeOf(g.Number)
	name := fmt.Sprintf("n%d g%d", node, n)
	if g.Own() {
		name += " " + g.At.Function[strings.LastIndexByte(g.At.Function, '/')+1:]
	}
	return name
}

// threadOf returns the goroutine of a node's program that the editor shows first: one outside the standard library, if there is one. 0
// means that there are none.
func (x *goroutines) threadOf(ctx context.Context, node int) (thread int) {
	reply, err := x.ask(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		return 0
	}
	for _, g := range reply.Goroutines {
		if at, _ := inspect.NodeOf(g.Number); at == node && (thread == 0 || g.Own()) {
			if thread = g.Number; g.Own() {
				break
			}
		}
	}
	return thread
}

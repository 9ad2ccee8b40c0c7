package dap

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/internal/inspect"
)

// Filters of exception breakpoints.
const (
	onCritical = "critical"
	onFinding  = "finding"
)

// breakpoints are the conditions that stop a continue request.
type breakpoints struct {
	*session
	lines      map[string][]int     // by file
	conditions []inspect.Breakpoint // lines at which a test stops
	events     []string             // regular expressions
	filters    []string
}

func newBreakpoints(x *session) breakpoints {
	return breakpoints{session: x, lines: map[string][]int{}}
}

// setLines sets the breakpoints of a file, and moves each to a line where a step is handled.
func (x *breakpoints) setLines(a dap.SetBreakpointsArguments) []dap.Breakpoint {
	file := filepath.Clean(a.Source.Path)
	x.breaks.lines[file] = nil
	list := []dap.Breakpoint{}
	for _, b := range a.Breakpoints {
		if b.Condition != "" {
			list = append(list, dap.Breakpoint{Source: &a.Source, Line: b.Line, Message: "conditions need the schedule of a test"})
			continue
		}
		x.breaks.lines[file] = append(x.breaks.lines[file], b.Line)
		set := dap.Breakpoint{Source: &a.Source, Line: b.Line, Message: "no step of this run is handled in this function"}
		if line := x.handled(file, b.Line); line > 0 {
			set.Verified, set.Line, set.Message = true, line, ""
		}
		list = append(list, set)
	}
	return list
}

// setEvents sets breakpoints on events that match a regular expression, such as Ping or "n1 .*timer".
func (x *breakpoints) setEvents(a dap.SetFunctionBreakpointsArguments) []dap.Breakpoint {
	x.breaks.events = nil
	list := []dap.Breakpoint{}
	for _, b := range a.Breakpoints {
		x.breaks.events = append(x.breaks.events, b.Name)
		list = append(list, dap.Breakpoint{Verified: true})
	}
	return list
}

// handled returns a line that handles steps in the function that contains a line. It is the last such line up to the given one, or else the
// first one. 0 means that the function handles no step of the run.
func (x *breakpoints) handled(file string, line int) (at int) {
	from, to := function(file, line)
	for _, s := range x.steps {
		if s.Line < from || s.Line > to || filepath.Clean(s.File) != file {
			continue
		}
		if at == 0 || s.Line <= line && (s.Line > at || at > line) || s.Line > line && at > line && s.Line < at {
			at = s.Line
		}
	}
	return at
}

// function returns the lines of the function that contains a line, or only the line if there is none.
func function(file string, line int) (from, to int) {
	from, to = line, line
	set := token.NewFileSet()
	parsed, _ := parser.ParseFile(set, file, nil, parser.SkipObjectResolution) // partial results suffice
	if parsed == nil {
		return from, to
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit: // the innermost is visited last
			if first, last := set.Position(n.Pos()).Line, set.Position(n.End()).Line; first <= line && line <= last {
				from, to = first, last
			}
		}
		return true
	})
	return from, to
}

// nearest returns the nearest step in a direction at which to stop, and the reason. The end and the beginning of the run always count.
func (x *breakpoints) nearest(ctx context.Context, direction int) (step int, why string) {
	at := x.d.Position()
	step, why = at.Last, "step"
	if direction < 0 {
		step = 0
	}
	nearer := func(n int) bool {
		return n != at.Step && (n-at.Step)*direction > 0 && (n-step)*direction < 0 || n == step
	}
	lines := map[string]map[int]bool{}
	for file, wanted := range x.breaks.lines {
		lines[file] = map[int]bool{}
		for _, l := range wanted {
			lines[file][x.handled(file, l)] = true
		}
	}
	for _, s := range x.steps {
		if !nearer(s.Step) {
			continue
		}
		switch {
		case s.Line > 0 && lines[filepath.Clean(s.File)][s.Line]:
			step, why = s.Step, "breakpoint"
		case s.Critical && slices.Contains(x.breaks.filters, onCritical), s.Finding != "" && slices.Contains(x.breaks.filters, onFinding):
			step, why = s.Step, "exception"
		}
	}
	find := "find event "
	if direction < 0 {
		find = "rfind event "
	}
	for _, e := range x.breaks.events {
		_, err := x.do(ctx, find+"/"+e+"/") // an error means that no step matches
		if n := x.d.Position().Step; err == nil && nearer(n) {
			step, why = n, "function breakpoint"
		}
		x.d.Go(at.Step)
	}
	return step, why
}

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-delve/delve/pkg/proc"

	"github.com/macemc/macemc/internal/inspect"
)

// Functions of the checker around the handlers of services.
const (
	module        = "github.com/macemc/macemc/"
	handlerCaller = module + "internal/kernel.(*Machine).run"
	panicHandler  = module + "internal/kernel.panicError" // is called while the frames of the handler exist
)

// handler executes handlers of services in a process.
type handler struct{ *process }

// hosts are the packages of the checker that call handlers, or run programs as nodes.
var hosts = []string{
	"bubble", "sim", "netsim", "machine", "mctest", "internal/kernel", "internal/replay", "internal/task", "internal/simext",
}

// enter continues into the handler of the step after a state. It stops at the first line of the code that handles the step, or where this
// code returns or panics.
func (p handler) enter(r *inspect.Request) (inspect.Stop, error) {
	if len(r.Breakpoints) != 1 {
		return p.stop, errors.New("the place of the handler is missing")
	}
	at := entry{r.Operation, r.How, r.Breakpoints[0]}
	if p.running && p.within.entered == at {
		return p.stop, nil
	}
	if _, err := p.move(r.Operation); err != nil {
		return p.stop, err
	}
	f, err := p.function(at.place)
	var returns map[uint64]bool
	if err == nil {
		returns, err = p.guard(f, at.place, r.How)
	}
	if err != nil {
		return p.stop, err
	}
	last := proc.Location{}
	for lines := 0; ; lines++ {
		if _, err := p.resume(p.group.Continue); err != nil {
			return p.stop, err
		}
		if p.stop.Reason != inspect.AtBreakpoint {
			return p.stop, fmt.Errorf("the code at %s:%d does not handle the step", at.place.File, at.place.Line)
		}
		if !p.handling() {
			continue
		}
		here, err := proc.ThreadScope(p.group.Selected, p.group.Selected.CurrentThread())
		if err != nil {
			return p.stop, err
		}
		if r.How != inspect.End || here.Fn != f || returns[here.PC] {
			p.within = within{entered: at, last: last}
			if r.How == inspect.Begin {
				p.within.visited = visited{f, map[int]bool{here.Line: true}, at.place.Line}
			}
			return p.stop, p.clearLines()
		}
		last = here.Location
		if lines == mostLines {
			if _, err := p.guard(f, at.place, ""); err != nil {
				return p.stop, err
			}
		}
	}
}

// mostLines is the number of lines of a handler up to which enter stops at each, to find the last one.
const mostLines = 2000

// within describes where enter has stopped. It is empty elsewhere.
type within struct {
	entered entry
	last    proc.Location // line of the handler before its return; only where it returns
	visited visited
}

// entry is the argument of a call of enter.
type entry struct {
	operation uint64
	how       string
	place     inspect.Breakpoint
}

// visited records the lines of a handler that have been executed.
type visited struct {
	function *proc.Function
	lines    map[int]bool
	from     int // where the record begins
}

// skipped reports whether a variable is declared on a line that has not been executed, although a later one has. The compiler moves parts
// of the beginning of a loop forward.
func (v *visited) skipped(x *proc.Variable, in *proc.EvalScope) bool {
	return v.function != nil && in.Fn == v.function && int(x.DeclLine) > v.from && !v.lines[int(x.DeclLine)]
}

// function returns the function that contains a place.
func (p handler) function(place inspect.Breakpoint) (*proc.Function, error) {
	pcs, err := proc.FindFileLocation(p.group.Selected, place.File, place.Line)
	if err != nil {
		return nil, err
	}
	f := p.group.Selected.BinInfo().PCToFunc(pcs[0])
	if f == nil {
		return nil, fmt.Errorf("no function has the line %s:%d", place.File, place.Line)
	}
	return f, nil
}

// guard sets breakpoints at the returns of a function, and at a place in it if how is [inspect.Begin], or at all lines from there on if how
// is [inspect.End]. It returns the instructions that return.
func (p handler) guard(f *proc.Function, place inspect.Breakpoint, how string) (returns map[uint64]bool, err error) {
	t := p.group.Selected
	code, err := proc.Disassemble(t.Memory(), nil, t.Breakpoints(), t.BinInfo(), f.Entry, f.End)
	if err != nil {
		return nil, err
	}
	body, err := proc.FirstPCAfterPrologue(t, f, false)
	if err != nil {
		return nil, err
	}
	end := 0 // the line of the closing brace has no variables of blocks
	for i := range code {
		end = max(end, code[i].Loc.Line)
	}
	stops, line := []proc.SetBreakpoint{{FunctionName: panicHandler}}, 0
	if how == inspect.Begin {
		stops = append(stops, proc.SetBreakpoint{File: place.File, Line: place.Line})
	}
	returns = map[uint64]bool{}
	for i := range code {
		at := &code[i].Loc
		begins := at.PC >= body && at.Line != line && place.Line <= at.Line && at.Line < end // another line
		if returns[at.PC] = code[i].IsRet(); returns[at.PC] || begins && how == inspect.End {
			stops = append(stops, proc.SetBreakpoint{PidAddrs: []proc.PidAddr{{Pid: t.Pid(), Addr: at.PC}}})
		}
		line = at.Line
	}
	if err := errors.Join(p.clearLines(), p.stopAt(p.stop.Operation+1)); err != nil {
		return nil, err
	}
	for _, s := range stops {
		b, err := p.set(s, "")
		if err != nil {
			return nil, err
		}
		p.lines = append(p.lines, b)
	}
	return returns, nil
}

// handling reports whether the selected goroutine executes a handler, or a program of a node. The checker also calls code of services
// elsewhere, for example to evaluate properties.
func (p handler) handling() bool {
	g := p.group.Selected.SelectedGoroutine()
	if g == nil {
		return false
	}
	frames, err := proc.GoroutineStacktrace(p.group.Selected, g, depth, 0)
	if err != nil {
		return false
	}
	own := false
	for _, f := range frames {
		if f.Current.Fn == nil {
			continue
		}
		if f.Current.Fn.Name == handlerCaller {
			return own
		}
		own = own || !p.foreign(f.Current.Fn.Name, f.Current.File)
	}
	return own && p.numberOf(g) > 0
}

// foreign reports whether a function belongs to the distribution or the checker.
func (p handler) foreign(function, file string) bool {
	return strings.HasPrefix(file, p.goroot) || hosting(function, file)
}

// hosting reports whether a function belongs to one of hosts. Their tests may contain handlers and programs, too.
func hosting(function, file string) bool {
	rest, ok := strings.CutPrefix(function, module)
	return ok && !strings.HasSuffix(file, "_test.go") && slices.ContainsFunc(hosts, func(host string) bool {
		after, ok := strings.CutPrefix(rest, host)
		return ok && (after[0] == '.' || strings.HasPrefix(after, "/internal/") || strings.HasPrefix(host, "internal/"))
	})
}

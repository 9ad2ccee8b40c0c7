package dap

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/mdb"
)

// goroutines answers requests about a test that a debugger executes. Its position is the operation of a step, or a place after it.
type goroutines struct {
	place
	progress
	call   mdb.Inspector
	frames []frameOf
}

// progress describes how far the session is in its step. The zero value means at the operation of the step, with the debugger elsewhere.
type progress struct {
	entered bool     // the debugger is where the session is
	after   bool     // the debugger is behind the operation of the step, or inside the step of a system
	path    []string // in a handler, the steps by lines from its first line; see begun
	begun   bool     // path leads to where the debugger is
	hits    int      // if after, the number of breakpoints since the operation; 0 means that it is unknown
	over    bool     // the session is at the end of the run of a system
}

// frameOf is the frame with an id, which is its index plus one.
type frameOf struct{ goroutine, number int }

// ask executes a request where the session is.
func (x *goroutines) ask(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
	if !x.entered {
		if err := x.enter(ctx); err != nil {
			return nil, err
		}
	}
	return x.call(ctx, r)
}

// answer answers the requests that differ from those about other runs.
func (x *goroutines) answer(ctx context.Context, m dap.Message) (done bool, err error) {
	if x.nodes && x.between(m) {
		x.leave()
		return false, nil
	}
	switch m := m.(type) {
	case *dap.ThreadsRequest:
		x.threads(ctx, m)
	case *dap.StackTraceRequest:
		x.stack(ctx, m)
	case *dap.ScopesRequest:
		x.scopes(m)
	case *dap.EvaluateRequest:
		if m.Arguments.Context == "repl" {
			x.leave()
			return false, nil
		}
		x.evaluate(ctx, m)
	case *dap.SetBreakpointsRequest:
		x.setLines(ctx, m)
	case *dap.NextRequest:
		x.send(&dap.NextResponse{Response: x.response(m)})
		x.line(ctx, inspect.Over, m.Arguments.ThreadId)
	case *dap.StepInRequest:
		x.send(&dap.StepInResponse{Response: x.response(m)})
		x.line(ctx, inspect.Into, m.Arguments.ThreadId)
	case *dap.StepOutRequest:
		x.send(&dap.StepOutResponse{Response: x.response(m)})
		x.line(ctx, inspect.Out, m.Arguments.ThreadId)
	case *dap.StepBackRequest:
		x.send(&dap.StepBackResponse{Response: x.response(m)})
		x.back()
	case *dap.ContinueRequest:
		x.send(&dap.ContinueResponse{Response: x.response(m), Body: dap.ContinueResponseBody{AllThreadsContinued: true}})
		x.forward(ctx)
	case *dap.ReverseContinueRequest:
		x.send(&dap.ReverseContinueResponse{Response: x.response(m)})
		x.reverse(ctx)
	default:
		return false, nil
	}
	return true, nil
}

// leave moves the session to the operation of its step.
func (x *goroutines) leave() { x.progress, x.frames, x.values = progress{}, nil, nil }

func (x *goroutines) threads(ctx context.Context, m *dap.ThreadsRequest) {
	reply, err := x.ask(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		x.refuse(m, err.Error())
		return
	}
	threads := []dap.Thread{}
	for _, g := range reply.Goroutines {
		name := fmt.Sprintf("g%d", g.Number)
		if x.nodes {
			name = nodeThread(g)
		}
		threads = append(threads, dap.Thread{Id: g.Number, Name: name})
	}
	if x.nodes {
		threads = x.withServices(threads)
	}
	x.send(&dap.ThreadsResponse{Response: x.response(m), Body: dap.ThreadsResponseBody{Threads: threads}})
}

func (x *goroutines) stack(ctx context.Context, m *dap.StackTraceRequest) {
	a := m.Arguments
	if x.idle(a.ThreadId) {
		x.idleStack(m)
		return
	}
	reply, err := x.ask(ctx, inspect.Request{Action: inspect.Frames, Goroutine: x.executing(a.ThreadId)})
	if err != nil {
		x.refuse(m, err.Error())
		return
	}
	frames := []dap.StackFrame{}
	for _, f := range reply.Frames {
		if f.Number < 0 { // functions of the standard library that execute the operation
			continue
		}
		x.frames = append(x.frames, frameOf{a.ThreadId, f.Number})
		frame := dap.StackFrame{Id: len(x.frames), Name: f.Function, Line: f.Line, Column: 1}
		if filepath.IsAbs(f.File) {
			frame.Source = &dap.Source{Name: filepath.Base(f.File), Path: f.File}
		}
		frames = append(frames, frame)
	}
	all := len(frames)
	frames = frames[min(max(0, a.StartFrame), all):]
	if a.Levels > 0 {
		frames = frames[:min(a.Levels, len(frames))]
	}
	x.send(&dap.StackTraceResponse{Response: x.response(m), Body: dap.StackTraceResponseBody{StackFrames: frames, TotalFrames: all}})
}

// frame returns the frame with an id. 0 means the innermost one of the goroutine of the step.
func (x *goroutines) frameOf(id int) frameOf {
	if id < 1 || id > len(x.frames) {
		return frameOf{}
	}
	return x.frames[id-1]
}

func (x *goroutines) scopes(m *dap.ScopesRequest) {
	f := x.frameOf(m.Arguments.FrameId)
	var list []dap.Scope
	if !x.idle(f.goroutine) {
		list = append(list,
			dap.Scope{Name: "Arguments", PresentationHint: "arguments", VariablesReference: x.reference(valuesOf{frame: f, how: inspect.Arguments})},
			dap.Scope{Name: "Locals", PresentationHint: "locals", VariablesReference: x.reference(valuesOf{frame: f, how: inspect.Locals})})
	}
	if x.nodes {
		list = append(list, x.nodeScopes(f)...)
	} else if f.number == 0 {
		list = append(list, dap.Scope{Name: "Goroutine", VariablesReference: x.reference(valuesOf{node: f.goroutine})})
	}
	x.send(&dap.ScopesResponse{Response: x.response(m), Body: dap.ScopesResponseBody{Scopes: list}})
}

// ofFrame returns variables that the debugger reads.
func (x *goroutines) ofFrame(ctx context.Context, v valuesOf) ([]dap.Variable, error) {
	r := inspect.Request{Action: inspect.Variables, How: v.how, Goroutine: x.executing(v.frame.goroutine), Frame: v.frame.number}
	if v.how == "" {
		r.Action, r.Expression = inspect.Members, v.expression
	}
	reply, err := x.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	list := []dap.Variable{}
	for _, value := range reply.Values {
		list = append(list, x.variable(v.frame, value))
	}
	return list, nil
}

func (x *goroutines) variable(f frameOf, v inspect.Value) dap.Variable {
	f.number = cmp.Or(v.Frame, f.number)
	d := dap.Variable{Name: v.Name, Type: v.Type, Value: v.Text, EvaluateName: v.Expression}
	if v.Members > 0 && v.Expression != "" {
		d.VariablesReference = x.reference(valuesOf{frame: f, expression: v.Expression})
	}
	return d
}

func (x *goroutines) evaluate(ctx context.Context, m *dap.EvaluateRequest) {
	f := x.frameOf(m.Arguments.FrameId)
	r := inspect.Request{Action: inspect.Evaluate, Expression: m.Arguments.Expression, Goroutine: x.executing(f.goroutine), Frame: f.number}
	var reply *inspect.Reply
	err := errIdle
	if !x.idle(f.goroutine) {
		reply, err = x.ask(ctx, r)
	}
	if err != nil && x.nodes {
		node, _ := inspect.NodeOf(f.goroutine)
		if value, e := x.fieldOf(node, r.Expression); e == nil {
			x.send(&dap.EvaluateResponse{Response: x.response(m), Body: dap.EvaluateResponseBody{Result: value}})
			return
		}
	}
	if err != nil {
		x.refuse(m, err.Error())
		return
	}
	v := x.variable(f, reply.Values[0])
	x.send(&dap.EvaluateResponse{Response: x.response(m),
		Body: dap.EvaluateResponseBody{Result: v.Value, Type: v.Type, VariablesReference: v.VariablesReference}})
}

// setLines sets the breakpoints of a file.
func (x *goroutines) setLines(ctx context.Context, m *dap.SetBreakpointsRequest) {
	file := filepath.Clean(m.Arguments.Source.Path)
	x.breaks.conditions = slices.DeleteFunc(x.breaks.conditions, func(b inspect.Breakpoint) bool { return b.File == file })
	var wanted []inspect.Breakpoint
	for _, b := range m.Arguments.Breakpoints {
		wanted = append(wanted, inspect.Breakpoint{File: file, Line: b.Line, Condition: b.Condition})
	}
	reply, err := x.call(ctx, inspect.Request{Action: inspect.Verify, Breakpoints: wanted})
	if err != nil {
		x.refuse(m, err.Error())
		return
	}
	list := []dap.Breakpoint{}
	for i, b := range wanted {
		if reply.Errs[i] == "" {
			x.breaks.conditions = append(x.breaks.conditions, b)
		}
		list = append(list, dap.Breakpoint{Verified: reply.Errs[i] == "", Message: reply.Errs[i], Line: b.Line, Source: &m.Arguments.Source})
	}
	x.send(&dap.SetBreakpointsResponse{Response: x.response(m), Body: dap.SetBreakpointsResponseBody{Breakpoints: list}})
}

// at moves the session to where the debugger has stopped, and reports it.
func (x *goroutines) at(s inspect.Stop, reason string) {
	x.frames, x.values = nil, nil
	x.d.Go(int(s.Operation))
	x.entered, x.after, x.over = true, s.Reason != inspect.AtOperation, false
	if x.nodes && s.Reason != inspect.AtLine && s.Reason != inspect.AtBreakpoint {
		x.leave()
		x.over = s.Reason == inspect.AtEnd
	}
	description := ""
	if s.Reason == inspect.AtEnd {
		description = "end of the run"
	}
	x.stoppedIn(reason, description, s.Goroutine)
}

// failed reports an error at the current position.
func (x *goroutines) failed(err error) {
	x.leave()
	x.output(err.Error() + "\n")
	x.stopped("pause", err.Error())
}

// line continues to another line of a goroutine.
func (x *goroutines) line(ctx context.Context, how string, goroutine int) {
	r := inspect.Request{Action: inspect.Line, How: how, Goroutine: x.executing(goroutine), Breakpoints: x.breaks.conditions}
	reply, err := x.ask(ctx, r)
	if err != nil {
		x.failed(err)
		return
	}
	x.hits = 0
	x.path, x.begun = append(x.path, how), x.begun && reply.Stop.Reason == inspect.AtLine
	reason := "step"
	if reply.Stop.Reason == inspect.AtBreakpoint {
		reason = "breakpoint"
	}
	if step := x.d.Position(); x.nodes && (reply.Stop.Reason == inspect.AtOperation || reply.Stop.Reason == inspect.AtEnd) {
		x.leave()
		if x.d.Go(step.Step + 1); step.Step == step.Last {
			x.over = true
			x.stopped(reason, "end of the run")
			return
		}
		x.stopped(reason, "")
		return
	}
	x.at(reply.Stop, reason)
}

// back goes to the operation of the step, or to that of the step before, and in a handler to the line before.
func (x *goroutines) back() {
	to := x.d.Position().Step
	var path []string
	switch {
	case x.begun && len(x.path) > 0:
		path = x.path[:len(x.path)-1]
	case !x.after || x.begun:
		to--
	}
	x.leave()
	x.path = path // enter repeats it
	if x.d.Go(max(x.first(), to)); to < x.first() {
		x.stopped("step", "beginning of the run")
		return
	}
	x.stopped("step", "")
}

// forward continues to the next breakpoint.
func (x *goroutines) forward(ctx context.Context) {
	if x.over {
		x.stopped("step", "end of the run")
		return
	}
	to, why := x.breaks.nearest(ctx, 1)
	at := x.d.Position()
	limit := x.state(to)
	if to <= at.Step {
		limit = 0
	}
	reply, err := x.ask(ctx, inspect.Request{Action: inspect.Continue, Operation: limit, Breakpoints: x.breaks.conditions})
	if err != nil {
		x.failed(err)
		return
	}
	if reply.Stop.Reason != inspect.AtBreakpoint {
		if x.nodes {
			reply.Stop.Operation = uint64(to)
		}
		x.at(reply.Stop, why)
		return
	}
	x.path, x.begun = nil, false
	if x.after && int(reply.Stop.Operation) == at.Step {
		x.hits++
	} else {
		x.hits = 1
	}
	x.at(reply.Stop, "breakpoint")
}

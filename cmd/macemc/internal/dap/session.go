package dap

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/mdb"
)

// session answers requests about a run.
type session struct {
	*server
	d        mdb.Debugger
	names    []string       // of the nodes
	steps    []mdb.StepLine // of the current run, by number
	programs []bool         // by node: whether it runs a program with goroutines
	breaks   breakpoints
	values   []valuesOf
	test     *goroutines // nil means that no debugger executes a test or a system
}

// debug answers the launch request m, and then requests about the run, until the client disconnects. It always returns an error, which
// describes why it ended.
func (s *server) debug(ctx context.Context, m *dap.LaunchRequest, d mdb.Debugger, stopAt, text string) error {
	x := &session{server: s, d: d}
	x.breaks = newBreakpoints(x)
	if stopAt != "" {
		if _, err := x.do(ctx, "goto "+stopAt); err != nil {
			s.refuse(m, "stopAt: "+err.Error())
			return errDone
		}
	}
	if err := x.load(); err != nil {
		s.refuse(m, err.Error())
		return errDone
	}
	s.send(&dap.LaunchResponse{Response: s.response(m)})
	x.output(text)
	x.inspect(ctx)
	s.send(&dap.InitializedEvent{Event: s.event("initialized")})
	for s.failed == nil {
		m, err := s.next(ctx)
		if err != nil {
			return err
		}
		if err := x.answer(ctx, m); err != nil {
			return err
		}
	}
	return s.failed
}

// inspect opens the debugger of a test.
func (x *session) inspect(ctx context.Context) {
	call, nodes := mdb.InspectorOf(x.d), !x.d.Position().Goroutines
	if call == nil {
		return
	}
	x.output("building the test without optimization, to show its variables\n")
	test := &goroutines{place: place{x, nodes}, call: call}
	if _, err := test.ask(ctx, inspect.Request{Action: inspect.Goroutines}); err != nil {
		x.output("variables are not shown: " + err.Error() + "\n")
		return
	}
	x.test = test
}

// load stores the steps of the current run, and the names of the nodes.
func (x *session) load() error {
	v := x.d.View(mdb.Wanted{Steps: x.d.Position().Last + 2, Places: true})
	if v.Err != "" {
		return errors.New(v.Err)
	}
	x.steps = v.Steps
	x.names, _ = x.d.Complete("node ")
	slices.SortFunc(x.names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	x.programs = make([]bool, len(x.names))
	for _, l := range v.States {
		x.programs[l.Node] = x.programs[l.Node] || l.Program
	}
	return nil
}

// do executes commands of the debugger and returns their output.
func (x *session) do(ctx context.Context, line string) (string, error) {
	var b bytes.Buffer
	err := x.d.Do(ctx, line, &b)
	return b.String(), err
}

// answer answers one request. An error ends the session.
func (x *session) answer(ctx context.Context, m dap.Message) error {
	if x.test != nil {
		if done, err := x.test.answer(ctx, m); done {
			return err
		}
	}
	switch m := m.(type) {
	case *dap.SetBreakpointsRequest:
		x.send(&dap.SetBreakpointsResponse{Response: x.response(m), Body: dap.SetBreakpointsResponseBody{Breakpoints: x.breaks.setLines(m.Arguments)}})
	case *dap.SetFunctionBreakpointsRequest:
		x.send(&dap.SetFunctionBreakpointsResponse{Response: x.response(m),
			Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: x.breaks.setEvents(m.Arguments)}})
	case *dap.SetExceptionBreakpointsRequest:
		x.breaks.filters = m.Arguments.Filters
		x.send(&dap.SetExceptionBreakpointsResponse{Response: x.response(m)})
	case *dap.ConfigurationDoneRequest:
		x.send(&dap.ConfigurationDoneResponse{Response: x.response(m)})
		x.stopped("entry", "")
	case *dap.ThreadsRequest:
		var threads []dap.Thread
		for n := range x.names {
			threads = append(threads, dap.Thread{Id: n + 1, Name: x.names[n]})
		}
		x.send(&dap.ThreadsResponse{Response: x.response(m), Body: dap.ThreadsResponseBody{Threads: threads}})
	case *dap.StackTraceRequest:
		x.send(&dap.StackTraceResponse{Response: x.response(m),
			Body: dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{x.frame(m.Arguments.ThreadId - 1)}, TotalFrames: 1}})
	case *dap.ScopesRequest:
		x.send(&dap.ScopesResponse{Response: x.response(m), Body: dap.ScopesResponseBody{Scopes: x.scopes(m.Arguments.FrameId - 1)}})
	case *dap.VariablesRequest:
		x.variables(ctx, m)
	case *dap.EvaluateRequest:
		return x.evaluate(ctx, m)
	case *dap.DisconnectRequest:
		x.send(&dap.DisconnectResponse{Response: x.response(m)})
		return errDone
	case *dap.TerminateRequest:
		x.send(&dap.TerminateResponse{Response: x.response(m)})
		x.send(&dap.TerminatedEvent{Event: x.event("terminated")})
	default:
		return x.move(ctx, m)
	}
	return nil
}

// move answers the requests that move to another step.
func (x *session) move(ctx context.Context, m dap.Message) error {
	at := x.d.Position()
	to, why := at.Step, "step"
	switch m := m.(type) {
	case *dap.NextRequest:
		x.send(&dap.NextResponse{Response: x.response(m)})
		to++
	case *dap.StepBackRequest:
		x.send(&dap.StepBackResponse{Response: x.response(m)})
		to--
	case *dap.StepInRequest: // to the next step of the thread
		x.send(&dap.StepInResponse{Response: x.response(m)})
		if n, ok := x.d.Neighbour(1, m.Arguments.ThreadId-1); ok {
			to = n
		} else {
			to = at.Last + 1
		}
	case *dap.ContinueRequest:
		x.send(&dap.ContinueResponse{Response: x.response(m), Body: dap.ContinueResponseBody{AllThreadsContinued: true}})
		to, why = x.breaks.nearest(ctx, 1)
	case *dap.ReverseContinueRequest:
		x.send(&dap.ReverseContinueResponse{Response: x.response(m)})
		to, why = x.breaks.nearest(ctx, -1)
	case *dap.PauseRequest:
		x.send(&dap.PauseResponse{Response: x.response(m)})
		why = "pause"
	case dap.RequestMessage:
		x.refuse(m, m.GetRequest().Command+" is not supported")
		return nil
	default:
		return nil
	}
	x.d.Go(to)
	switch {
	case to < 0:
		x.stopped(why, "beginning of the run")
	case to > at.Last:
		x.stopped(why, "end of the run")
	default:
		x.stopped(why, "")
	}
	return nil
}

// stopped reports the current step, and the reason of the stop.
func (x *session) stopped(reason, description string) { x.stoppedIn(reason, description, 0) }

// stoppedIn reports the current step, the reason of the stop, and its thread; 0 means that of the step.
func (x *session) stoppedIn(reason, description string, thread int) {
	x.values = nil
	v := x.d.View(mdb.Wanted{})
	x.output(fmt.Sprintf("step %d of %d: %s\n", v.At.Step, v.At.Last, v.Summary))
	e := &dap.StoppedEvent{Event: x.event("stopped"), Body: dap.StoppedEventBody{Reason: reason, Description: description, ThreadId: 1,
		AllThreadsStopped: true}}
	step := x.steps[v.At.Step]
	if x.test != nil && x.test.nodes && thread == 0 {
		thread = x.test.threadOf(context.Background(), max(0, step.Node))
	}
	if thread > 0 || step.Node >= 0 {
		e.Body.ThreadId = cmp.Or(thread, step.Node+1)
	}
	switch {
	case description != "":
	case step.Finding != "":
		e.Body.Description = step.Finding
	case step.Critical:
		e.Body.Description = "critical step"
	}
	x.send(e)
}

func (x *session) output(text string) {
	if text != "" {
		x.send(&dap.OutputEvent{Event: x.event("output"), Body: dap.OutputEventBody{Category: "console", Output: text}})
	}
}

// frame returns the last step of a node as a stack frame.
func (x *session) frame(node int) dap.StackFrame {
	n, ok := x.d.Position().Step, true
	if x.steps[n].Node != node {
		if n, ok = x.d.Neighbour(-1, node); !ok {
			n = 0
		}
	}
	step := x.steps[n]
	f := dap.StackFrame{Id: node + 1, Name: fmt.Sprintf("step %d: %s", n, step.Text)}
	if step.Line > 0 && filepath.IsAbs(step.File) {
		f.Source, f.Line, f.Column = &dap.Source{Name: filepath.Base(step.File), Path: step.File}, step.Line, 1
	}
	return f
}

// evaluate executes a command of the debugger, or finds a field whose value the editor shows.
func (x *session) evaluate(ctx context.Context, m *dap.EvaluateRequest) error {
	if m.Arguments.Context != "repl" {
		return x.field(m)
	}
	before := x.d.Position()
	text, err := x.do(ctx, m.Arguments.Expression)
	if errors.Is(err, mdb.ErrQuit) {
		x.send(&dap.EvaluateResponse{Response: x.response(m)})
		x.send(&dap.TerminatedEvent{Event: x.event("terminated")})
		return nil
	}
	if err != nil {
		x.output(text)
		x.refuse(m, err.Error())
	} else {
		x.send(&dap.EvaluateResponse{Response: x.response(m), Body: dap.EvaluateResponseBody{Result: strings.TrimRight(text, "\n")}})
	}
	if at := x.d.Position(); at != before {
		if err := x.load(); err != nil {
			return err
		}
		x.stopped("goto", "")
	}
	return nil
}

// field answers with the value of a node's field: n1.Name, or Name for the node of the frame.
func (x *session) field(m *dap.EvaluateRequest) error {
	node, name := m.Arguments.FrameId-1, m.Arguments.Expression
	if of, rest, ok := strings.Cut(name, "."); ok && strings.HasPrefix(of, "n") {
		if n, err := strconv.Atoi(of[1:]); err == nil {
			node, name = n, rest
		}
	}
	value, err := x.fieldOf(node, name)
	if err != nil {
		x.refuse(m, err.Error())
		return nil
	}
	x.send(&dap.EvaluateResponse{Response: x.response(m), Body: dap.EvaluateResponseBody{Result: value}})
	return nil
}

package dap

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/internal/inspect"
)

// enter moves the debugger to where the session is.
func (x *goroutines) enter(ctx context.Context) error {
	step := x.d.Position().Step
	r := inspect.Request{Action: inspect.Move, Operation: x.state(step)}
	if x.handles(step) {
		s := x.steps[step]
		r.Action, r.How, r.Breakpoints = inspect.Enter, inspect.Begin, []inspect.Breakpoint{{File: s.File, Line: s.Line}}
	}
	_, err := x.call(ctx, r)
	for _, how := range x.path {
		if err == nil {
			_, err = x.call(ctx, inspect.Request{Action: inspect.Line, How: how})
		}
	}
	if err != nil {
		return err
	}
	x.entered, x.after, x.hits, x.begun = true, x.handles(step), 0, x.handles(step)
	return nil
}

// place determines where the debugger executes code in a step of a session.
type place struct {
	*session
	nodes bool // the debugger executes a system: programs, after a step, and handlers, at their first line
}

// state returns the number of the operation, or of the state of a system, at which the session is in a step, or where a handler begins.
func (x *place) state(step int) uint64 {
	if x.nodes && !x.handles(step) {
		step++ // a state is numbered like the step after it
	}
	return uint64(max(1, step))
}

// first is the first step that a session can be in.
func (x *place) first() int {
	if x.nodes {
		return 0
	}
	return 1
}

// handles reports whether a step is handled by code of a service, which the session enters.
func (x *place) handles(step int) bool {
	s := x.steps[min(step, len(x.steps)-1)]
	return x.nodes && s.Node >= 0 && !x.programs[s.Node] && s.Line > 0
}

// between reports whether a request moves a session on a system from step to step, because no code is executed where the session is.
func (x *goroutines) between(m dap.Message) bool {
	if step := x.d.Position().Step; x.after || x.handles(step) {
		return false
	}
	switch m.(type) {
	case *dap.NextRequest, *dap.StepInRequest, *dap.StepOutRequest, *dap.StepBackRequest:
		return true
	}
	return false
}

// executing returns the number in requests of the goroutine of a thread. 0 means the one that executes a handler.
func (x *place) executing(thread int) int {
	if _, n := inspect.NodeOf(thread); x.nodes && n == 0 {
		return 0
	}
	return thread
}

// idle reports whether a thread is that of a service that executes no handler here.
func (x *place) idle(thread int) bool {
	node, n := inspect.NodeOf(thread)
	step := x.d.Position().Step
	return x.nodes && n == 0 && (!x.handles(step) || thread != 0 && x.steps[step].Node != node)
}

var errIdle = errors.New("no code of this node is executed here")

// withServices adds a thread for each node without a program.
func (x *place) withServices(threads []dap.Thread) []dap.Thread {
	for node, program := range x.programs {
		if !program {
			threads = append(threads, dap.Thread{Id: inspect.OfNode(node, 0), Name: x.names[node]})
		}
	}
	return threads
}

// idleStack answers with the last step of a service.
func (x *goroutines) idleStack(m *dap.StackTraceRequest) {
	node, _ := inspect.NodeOf(m.Arguments.ThreadId)
	f := x.frame(node)
	x.frames = append(x.frames, frameOf{goroutine: m.Arguments.ThreadId})
	f.Id = len(x.frames)
	x.send(&dap.StackTraceResponse{Response: x.response(m),
		Body: dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{f}, TotalFrames: 1}})
}

// nodeScopes returns the scopes of the node of a frame. They show the state after the step.
func (x *goroutines) nodeScopes(f frameOf) (list []dap.Scope) {
	node, _ := inspect.NodeOf(f.goroutine)
	list = x.session.scopes(max(0, node))
	for i := range list {
		list[i].Name += " after the step"
	}
	return list
}

// nodeThread names a goroutine of a node's program by its function outside the standard library, if there is one.
func nodeThread(g inspect.Goroutine) string {
	node, n := inspect.NodeOf(g.Number)
	name := fmt.Sprintf("n%d g%d", node, n)
	if g.Own() {
		name += " " + g.At.Function[strings.LastIndexByte(g.At.Function, '/')+1:]
	}
	if g.Held {
		name += " (held back)"
	}
	return name
}

// threadOf returns the goroutine of a node's program that the editor shows first: one outside the standard library, if there is one. 0
// means that there are none.
func (x *goroutines) threadOf(ctx context.Context, node int) (thread int) {
	if !x.programs[node] {
		return inspect.OfNode(node, 0)
	}
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

// reverse goes back to the last breakpoint, or to the step of another one.
func (x *goroutines) reverse(ctx context.Context) {
	to, why := x.breaks.nearest(ctx, -1)
	at := x.d.Position()
	found, hits, err := x.lastHit(ctx, to, at.Step)
	if err == nil && found == nil {
		x.leave()
		x.d.Go(max(x.first(), to))
		x.stopped(why, "")
		return
	}
	var reply *inspect.Reply
	if err == nil {
		reply, err = x.call(ctx, inspect.Request{Action: inspect.Move, Operation: found.Operation})
	}
	for n := 0; err == nil && n < hits; n++ {
		reply, err = x.call(ctx, inspect.Request{Action: inspect.Continue, Breakpoints: x.breaks.conditions})
	}
	if err == nil && reply.Stop != *found {
		err = errors.New("the run has other breakpoints when it is executed again")
	}
	if err != nil {
		x.failed(err)
		return
	}
	x.hits, x.path, x.begun = hits, nil, false
	x.at(reply.Stop, "breakpoint")
}

// lastHit returns the last breakpoint after the operation of a step and before the position of the session, and its number since the
// operation of its step. nil means that there is none.
func (x *goroutines) lastHit(ctx context.Context, from, at int) (found *inspect.Stop, hits int, err error) {
	if len(x.breaks.conditions) == 0 {
		return nil, 0, nil
	}
	before := max(0, x.hits-1) // breakpoints since the operation of the step
	if x.nodes && !x.handles(at) && !x.after || x.over {
		before = math.MaxInt // the session is after the step
	}
	start := uint64(max(0, from))
	if x.nodes {
		start = x.state(from)
	}
	if _, err := x.call(ctx, inspect.Request{Action: inspect.Move, Operation: start}); err != nil {
		return nil, 0, err
	}
	limit := x.state(at)
	if before > 0 && before < math.MaxInt || x.over {
		limit = 0
	}
	last, n := uint64(0), 0
	for {
		reply, err := x.call(ctx, inspect.Request{Action: inspect.Continue, Operation: limit, Breakpoints: x.breaks.conditions})
		if err != nil || reply.Stop.Reason != inspect.AtBreakpoint {
			return found, hits, err
		}
		if n++; reply.Stop.Operation != last {
			last, n = reply.Stop.Operation, 1
		}
		if int(last) > at || int(last) == at && n > before {
			return found, hits, nil
		}
		found, hits = &reply.Stop, n
	}
}

package variables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// handlers is the execution of the handlers of a node. Its variables are shown where the handler of a step returns or panics, or at a line
// before.
type handlers struct {
	*Session
	node int
}

// entry returns the request that moves the debugger into the handler of a step.
func (x handlers) entry(step int, how string) (r inspect.Request, err error) {
	if step == 0 {
		return r, errors.New("the variables of handlers are shown from step 1 on")
	}
	if int(x.Run.Step(step).Ev.Node) != x.node {
		name := x.Run.Node(x.node)
		return r, fmt.Errorf("%s handles nothing in step %d; \"prev %s\" goes to its step before", name, step, name)
	}
	t, err := x.Run.Trace(step)
	if err != nil {
		return r, err
	}
	file, line := t.Place()
	if line == 0 {
		return r, fmt.Errorf("no code of the service handled step %d", step)
	}
	return inspect.Request{Action: inspect.Enter, How: how, Operation: uint64(step),
		Breakpoints: []inspect.Breakpoint{{File: file, Line: line}}}, nil
}

func (x handlers) enter(ctx context.Context) error {
	if x.Scope.line == 0 {
		return x.to(ctx, x.Run.At, inspect.End)
	}
	found := false
	err := x.lines(ctx, func(n int, _ inspect.Frame) bool {
		found = n == x.Scope.line
		return !found
	})
	if err == nil && !found {
		err = errors.New("the handler executes fewer lines")
	}
	return err
}

// to moves the debugger into the handler of a step.
func (x handlers) to(ctx context.Context, step int, how string) error {
	r, err := x.entry(step, how)
	if err == nil {
		_, err = x.Inspect(ctx, x.Run.Name, r)
	}
	return err
}

// lines moves the debugger through the lines of the handler of the current step and calls f at each, until f returns false. Lines are
// numbered in the order of their execution, from 1 on.
func (x handlers) lines(ctx context.Context, f func(n int, at inspect.Frame) bool) error {
	if err := x.to(ctx, x.Run.At, inspect.Begin); err != nil {
		return err
	}
	for n := 1; ; n++ {
		reply, err := x.Inspect(ctx, x.Run.Name, inspect.Request{Action: inspect.Frames})
		if err != nil {
			return err
		}
		if !f(n, innermost(reply.Frames)) {
			return nil
		}
		reply, err = x.Inspect(ctx, x.Run.Name, inspect.Request{Action: inspect.Line, How: inspect.Over})
		if err != nil || reply.Stop.Reason != inspect.AtLine {
			return err
		}
	}
}

// innermost returns the innermost frame outside the standard library.
func innermost(frames []inspect.Frame) inspect.Frame {
	for _, f := range frames {
		if f.Number == 0 {
			return f
		}
	}
	return inspect.Frame{}
}

// goroutine returns the one that has stopped, which executes the handler.
func (handlers) goroutine(context.Context) (int, error) { return 0, nil }

func (x handlers) goroutines(ctx context.Context, out *bytes.Buffer) error {
	if n := x.Scope.goroutine; n > 0 {
		return fmt.Errorf("%s has no goroutine g%d: it is not a program", x.Run.Node(x.node), n)
	}
	frames, err := x.framesHere(ctx)
	if err == nil {
		fmt.Fprintf(out, "* %s in %s\n", x.Run.Node(x.node), frameText(innermost(frames)))
	}
	return err
}

// sweep visits the ends of the handlers of the node, or at a line of a handler its lines.
func (x handlers) sweep(ctx context.Context, f func(position) bool) error {
	if x.Scope.line > 0 {
		before := ""
		return x.lines(ctx, func(n int, at inspect.Frame) bool {
			p := position{step: x.Run.At, line: n, place: before}
			if before = placeOf(at); n == 1 {
				p.place = before
			}
			return f(p)
		})
	}
	for step := 1; step <= x.Run.Len(); step++ {
		r, err := x.entry(step, inspect.End)
		if err != nil { // the node handles nothing here
			continue
		}
		if _, err := x.Inspect(ctx, x.Run.Name, r); err != nil {
			return err
		}
		if !f(position{step: step}) {
			return nil
		}
	}
	return nil
}

func (x handlers) at(p position) string {
	if p.line == 1 {
		return "before " + p.place
	}
	return x.since(p)
}

func (x handlers) since(p position) string {
	if p.line > 0 {
		return "after " + p.place
	}
	return x.inStep(p.step)
}

func (x handlers) nowhere() string {
	if x.Scope.line > 0 {
		return "it holds at no line of the handler"
	}
	return "it holds at the end of no handler of " + x.Run.Node(x.node)
}

func (x handlers) arrive(p position, out *bytes.Buffer) error {
	if p.line == 0 {
		return x.To(p.step, out)
	}
	x.Scope.line = p.line
	fmt.Fprintf(out, "  %s\n", x.at(p))
	return nil
}

// Line goes forward in the handler of the current step by lines, or back.
func (s *Session) Line(ctx context.Context, args []string, out *bytes.Buffer) error {
	x, err := s.execution(s)
	if err != nil {
		return err
	}
	h, ok := x.(handlers)
	if !ok {
		return errors.New("lines are executed one by one in handlers of services; \"macemc dap\" does so in programs and tests, too")
	}
	count := 1
	switch {
	case len(args) > 1:
		return cmdline.Usagef("one number at most")
	case len(args) == 1:
		if count, err = strconv.Atoi(args[0]); err != nil || count == 0 {
			return cmdline.Usagef("%q is not a number of lines", args[0])
		}
	}
	var all []inspect.Frame
	if err := h.lines(ctx, func(_ int, at inspect.Frame) bool { all = append(all, at); return true }); err != nil {
		return err
	}
	to := s.Scope.line + count
	if s.Scope.line == 0 && count < 0 { // from the end
		to = len(all) + count + 1
	}
	switch {
	case to > len(all):
		s.Scope.line = 0
		fmt.Fprintln(out, "  the handler returns here")
	case to < 1:
		to = 1
		fmt.Fprintln(out, "  the handler begins here")
		fallthrough
	default:
		s.Scope.line = to
		fmt.Fprintln(out, h.lineText(all[to-1], to, len(all)))
	}
	return nil
}

// lineText describes a line of a handler.
func (x handlers) lineText(f inspect.Frame, n, of int) string {
	return strings.TrimSuffix(fmt.Sprintf("  line %d of %d, %s:  %s", n, of, placeOf(f), x.Code(f.File, f.Line)), ":  ")
}

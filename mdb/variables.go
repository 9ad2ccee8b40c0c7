package mdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// scope selects the variables that commands show. Another step resets it.
type scope struct {
	goroutine int  // 0 means that of the step
	frame     int  // 0 is the innermost one outside the standard library
	ended     bool // the run has continued after its last step
}

// inspection shows the variables of a session.
type inspection struct{ *Session }

func variableCommands() []command {
	list := []command{
		{
			name: "locals", about: "show the local variables of the selected frame",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				return inspection{s}.showVariables(ctx, inspect.Locals, out)
			},
		},
		{
			name: "args", about: "show the arguments of the selected frame's function",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				return inspection{s}.showVariables(ctx, inspect.Arguments, out)
			},
		},
		{
			name: "print", args: "EXPRESSION", about: "evaluate an expression in the selected frame",
			more: "The expression has the syntax of Delve, which is that of Go: s.items[0], *p, len(m), a == b.\n" +
				"The test is executed again in a debugger, up to the operation of the step, which has not yet been\n" +
				"executed. The first time, this builds the test without optimization.",
			do: inspecting(inspection.printValue),
		},
		{
			name: "frame", args: "[NUMBER]", about: "list the frames of the selected goroutine, or select one",
			do: inspecting(inspection.selectFrame),
		},
		{
			name: "goroutine", args: "[GOROUTINE]", about: "list the goroutines with their places, or select one until the next move",
			do: inspecting(inspection.selectGoroutine),
		},
		{
			name: "finish", about: "show variables as they are after the last step, at the end of the run",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				if err := s.to(s.run.Len(), out); err != nil {
					return err
				}
				s.scope.ended = true
				return inspection{s}.selectGoroutine(ctx, nil, out)
			},
		},
	}
	list = append(list, sweepCommands()...)
	for i := range list {
		list[i].group, list[i].recorded = variables, true
	}
	return list
}

// sweepCommands returns the commands that evaluate an expression before each step, and one that is refused.
func sweepCommands() []command {
	return []command{
		{
			name: "watch", args: "EXPRESSION", about: "list the steps between which the value of an expression changes",
			do: inspecting(inspection.watchValue),
			more: "The expression is evaluated before each step, in the selected goroutine. \"goroutine g1\" selects the one\n" +
				"that executes the test. There it is looked for in the innermost frame of the function that has it at the\n" +
				"current step.",
		},
		{
			name: "when", args: "CONDITION", about: "go to the first step before which a condition holds", do: inspecting(inspection.whenHolds),
			more: "The condition is evaluated as by \"watch\".",
		},
		{
			name: "set", args: "VARIABLE = VALUE", about: "is refused: a run that is executed again is not changed",
			do: func(*Session, context.Context, []string, *bytes.Buffer) error {
				return errors.New("a run that is executed again is not changed; \"take\" tries another order")
			},
		},
	}
}

// inspecting returns the function of a command.
func inspecting(
	do func(s inspection, ctx context.Context, args []string, out *bytes.Buffer) error,
) func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	return func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
		return do(inspection{s}, ctx, args, out)
	}
}

// inspect executes a request at the current step.
func (s inspection) inspect(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
	return s.inspectAt(ctx, s.run.At, s.scope.ended, r)
}

// inspectAt executes a request before a step, or with ended at the end of the run.
func (s inspection) inspectAt(ctx context.Context, step int, ended bool, r inspect.Request) (*inspect.Reply, error) {
	switch {
	case s.cfg.Inspect == nil:
		return nil, errors.New("the test cannot be executed in a debugger here")
	case step == 0:
		return nil, errors.New("no operation is executed at step 0; \"critical\", \"end\" or a number goes to a step that has variables")
	}
	if _, err := s.cfg.Inspect(ctx, s.run.Name, inspect.Request{Action: inspect.Move, Operation: uint64(step)}); err != nil {
		return nil, err
	}
	if ended {
		if _, err := s.cfg.Inspect(ctx, s.run.Name, inspect.Request{Action: inspect.Continue}); err != nil {
			return nil, err
		}
	}
	return s.cfg.Inspect(ctx, s.run.Name, r)
}

// selected returns a request with the selected goroutine and frame.
func (s inspection) selected(action string) inspect.Request {
	r := inspect.Request{Action: action, Goroutine: s.scope.goroutine, Frame: s.scope.frame}
	if r.Goroutine == 0 && s.run.At > 0 {
		r.Goroutine = int(s.run.Step(s.run.At).Ev.Node) + 1
	}
	return r
}

func (s inspection) showVariables(ctx context.Context, how string, out *bytes.Buffer) error {
	r := s.selected(inspect.Variables)
	r.How = how
	reply, err := s.inspect(ctx, r)
	if err != nil {
		return err
	}
	for _, v := range reply.Values {
		fmt.Fprintf(out, "  %s = %s\n", v.Name, v.Text)
	}
	if len(reply.Values) == 0 {
		fmt.Fprintf(out, "  no %s\n", map[string]string{inspect.Locals: "local variables", inspect.Arguments: "arguments"}[how])
	}
	return nil
}

func (s inspection) printValue(ctx context.Context, args []string, out *bytes.Buffer) error {
	if len(args) == 0 {
		return cmdline.Usagef("which expression?")
	}
	r := s.selected(inspect.Evaluate)
	r.Expression = strings.Join(args, " ")
	reply, err := s.inspect(ctx, r)
	if err != nil {
		return err
	}
	v := reply.Values[0]
	fmt.Fprintf(out, "%s = %s\n", r.Expression, v.Text)
	if v.Frame != 0 {
		s.noteFrame(ctx, v.Frame, out)
	}
	return nil
}

// noteFrame writes the frame that has a variable.
func (s inspection) noteFrame(ctx context.Context, number int, out *bytes.Buffer) {
	frames, _ := s.framesHere(ctx) // it has just been found
	for _, f := range frames {
		if f.Number == number {
			fmt.Fprintf(out, "  in frame %d, %s\n", number, frameText(f))
		}
	}
}

// framesHere returns the frames of the selected goroutine.
func (s inspection) framesHere(ctx context.Context) ([]inspect.Frame, error) {
	reply, err := s.inspect(ctx, s.selected(inspect.Frames))
	if err != nil {
		return nil, err
	}
	return reply.Frames, nil
}

func (s inspection) selectFrame(ctx context.Context, args []string, out *bytes.Buffer) error {
	frames, err := s.framesHere(ctx)
	if err != nil {
		return err
	}
	switch {
	case len(args) > 1:
		return cmdline.Usagef("one frame at most")
	case len(args) == 1:
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return cmdline.Usagef("%q is not the number of a frame", args[0])
		}
		for _, f := range frames {
			if f.Number == n {
				s.scope.frame = n
				fmt.Fprintf(out, "  %s\n", frameText(f))
				return nil
			}
		}
		return fmt.Errorf("there is no frame %d; \"frame\" lists them", n)
	}
	for _, f := range frames {
		mark := " "
		if f.Number == s.scope.frame {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %2d  %s\n", mark, f.Number, frameText(f))
	}
	return nil
}

func frameText(f inspect.Frame) string {
	if f.Function == "" {
		return "the runtime"
	}
	return fmt.Sprintf("%s at %s:%d", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line)
}

func (s inspection) selectGoroutine(ctx context.Context, args []string, out *bytes.Buffer) error {
	if len(args) > 0 {
		node, err := s.nodeID(strings.Join(args, " "))
		if err != nil {
			return err
		}
		before := s.scope
		s.scope.goroutine, s.scope.frame = node+1, 0
		frames, err := s.framesHere(ctx)
		if err != nil {
			s.scope = before
			return err
		}
		for _, f := range frames {
			if f.Number == 0 {
				fmt.Fprintf(out, "  %s in %s\n", s.run.Node(node), frameText(f))
			}
		}
		return nil
	}
	reply, err := s.inspect(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		return err
	}
	at := s.selected("").Goroutine
	for _, g := range reply.Goroutines {
		mark := " "
		if g.Number == at {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %s in %s\n", mark, s.run.Node(g.Number-1), frameText(g.At))
	}
	return nil
}

// valueAt is the value of an expression before a step.
type valueAt struct {
	step int // greater than the last one at the end of the run
	text string
	err  error // the expression cannot be evaluated
}

// each evaluates an expression before each step and at the end of the run, until f returns false.
func (s inspection) each(ctx context.Context, args []string, f func(valueAt) bool) error {
	if len(args) == 0 {
		return cmdline.Usagef("which expression?")
	}
	frames, err := s.framesHere(ctx)
	if err != nil {
		return err
	}
	r := s.selected(inspect.Evaluate)
	r.Expression = strings.Join(args, " ")
	here, unknown := s.inspect(ctx, r)
	if unknown == nil {
		r.Frame = cmp.Or(here.Values[0].Frame, r.Frame)
	}
	for _, frame := range frames {
		if frame.Number == r.Frame {
			r.Function = frame.Function
		}
	}
	some := false
	for step := 1; step <= s.run.Len()+1; step++ {
		reply, err := s.inspectAt(ctx, min(step, s.run.Len()), step > s.run.Len(), r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v := valueAt{step: step, err: err}
		if err == nil {
			some, v.text = true, reply.Values[0].Text
		}
		if !f(v) {
			return nil
		}
	}
	if !some {
		return unknown
	}
	return nil
}

func (s inspection) watchValue(ctx context.Context, args []string, out *bytes.Buffer) error {
	now, changes := "", 0
	err := s.each(ctx, args, func(v valueAt) bool {
		switch {
		case v.err != nil || v.text == now:
			return true
		case now == "":
			fmt.Fprintf(out, "  before step %d: %s\n", v.step, v.text)
		default:
			fmt.Fprintf(out, "  %s: %s -> %s\n", s.between(v.step), now, v.text)
			changes++
		}
		now = v.text
		return true
	})
	if err == nil {
		fmt.Fprintf(out, "%s\n", cmp.Or(map[bool]string{true: "it does not change"}[changes == 0], textfmt.Plural(changes, "change")))
	}
	return err
}

// between describes the time between a step and the one before it.
func (s inspection) between(step int) string {
	text := fmt.Sprintf("between steps %d and %d", step-1, step)
	if step > s.run.Len() {
		text = fmt.Sprintf("after step %d", step-1)
	}
	t, err := s.run.Trace(step - 1)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, s.run.Sentence(step-1, t))
}

func (s inspection) whenHolds(ctx context.Context, args []string, out *bytes.Buffer) error {
	found, wrong := 0, ""
	err := s.each(ctx, args, func(v valueAt) bool {
		if v.err == nil && v.text != "true" && v.text != "false" {
			wrong = v.text
			return false
		}
		if v.text == "true" {
			found = v.step
		}
		return found == 0
	})
	switch {
	case err != nil:
		return err
	case wrong != "":
		return fmt.Errorf("the value %s is not true or false", wrong)
	case found == 0:
		fmt.Fprintln(out, "it holds before no step")
		return nil
	}
	if err := s.to(found, out); err != nil {
		return err
	}
	if s.scope.ended = found > s.run.Len(); s.scope.ended {
		fmt.Fprintln(out, "  it holds only at the end of the run, after this step")
	}
	return nil
}

// Package variables executes the debugger's commands about real variables, which another process reads.
package variables

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// Scope selects the variables that commands show. Another step resets it.
type Scope struct {
	node      int  // of a system, plus 1; 0 means that of the step
	goroutine int  // 0 means that of the step, or in a system the one that defaultGoroutine returns
	frame     int  // 0 is the innermost one outside the standard library
	ended     bool // the run has continued after its last step
}

// Session is the part of a debugging session that the commands need.
type Session struct {
	Run     *history.Run
	Opened  *history.Run // the run of the file
	Node    int          // selected node; -1 means none
	Scope   *Scope
	Inspect func(ctx context.Context, run string, r inspect.Request) (*inspect.Reply, error) // see mdb.Config
	To      func(step int, out *bytes.Buffer) error                                          // goes to a step
	NodeID  func(word string) (int, error)
	IsNode  func(word string) bool
}

// Finish lists the goroutines at the end of the run of a test, to whose last step the session has moved.
func (s *Session) Finish(ctx context.Context, out *bytes.Buffer) error {
	s.Scope.ended = true
	return s.SelectGoroutine(ctx, nil, out)
}

// inspect executes a request at the current step.
func (s *Session) inspect(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
	return s.inspectAt(ctx, s.Run.At, s.Scope.ended, r)
}

// inspectAt executes a request before a step, or with ended at the end of the run.
func (s *Session) inspectAt(ctx context.Context, step int, ended bool, r inspect.Request) (*inspect.Reply, error) {
	switch {
	case s.Inspect == nil && s.Run.Whole == nil:
		return nil, errors.New("variables are shown for the file of a run that the test of a package checks")
	case s.Inspect == nil:
		return nil, errors.New("the test cannot be executed in a debugger here")
	case s.Run.Whole == nil && s.Run != s.Opened:
		return nil, errors.New("variables are shown in the run of the file; \"save\" writes this one to a file")
	case s.Run.Whole == nil:
		step++ // a state is numbered like the step after it
	case step == 0:
		return nil, errors.New("no operation is executed at step 0; \"critical\", \"end\" or a number goes to a step that has variables")
	}
	if _, err := s.Inspect(ctx, s.Run.Name, inspect.Request{Action: inspect.Move, Operation: uint64(step)}); err != nil {
		return nil, err
	}
	if ended {
		if _, err := s.Inspect(ctx, s.Run.Name, inspect.Request{Action: inspect.Continue}); err != nil {
			return nil, err
		}
	}
	return s.Inspect(ctx, s.Run.Name, r)
}

// selected returns a request with the selected goroutine and frame.
func (s *Session) selected(ctx context.Context, action string) (inspect.Request, error) {
	r := inspect.Request{Action: action, Goroutine: s.Scope.goroutine, Frame: s.Scope.frame}
	var err error
	if s.Run.Whole == nil {
		r.Goroutine, err = s.ofNode(ctx)
	} else if r.Goroutine == 0 && s.Run.At > 0 {
		r.Goroutine = int(s.Run.Step(s.Run.At).Ev.Node) + 1
	}
	return r, err
}

// Show writes the variables of the selected frame: inspect.Locals or inspect.Arguments.
func (s *Session) Show(ctx context.Context, how string, out *bytes.Buffer) error {
	r, err := s.selected(ctx, inspect.Variables)
	if err != nil {
		return err
	}
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

// Print evaluates an expression in the selected frame.
func (s *Session) Print(ctx context.Context, args []string, out *bytes.Buffer) error {
	if len(args) == 0 {
		return cmdline.Usagef("which expression?")
	}
	r, err := s.selected(ctx, inspect.Evaluate)
	if err != nil {
		return err
	}
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
func (s *Session) noteFrame(ctx context.Context, number int, out *bytes.Buffer) {
	frames, _ := s.framesHere(ctx) // it has just been found
	for _, f := range frames {
		if f.Number == number {
			fmt.Fprintf(out, "  in frame %d, %s\n", number, frameText(f))
		}
	}
}

// framesHere returns the frames of the selected goroutine.
func (s *Session) framesHere(ctx context.Context) ([]inspect.Frame, error) {
	r, err := s.selected(ctx, inspect.Frames)
	if err != nil {
		return nil, err
	}
	reply, err := s.inspect(ctx, r)
	if err != nil {
		return nil, err
	}
	return reply.Frames, nil
}

// SelectFrame lists the frames of the selected goroutine, or selects one.
func (s *Session) SelectFrame(ctx context.Context, args []string, out *bytes.Buffer) error {
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
				s.Scope.frame = n
				fmt.Fprintf(out, "  %s\n", frameText(f))
				return nil
			}
		}
		return fmt.Errorf("there is no frame %d; \"frame\" lists them", n)
	}
	for _, f := range frames {
		mark := " "
		if f.Number == s.Scope.frame {
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

// SelectGoroutine lists the goroutines, or selects one.
func (s *Session) SelectGoroutine(ctx context.Context, args []string, out *bytes.Buffer) error {
	if s.Run.Whole == nil {
		return s.selectOfNode(ctx, args, out)
	}
	if len(args) > 0 {
		node, err := s.NodeID(strings.Join(args, " "))
		if err != nil {
			return err
		}
		before := *s.Scope
		s.Scope.goroutine, s.Scope.frame = node+1, 0
		frames, err := s.framesHere(ctx)
		if err != nil {
			*s.Scope = before
			return err
		}
		for _, f := range frames {
			if f.Number == 0 {
				fmt.Fprintf(out, "  %s in %s\n", s.Run.Node(node), frameText(f))
			}
		}
		return nil
	}
	reply, err := s.inspect(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		return err
	}
	selected, err := s.selected(ctx, "")
	if err != nil {
		return err
	}
	at := selected.Goroutine
	for _, g := range reply.Goroutines {
		mark := " "
		if g.Number == at {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %s in %s\n", mark, s.Run.Node(g.Number-1), frameText(g.At))
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
func (s *Session) each(ctx context.Context, args []string, f func(valueAt) bool) error {
	if len(args) == 0 {
		return cmdline.Usagef("which expression?")
	}
	frames, err := s.framesHere(ctx)
	if err != nil {
		return err
	}
	r, err := s.selected(ctx, inspect.Evaluate)
	if err != nil {
		return err
	}
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
	for step := s.firstValue(); step <= s.Run.Len()+s.firstValue(); step++ {
		reply, err := s.inspectAt(ctx, min(step, s.Run.Len()), step > s.Run.Len(), r)
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

// Watch lists the steps between which the value of an expression changes.
func (s *Session) Watch(ctx context.Context, args []string, out *bytes.Buffer) error {
	now, changes := "", 0
	err := s.each(ctx, args, func(v valueAt) bool {
		switch {
		case v.err != nil || v.text == now:
			return true
		case now == "":
			fmt.Fprintf(out, "  %s step %d: %s\n", s.side(), v.step, v.text)
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

// firstValue is the first step of a sweep: 1, or in a system 0.
func (s *Session) firstValue() int {
	if s.Run.Whole == nil {
		return 0
	}
	return 1
}

// side is the side of a step on which the debugger stops.
func (s *Session) side() string {
	if s.Run.Whole == nil {
		return "after"
	}
	return "before"
}

// between describes the time between a step and the one before it, or in a system the step.
func (s *Session) between(step int) string {
	if s.Run.Whole == nil {
		t, err := s.Run.Trace(step)
		if err != nil {
			return fmt.Sprintf("in step %d", step)
		}
		return fmt.Sprintf("in step %d (%s)", step, s.Run.Sentence(step, t))
	}
	text := fmt.Sprintf("between steps %d and %d", step-1, step)
	if step > s.Run.Len() {
		text = fmt.Sprintf("after step %d", step-1)
	}
	t, err := s.Run.Trace(step - 1)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, s.Run.Sentence(step-1, t))
}

// When goes to the first step at which a condition holds.
func (s *Session) When(ctx context.Context, args []string, out *bytes.Buffer) error {
	found, wrong := -1, ""
	err := s.each(ctx, args, func(v valueAt) bool {
		if v.err == nil && v.text != "true" && v.text != "false" {
			wrong = v.text
			return false
		}
		if v.text == "true" {
			found = v.step
		}
		return found < 0
	})
	switch {
	case err != nil:
		return err
	case wrong != "":
		return fmt.Errorf("the value %s is not true or false", wrong)
	case found < 0:
		fmt.Fprintf(out, "it holds %s no step\n", s.side())
		return nil
	}
	if err := s.To(found, out); err != nil {
		return err
	}
	if s.Scope.ended = s.Run.Whole != nil && found > s.Run.Len(); s.Scope.ended {
		fmt.Fprintln(out, "  it holds only at the end of the run, after this step")
	}
	return nil
}

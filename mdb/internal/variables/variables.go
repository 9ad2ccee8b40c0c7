// Package variables executes the debugger's commands about real variables, which another process reads.
package variables

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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
	line      int  // number of the line in the handler of the step, from 1 on; 0 means where the handler returns
	ended     bool // the run has continued after its last step
}

// Session is the part of a debugging session that the commands need.
type Session struct {
	Kind
	Run     *history.Run
	Opened  *history.Run // the run of the file
	Node    int          // selected node; -1 means none
	Scope   *Scope
	Inspect func(ctx context.Context, run string, r inspect.Request) (*inspect.Reply, error) // see mdb.Config
	To      func(step int, out *bytes.Buffer) error                                          // goes to a step
	// Code returns a line of the source. It is empty if the file is not at hand.
	Code   func(file string, line int) string
	NodeID func(word string) (int, error)
}

// Kind is the kind of the run of a session: [OfSystem] or [OfTest].
type Kind interface {
	// execution returns what the debugger executes.
	execution(s *Session) (execution, error)
	// selectBy selects what words name: a goroutine, or also a node.
	selectBy(s *Session, words []string) error
}

// inStep names a step of a system.
func (s *Session) inStep(step int) string {
	return s.withSentence(fmt.Sprintf("in step %d", step), step)
}

// withSentence adds the sentence of a step to a text.
func (s *Session) withSentence(text string, step int) string {
	t, err := s.Run.Trace(step)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, s.Run.Sentence(t))
}

// move moves the debugger before an operation, or to a state.
func (s *Session) move(ctx context.Context, operation int) error {
	_, err := s.Inspect(ctx, s.Run.Name, inspect.Request{Action: inspect.Move, Operation: uint64(operation)})
	return err
}

// inspect executes a request where the variables of the current step are shown.
func (s *Session) inspect(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
	x, err := s.execution(s)
	if err == nil {
		err = x.enter(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.Inspect(ctx, s.Run.Name, r)
}

// selected returns a request with the selected goroutine and frame.
func (s *Session) selected(ctx context.Context, action string) (r inspect.Request, err error) {
	x, err := s.execution(s)
	if err != nil {
		return r, err
	}
	r = inspect.Request{Action: action, Frame: s.Scope.frame}
	r.Goroutine, err = x.goroutine(ctx)
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
		fmt.Fprintf(out, "  no %s\n", map[string]string{inspect.Locals: `local variables: "args" shows the arguments`, inspect.Arguments: "arguments"}[how])
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

// Finish lists the goroutines at the end of the run of a test, to whose last step the session has moved.
func (s *Session) Finish(ctx context.Context, out *bytes.Buffer) error {
	s.Scope.ended = true
	return s.SelectGoroutine(ctx, nil, out)
}

// SelectGoroutine lists the goroutines, or selects one.
func (s *Session) SelectGoroutine(ctx context.Context, args []string, out *bytes.Buffer) error {
	before := *s.Scope
	err := s.selectBy(s, args)
	if err == nil {
		err = s.listGoroutines(ctx, out)
	}
	if err != nil {
		*s.Scope = before
	}
	return err
}

func (s *Session) listGoroutines(ctx context.Context, out *bytes.Buffer) error {
	x, err := s.execution(s)
	if err != nil {
		return err
	}
	return x.goroutines(ctx, out)
}

// show writes goroutines with their places, or only the selected one. The mark is at the one whose variables are shown.
func (s *Session) show(list []inspect.Goroutine, marked int, name func(number int) string, out *bytes.Buffer) {
	for _, g := range list {
		mark := " "
		if g.Number == marked {
			mark = "*"
		} else if s.Scope.goroutine > 0 {
			continue
		}
		held := ""
		if g.Held {
			held = ", held back by the schedule"
		}
		fmt.Fprintf(out, "%s %s in %s%s\n", mark, name(g.Number), frameText(g.At), held)
	}
}

// valueAt is the value of an expression at a position.
type valueAt struct {
	position
	text string
	err  error // the expression cannot be evaluated
}

// each evaluates an expression at each position of a sweep, until f returns false.
func (s *Session) each(ctx context.Context, x execution, args []string, f func(valueAt) bool) error {
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
	some, stopped := false, false
	err = x.sweep(ctx, func(p position) bool {
		reply, err := s.Inspect(ctx, s.Run.Name, r)
		v := valueAt{position: p, err: err}
		if err == nil {
			some, v.text = true, reply.Values[0].Text
		}
		stopped = !f(v)
		return !stopped && ctx.Err() == nil
	})
	if err = cmp.Or(ctx.Err(), err); err == nil && !some && !stopped {
		return unknown
	}
	return err
}

// Watch lists the positions between which the value of an expression changes.
func (s *Session) Watch(ctx context.Context, args []string, out *bytes.Buffer) error {
	x, err := s.execution(s)
	if err != nil {
		return err
	}
	now, changes := "", 0
	err = s.each(ctx, x, args, func(v valueAt) bool {
		switch {
		case v.err != nil || v.text == now:
			return true
		case now == "":
			fmt.Fprintf(out, "  %s: %s\n", x.at(v.position), v.text)
		default:
			fmt.Fprintf(out, "  %s: %s -> %s\n", x.since(v.position), now, v.text)
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

// When goes to the first position at which a condition holds.
func (s *Session) When(ctx context.Context, args []string, out *bytes.Buffer) error {
	x, err := s.execution(s)
	if err != nil {
		return err
	}
	var found *position
	wrong := ""
	err = s.each(ctx, x, args, func(v valueAt) bool {
		switch {
		case v.err == nil && v.text == "true":
			found = &v.position
		case v.err == nil && v.text != "false":
			wrong = v.text
		}
		return found == nil && wrong == ""
	})
	switch {
	case err != nil:
		return err
	case wrong != "":
		return fmt.Errorf("the value %s is not true or false", wrong)
	case found == nil:
		fmt.Fprintln(out, x.nowhere())
		return nil
	}
	return x.arrive(*found, out)
}

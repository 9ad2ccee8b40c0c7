package variables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/inspect"
)

// OfTest is the kind of recorded runs of tests.
type OfTest struct{}

func (OfTest) execution(s *Session) (execution, error) {
	if s.Inspect == nil {
		return nil, errors.New("the test cannot be executed in a debugger here")
	}
	return test{s}, nil
}

func (OfTest) selectBy(s *Session, words []string) error {
	if len(words) == 0 {
		return nil
	}
	n, err := s.NodeID(strings.Join(words, " "))
	s.Scope.goroutine, s.Scope.frame = n+1, 0
	return err
}

// test is the execution of a test. Its variables are shown before the operation of a step.
type test struct{ *Session }

func (x test) enter(ctx context.Context) error {
	if x.Run.At == 0 {
		return errors.New("no operation is executed at step 0; \"critical\", \"end\" or a number goes to a step that has variables")
	}
	return x.to(ctx, position{step: x.Run.At, ended: x.Scope.ended})
}

// to moves the debugger to a position.
func (x test) to(ctx context.Context, p position) error {
	err := x.move(ctx, p.step)
	if err == nil && p.ended {
		_, err = x.Inspect(ctx, x.Run.Name, inspect.Request{Action: inspect.Continue})
	}
	return err
}

func (x test) goroutine(context.Context) (int, error) {
	if x.Scope.goroutine == 0 && x.Run.At > 0 {
		return int(x.Run.Step(x.Run.At).Ev.Node) + 1, nil
	}
	return x.Scope.goroutine, nil
}

func (x test) goroutines(ctx context.Context, out *bytes.Buffer) error {
	reply, err := x.inspect(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		return err
	}
	at, err := x.goroutine(ctx)
	if err != nil {
		return err
	}
	x.show(reply.Goroutines, at, func(n int) string { return x.Run.Node(n - 1) }, out)
	return nil
}

func (x test) sweep(ctx context.Context, f func(position) bool) error {
	for step := 1; step <= x.Run.Len()+1; step++ {
		p := position{step: min(step, x.Run.Len()), ended: step > x.Run.Len()}
		if err := x.to(ctx, p); err != nil {
			return err
		}
		if !f(p) {
			return nil
		}
	}
	return nil
}

func (x test) at(p position) string {
	if p.ended {
		return "at the end"
	}
	return fmt.Sprintf("before step %d", p.step)
}

func (x test) since(p position) string {
	if p.ended {
		return x.withSentence(fmt.Sprintf("after step %d", p.step), p.step)
	}
	return x.withSentence(fmt.Sprintf("between steps %d and %d", p.step-1, p.step), p.step-1)
}

func (test) nowhere() string { return "it holds before no step" }

func (x test) arrive(p position, out *bytes.Buffer) error {
	err := x.To(p.step, out)
	if x.Scope.ended = p.ended; err == nil && p.ended {
		fmt.Fprintln(out, "  it holds only at the end of the run, after this step")
	}
	return err
}

package variables

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/inspect"
)

// program is the execution of a node's program. Its variables are shown after a step.
type program struct {
	*Session
	node int
}

// A state is numbered like the step after it.
func (x program) enter(ctx context.Context) error { return x.move(ctx, x.Run.At+1) }

func (x program) goroutine(ctx context.Context) (int, error) {
	n := x.Scope.goroutine
	if n == 0 {
		list, err := x.list(ctx)
		if err != nil {
			return 0, err
		}
		n = defaultGoroutine(list)
	}
	return inspect.OfNode(x.node, n), nil
}

// list returns the goroutines of the program, with their numbers in it.
func (x program) list(ctx context.Context) ([]inspect.Goroutine, error) {
	reply, err := x.inspect(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		return nil, err
	}
	var list []inspect.Goroutine
	for _, g := range reply.Goroutines {
		if at, n := inspect.NodeOf(g.Number); at == x.node {
			list = append(list, inspect.Goroutine{Number: n, At: g.At, Held: g.Held})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no goroutines here", x.Run.Node(x.node))
	}
	return list, nil
}

// defaultGoroutine returns the goroutine that the schedule holds back, or else the first one that executes code outside the standard
// library.
func defaultGoroutine(list []inspect.Goroutine) int {
	n := slices.IndexFunc(list, func(g inspect.Goroutine) bool { return g.Held })
	if n < 0 {
		n = slices.IndexFunc(list, func(g inspect.Goroutine) bool { return g.Own() })
	}
	return list[max(n, 0)].Number
}

func (x program) goroutines(ctx context.Context, out *bytes.Buffer) error {
	list, err := x.list(ctx)
	if err != nil {
		return err
	}
	there := func(g inspect.Goroutine) bool { return g.Number == x.Scope.goroutine }
	if x.Scope.goroutine > 0 && !slices.ContainsFunc(list, there) {
		return fmt.Errorf("%s has no goroutine g%d here", x.Run.Node(x.node), x.Scope.goroutine)
	}
	x.show(list, cmp.Or(x.Scope.goroutine, defaultGoroutine(list)), func(n int) string {
		return fmt.Sprintf("%s g%d", x.Run.Node(x.node), n)
	}, out)
	return nil
}

func (x program) sweep(ctx context.Context, f func(position) bool) error {
	for step := range x.Run.Len() + 1 {
		if err := x.move(ctx, step+1); err != nil {
			return err
		}
		if !f(position{step: step}) {
			return nil
		}
	}
	return nil
}

func (x program) at(p position) string    { return fmt.Sprintf("after step %d", p.step) }
func (x program) since(p position) string { return x.inStep(p.step) }
func (program) nowhere() string           { return "it holds after no step" }

func (x program) arrive(p position, out *bytes.Buffer) error { return x.To(p.step, out) }

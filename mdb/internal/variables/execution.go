package variables

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/inspect"
)

// execution is what the debugger executes: a test, a program that runs as a node, or the handlers of a node.
type execution interface {
	// enter moves the debugger to where the variables of the current step are shown.
	enter(ctx context.Context) error
	// goroutine returns the selected goroutine, as in requests.
	goroutine(ctx context.Context) (int, error)
	// goroutines lists the goroutines, or if one is selected only this one.
	goroutines(ctx context.Context, out *bytes.Buffer) error
	// sweep moves the debugger through the run and calls f at each position, until f returns false.
	sweep(ctx context.Context, f func(position) bool) error
	// at describes a position, with a preposition, and since the time between the position before and this one.
	at(p position) string
	since(p position) string
	// nowhere describes that a condition holds at none of the positions.
	nowhere() string
	// arrive makes a position the current one.
	arrive(p position, out *bytes.Buffer) error
}

// position is a position at which variables are read.
type position struct {
	step  int
	ended bool   // at the end of the run of a test, after its last step
	line  int    // in a handler, as in Scope
	place string // of the line that was executed before, in a handler
}

func frameText(f inspect.Frame) string {
	if f.Function == "" {
		return "the runtime"
	}
	return f.Function[strings.LastIndexByte(f.Function, '/')+1:] + " at " + placeOf(f)
}

func placeOf(f inspect.Frame) string { return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line) }

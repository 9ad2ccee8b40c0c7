package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/macemc/macemc/cmd/macemc/internal/gotest"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/task"
)

// inspection executes the run of a system in a debugger, in a process of its own.
type inspection struct {
	*binary
	check  listedCheck
	task   task.Task
	client *inspect.Client // nil means that the debugger was not started
}

// inspect implements [mdb.Inspector].
func (x *inspection) inspect(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
	d, ok := x.task.(*task.Debug)
	if !ok || d.File == "" {
		return nil, errors.New("variables are shown for the file of a run")
	}
	if x.client == nil || x.client.Closed() {
		if err := x.open(ctx, d.File); err != nil {
			return nil, err
		}
	}
	return x.client.Call(ctx, r)
}

// open builds the tests of the package without optimization, and starts the debugger.
func (x *inspection) open(ctx context.Context, file string) error {
	program, err := findProgram(inspect.Program)
	if err != nil {
		return err
	}
	changed := overlay.Build{}
	if len(x.env) > 0 {
		if changed, err = overlay.Prepare(ctx, x.Dir); err != nil {
			return err
		}
	}
	if d, ok := x.task.(*task.Debug); ok && d.Batch { // elsewhere a screen may be in the way
		defer task.AnnounceLong(x.a.Stderr, "building the tests of "+x.ImportPath+" without optimization, to read variables")()
	}
	test := filepath.Join(x.temp.Path, "debugged.test")
	args := append([]string{"test", "-c", "-o", test}, gotest.Debuggable(true, x.a.buildFlags(changed))...)
	if _, err := x.a.goCommand(ctx, x.Dir, changed.Env, append(args, ".")); err != nil {
		return err
	}
	order, err := x.a.Order(&task.Inspected{File: file}, x.check.Listed)
	if err != nil {
		return err
	}
	order.Listed.Test = x.check.goTest
	text, err := json.Marshal(order)
	if err != nil {
		return err
	}
	x.client, err = inspect.Open(ctx, func(ctx context.Context, socket string, output io.Writer) error {
		like := x.command(task.RunPattern(x.check.goTest), task.DriveVar, string(text))
		cmd := exec.CommandContext(ctx, program, append([]string{socket, test}, like.Args[1:]...)...)
		cmd.Dir, cmd.Env = like.Dir, append(like.Env, inspect.VariableNodes+"=1")
		cmd.Stdout, cmd.Stderr = output, output
		return cmd.Run()
	})
	return err
}

// close ends the debugger.
func (x *inspection) close() {
	if x.client != nil {
		x.client.Close()
	}
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/cmd/macemc/internal/gotest"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/task"
)

// inspection executes the run of a system in a debugger, in a process of its own.
type inspection struct {
	*binary
	check   listedCheck
	task    task.Task
	client  *inspect.Client // nil means that the debugger is not running
	process *child.Process  // nil means that it has not started
	output  strings.Builder
}

// inspect implements [mdb.Inspector].
func (x *inspection) inspect(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
	d, ok := x.task.(*task.Debug)
	if !ok || d.File == "" {
		return nil, errors.New("variables are shown for the file of a run")
	}
	if x.client == nil {
		if err := x.open(ctx, d.File); err != nil {
			x.close()
			return nil, err
		}
	}
	reply, err := x.client.Call(ctx, r)
	if err != nil && (ctx.Err() != nil || inspect.Lost(err)) {
		x.close()
		if text := strings.TrimSpace(x.output.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
	}
	return reply, err
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
		defer task.AnnounceLong(x.a.Stderr, "macemc: building the tests of "+x.ImportPath+" without optimization, to read variables")()
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
	if x.client, err = inspect.Listen(); err != nil {
		return err
	}
	like := x.command(task.RunPattern(x.check.goTest), task.DriveVar, string(text))
	cmd := exec.Command(program, append([]string{x.client.Socket(), test}, like.Args[1:]...)...)
	cmd.Dir, cmd.Env = like.Dir, append(like.Env, inspect.VariableNodes+"=1")
	cmd.Stdout, cmd.Stderr = &x.output, &x.output
	if x.process, err = child.Start(cmd); err != nil {
		return err
	}
	_ = x.process.Orders.Close()
	if err := x.client.Accept(ctx, x.process.Ended); err != nil {
		x.process.Kill()
		return fmt.Errorf("the run was not executed: %w: %s", err, strings.TrimSpace(x.output.String()))
	}
	return nil
}

// close ends the debugger.
func (x *inspection) close() {
	if x.client == nil {
		return
	}
	x.client.End()
	if x.process != nil {
		x.process.Kill()
	}
	x.client.Close()
	x.client, x.process = nil, nil
	os.Remove(filepath.Join(x.temp.Path, "debugged.test"))
}

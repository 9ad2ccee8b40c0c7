package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Task is a command to execute on a system.
type Task interface {
	// Validate makes the checks of the task that need no system.
	Validate() error
	// Do executes the task. An error of type [Exit] has already been reported.
	Do(ctx context.Context, p *Process) error
}

// Given lists the flags of a task that were given. The others have their defaults.
type Given []string

// Has reports whether the flag of that name was given.
func (g Given) Has(flag string) bool { return slices.Contains(g, flag) }

// Exit is the exit status of a command that has already reported everything.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Screen shows a session of the debugger until the user quits or ctx is done. The error states why it cannot. Only
// cmd/macemc implements it.
type Screen func(ctx context.Context, s mdb.Debugger, o ScreenOptions) error

// ScreenOptions set the appearance of a screen.
type ScreenOptions struct {
	NoColor bool
	Text    string // the first output; an empty string means none
}

// Process is the environment shared by tasks: their input and output, and how they start fresh processes.
type Process struct {
	Systems        []spec.Entry // the systems that this process can check
	Stdin          io.Reader    // nil means none
	Stdout, Stderr io.Writer
	Terminal       bool           // Stderr is a terminal
	Style          document.Style // of Stdout
	Program        string         // the command that calls the program
	Screen         Screen
	NoScreen       string           // why there is no Screen; an empty string means that there is one
	Respawn        func() *exec.Cmd // nil means that everything happens in this process
	Role           isolate.Role     // the purpose of this process
	// Cluster prepares a search by the workers of a server. nil means that this process has no workers.
	Cluster func(c Cluster, job ClusterJob) (table.Explorer, error)
	// WriteTest writes a test that replays the path in a file, and returns its name. It is nil outside the process of
	// a test. In such a process, the test's system is the only one.
	WriteTest func(pathFile string) (string, error)

	// Package is the folder of the test's package. It is empty outside the process of a test.
	Package string
	// OtherVersions lists the modules built into the test in other versions than its module requires.
	OtherVersions []report.OtherVersion

	printed   string                      // see Order
	kill      <-chan struct{}             // closed to end at once
	interrupt atomic.Pointer[func() bool] // called on Ctrl-C, which ends the command if it returns false; nil means none
}

// ExitStatus reports the error of a task, which may be nil, and returns the exit status.
func (p *Process) ExitStatus(ctx context.Context, err error) int {
	var status Exit
	switch {
	case err == nil:
		return exitcode.OK
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		p.fail(fmt.Errorf("stopped: %w", context.Cause(ctx)))
	default:
		p.fail(err)
	}
	return exitcode.OfError(ctx, err)
}

// fail prints an error in one line, followed by the stack if it is a panic of the checker.
func (p *Process) fail(err error) {
	text := textfmt.Printable(strings.TrimPrefix(err.Error(), "macemc: "))
	fmt.Fprintf(p.Stderr, "macemc: %s\n", strings.Join(strings.Split(text, "\n"), "; "))
	if fault, ok := errors.AsType[*defect.Error](err); ok {
		fmt.Fprintln(p.Stderr, fault.Stack)
	}
}

// StatusError returns the error that ends a task with that status. err is an error of the output, or nil. It does not
// replace a status other than OK.
func (p *Process) StatusError(ctx context.Context, status int, err error) error {
	if err != nil {
		p.fail(err)
		if status == exitcode.OK {
			status = exitcode.OfError(ctx, err)
		}
	}
	if status == exitcode.OK {
		return nil
	}
	return Exit(status)
}

// Entry returns the system of that name. The process of a test has only one.
func (p *Process) Entry(name string) (spec.Entry, error) {
	if p.WriteTest != nil {
		return p.Systems[0], nil
	}
	e, err := spec.Find(p.Systems, name)
	if err != nil {
		if info, e := os.Stat(name); e == nil && info.IsDir() {
			err = fmt.Errorf("%w; for the package in that folder, use ./%s", err, filepath.ToSlash(name))
		}
	}
	return e, err
}

// WriteJSON writes exactly one object and a newline.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// knownProperty returns an error for a name that no property or monitor has.
func knownProperty(sys *sim.System, name string) error {
	names := []string{sim.AssertionProperty}
	for _, p := range sys.Properties {
		names = append(names, p.Name)
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	monitors := sys.MonitorNames()
	if slices.Contains(monitors, name) || slices.Contains(monitors, "monitor "+name) {
		return nil
	}
	return textfmt.Unknown(fmt.Sprintf("system %q: unknown property", sys.Name), name, append(names, monitors...))
}

// number is a flag with the least value that can be given. The default may be less.
type number struct {
	flag  string
	value int
	least int
}

type numbers []number

// check returns an error for a given value that is too small, or for too many workers.
func (all numbers) check(given Given) error {
	for _, n := range all {
		if given.Has(n.flag) && n.value < n.least {
			return fmt.Errorf("--%s is %d, must be at least %d", n.flag, n.value, n.least)
		}
		if n.flag == "workers" && n.value > runs.MaxWorkers {
			return TooManyWorkers(n.value)
		}
	}
	return nil
}

// TooManyWorkers returns the error for more workers than are useful.
func TooManyWorkers(n int) error {
	return fmt.Errorf("--workers is %d, must be at most %d: each needs memory and 2 MB of temporary files, and more workers "+
		"than cores (%d) do not speed up the search", n, runs.MaxWorkers, runtime.NumCPU())
}

// walkNumbers returns the flags of walks from a run.
func walkNumbers(o *check.WalkOptions) numbers {
	return numbers{{"walks", o.Walks, 1}, {"walk-steps", o.WalkSteps, 1}, {"workers", o.Workers, 1}, {"seed", int(min(o.Seed, 1)), 1}}
}

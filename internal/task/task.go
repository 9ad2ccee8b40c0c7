// Package task executes what a command line asks for on a system: in the program for bundled systems, and in the
// binary of a package's tests for those that only it holds. A task is a value that can be sent there as JSON.
// Nothing here depends on command lines and terminals. Only the program has a [Front], which draws the debugger;
// a test binary calls it over a pipe.
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
	"slices"
	"strings"
	"sync/atomic"

	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Task is something to do with a system.
type Task interface {
	// Validate checks what can be checked without a system.
	Validate() error
	// Do does it. An error of type [Exit] has been told of already.
	Do(ctx context.Context, p *Process) error
}

// Given are the flags of a task that were given. What the others hold are defaults.
type Given []string

// Has reports whether the flag of that name was given.
func (g Given) Has(flag string) bool { return slices.Contains(g, flag) }

// Exit is the exit status of a command that has said all there is to say.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Front draws the debugger. Only cmd/macemc implements it.
type Front interface {
	// Screen shows a session on the terminal until the user quits or ctx is done. The error says why there is no screen.
	Screen(ctx context.Context, s mdb.Debugger, o ScreenOptions) error
}

// ScreenOptions set how a screen looks.
type ScreenOptions struct {
	NoColor bool
	Text    string // the first output; "": none
}

// Process is what tasks share: where they write, and how they start fresh processes.
type Process struct {
	Systems        []spec.Entry // what can be checked in this process
	Stdin          io.Reader    // nil: there is none
	Stdout, Stderr io.Writer
	Terminal       bool           // Stderr is one
	Style          document.Style // of Stdout
	Program        string         // how to call the program
	Front          Front
	NoScreen       string           // why Front has no screen; "": it has one
	Respawn        func() *exec.Cmd // nil: everything happens in this process
	Role           isolate.Role     // what this process is there for
	// Cluster prepares a search by the workers at a server. Nil: there are none of this process.
	Cluster func(c Cluster, job ClusterJob) (search.Elsewhere, error)
	// WriteTest writes a test that follows the path in a file, and returns its name. It is nil in a process that is
	// not one of a test; in one that is, the system of the test is the only one.
	WriteTest func(pathFile string) (string, error)

	// OtherVersions are those that the test was built with instead of what its module requires.
	OtherVersions []report.OtherVersion

	kill      <-chan struct{} // closed: end at once
	interrupt atomic.Pointer[func() bool]
	ballast   []byte // see collectSeldom
}

// End tells of the error of a task, which may be nil, and returns the exit status.
func (p *Process) End(ctx context.Context, err error) int {
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

// fail says what is wrong, in one line. The stack of a fault of the checker follows.
func (p *Process) fail(err error) {
	text := textfmt.Printable(strings.TrimPrefix(err.Error(), "macemc: "))
	fmt.Fprintf(p.Stderr, "macemc: %s\n", strings.Join(strings.Split(text, "\n"), "; "))
	if fault, ok := errors.AsType[*defect.Error](err); ok {
		fmt.Fprintln(p.Stderr, fault.Stack)
	}
}

// Ended is the error that makes a task end with that status, after an error, which may be nil, in telling of it.
// The error does not take the place of what was found out.
func (p *Process) Ended(ctx context.Context, status int, err error) error {
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

// Entry returns the system of that name; the only one in the process of a test.
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

// knownProperty refuses names that no property and no monitor has.
func knownProperty(sys *sim.System, name string) error {
	if name == "" || name == sim.AssertionProperty {
		return nil
	}
	names := []string{sim.AssertionProperty}
	for _, p := range sys.Properties {
		if p.Name == name {
			return nil
		}
		names = append(names, p.Name)
	}
	for _, m := range sys.MonitorNames() {
		if m == name || m == "monitor "+name {
			return nil
		}
		names = append(names, m)
	}
	return spec.Unknown(fmt.Sprintf("system %q: unknown property", sys.Name), name, names)
}

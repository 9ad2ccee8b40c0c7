package exitcode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
)

// Exit statuses of all commands.
const (
	OK           = 0
	Violation    = 1
	Usage        = 2
	Inconclusive = 3
	Resource     = 4
	Interrupted  = 128 + int(syscall.SIGINT)
	Terminated   = 128 + int(syscall.SIGTERM)
)

// statuses explains each exit status, in the order of the table.
var statuses = []struct {
	status int
	means  string
}{
	{OK, "nothing found within the bounds"},
	{Violation, "a violation was found, even if the search was interrupted afterwards"},
	{Usage, "bad usage or input, or output that cannot be written"},
	{Inconclusive, "inconclusive: a suspect could not be confirmed, the search stopped before\ncompleting a depth or a walk, or before liveness if only that is checked,\nor a program does what is not simulated"},
	{Resource, "out of memory or disk, or an error of the checker itself; the report shows\nwhat was covered up to that point"},
	{Interrupted, "interrupted by SIGINT (Ctrl-C) before anything was found"},
	{Terminated, "interrupted by SIGTERM or SIGHUP before anything was found"},
}

// Table explains the exit statuses, one a line.
func Table() string {
	var b strings.Builder
	for _, s := range statuses {
		fmt.Fprintf(&b, "  %3d  %s\n", s.status, strings.ReplaceAll(s.means, "\n", "\n       "))
	}
	return b.String()
}

// Of returns the exit status of a verdict. For [search.Interrupted], interrupted is the cause of the done context; it
// may be nil.
func Of(v search.Verdict, interrupted error) int {
	switch v {
	case search.OK:
		return OK
	case search.Violation:
		return Violation
	case search.OutOfResource:
		return Resource
	case search.Interrupted:
		var by *Interruption
		if errors.As(interrupted, &by) && by.Signal != os.Interrupt {
			return Terminated
		}
		return Interrupted
	}
	return Inconclusive
}

// Killed returns the exit status for a process that was ended by a signal, as shells do.
func Killed(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return Resource
}

// OfError returns the exit status of an error. ctx is the context of the operation that returned it.
func OfError(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return Of(search.Interrupted, context.Cause(ctx))
	case OutOfResource(err), defect.Is(err):
		return Resource
	case errors.Is(err, ErrDiffers):
		return Inconclusive
	}
	if _, ok := errors.AsType[*simext.NotSimulated](err); ok {
		return Inconclusive
	}
	return Usage
}

// OutOfResource reports whether an error is due to a lack of memory, disk space or file descriptors.
func OutOfResource(err error) bool {
	var space *flight.NoSpaceError
	if errors.As(err, &space) {
		return true
	}
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.ENOMEM, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// ErrDiffers is the error of a path file whose finding is a nondeterminism, if the path does not replay. The
// nondeterminism may be the reason.
var ErrDiffers = errors.New(
	"the file records a nondeterminism: executions of the path differ, or code or settings have changed since the run was written")

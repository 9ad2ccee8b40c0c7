package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/search"
)

// Exit statuses of the command line, those of all commands.
const (
	StatusOK           = 0
	StatusViolation    = 1
	StatusUsage        = 2
	StatusInconclusive = 3
	StatusResource     = 4
	StatusInterrupted  = 128 + int(syscall.SIGINT)
	StatusTerminated   = 128 + int(syscall.SIGTERM)
)

// statuses explains each exit status, in the order of the table.
var statuses = []struct {
	status int
	means  string
}{
	{StatusOK, "nothing found within the bounds"},
	{StatusViolation, "a violation was found, even if the search was interrupted afterwards"},
	{StatusUsage, "bad usage or input, or output that cannot be written"},
	{StatusInconclusive, "inconclusive: a suspect could not be confirmed, or the search stopped before\ncompleting a depth or a walk, or before liveness if only that is checked"},
	{StatusResource, "out of memory or disk, or an error of the checker itself; the report shows\nwhat was covered up to that point"},
	{StatusInterrupted, "interrupted by SIGINT (Ctrl-C) before anything was found"},
	{StatusTerminated, "interrupted by SIGTERM before anything was found"},
}

// StatusTable explains the exit statuses, one a line.
func StatusTable() string {
	var b strings.Builder
	for _, s := range statuses {
		fmt.Fprintf(&b, "  %3d  %s\n", s.status, strings.ReplaceAll(s.means, "\n", "\n       "))
	}
	return b.String()
}

// Status is the exit status that tells of a verdict. interrupted is the cause of the context that was done when that is
// [search.Interrupted]; it may be nil.
func Status(v search.Verdict, interrupted error) int {
	switch v {
	case search.OK:
		return StatusOK
	case search.Violation:
		return StatusViolation
	case search.OutOfResource:
		return StatusResource
	case search.Interrupted:
		var by *Interruption
		if errors.As(interrupted, &by) && by.Signal == syscall.SIGTERM {
			return StatusTerminated
		}
		return StatusInterrupted
	}
	return StatusInconclusive
}

// ErrorStatus is the exit status that tells of an error; ctx is that of what ended with it.
func ErrorStatus(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return StatusOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return Status(search.Interrupted, context.Cause(ctx))
	case OutOfResource(err), Faulty(err):
		return StatusResource
	case errors.Is(err, errDiffers):
		return StatusInconclusive
	}
	return StatusUsage
}

// Faulty reports whether an error is a [FaultError].
func Faulty(err error) bool {
	_, ok := errors.AsType[*FaultError](err)
	return ok
}

// OutOfResource reports whether an error says that memory or disk did not do.
func OutOfResource(err error) bool {
	var room *flight.NoRoom
	if errors.As(err, &room) {
		return true
	}
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.ENOMEM, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Interruption is the cause with which a context is cancelled because of a signal.
type Interruption struct{ Signal os.Signal }

func (i *Interruption) Error() string {
	name := i.Signal.String()
	switch i.Signal {
	case syscall.SIGINT:
		name = "SIGINT (Ctrl-C)"
	case syscall.SIGTERM:
		name = "SIGTERM"
	}
	return "interrupted by " + name
}

// The words with which a process tells another one to stop.
const (
	interruptWord = "interrupt"
	terminateWord = "terminate"
)

// stopWord is the word for the cause of a context that is done.
func stopWord(cause error) string {
	var by *Interruption
	if errors.As(cause, &by) && by.Signal == syscall.SIGTERM {
		return terminateWord
	}
	return interruptWord
}

// stopCause is the cause that a word stands for.
func stopCause(word string) error {
	if word == terminateWord {
		return &Interruption{syscall.SIGTERM}
	}
	return &Interruption{os.Interrupt}
}

package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/check/flight"
	"github.com/macemc/macemc/search"
)

func TestStatus(t *testing.T) {
	term, intr := &check.Interruption{Signal: syscall.SIGTERM}, &check.Interruption{Signal: os.Interrupt}
	for _, c := range []struct {
		verdict search.Verdict
		stopped string
		cause   error
		want    int
	}{
		{search.OK, search.StoppedTime, nil, 0},
		{search.OK, search.StoppedMemory, nil, 4},
		{search.Violation, search.StoppedFound, nil, 1},
		{search.Violation, search.StoppedInterrupted, intr, 1},
		{search.Violation, search.StoppedMemory, nil, 1},
		{search.Inconclusive, search.StoppedTime, nil, 3},
		{search.Inconclusive, check.StoppedDisk, nil, 4},
		{search.Interrupted, search.StoppedInterrupted, intr, 130},
		{search.Interrupted, search.StoppedInterrupted, term, 143},
		{search.Interrupted, search.StoppedInterrupted, nil, 130},
	} {
		if got := check.Status(c.verdict, c.stopped, c.cause); got != c.want {
			t.Errorf("%s, stopped by %s, %v: %d, want %d", c.verdict, c.stopped, c.cause, got, c.want)
		}
		if !strings.Contains(check.StatusTable(), fmt.Sprintf("  %3d  ", c.want)) {
			t.Errorf("%d is not in the table", c.want)
		}
	}
}

func TestErrorStatus(t *testing.T) {
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(&check.Interruption{Signal: syscall.SIGTERM})
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{t.Context(), nil, 0},
		{t.Context(), errors.New("no such system"), 2},
		{t.Context(), &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, 4},
		{t.Context(), fmt.Errorf("search: %w", &flight.NoRoom{Err: errors.New("full")}), 4},
		{stopped, fmt.Errorf("building: %w", context.Canceled), 143},
		{stopped, errors.New("no such system"), 2},
	} {
		if got := check.ErrorStatus(c.ctx, c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

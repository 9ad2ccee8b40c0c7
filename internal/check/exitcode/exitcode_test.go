package exitcode_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
)

func TestStatus(t *testing.T) {
	term, intr := &exitcode.Interruption{Signal: syscall.SIGTERM}, &exitcode.Interruption{Signal: os.Interrupt}
	for _, c := range []struct {
		found      bool
		stopped    string
		conclusive bool
		cause      error
		verdict    search.Verdict
		status     int
	}{
		{false, stats.StoppedTime, true, nil, search.OK, 0},
		{false, stats.StoppedMemory, true, nil, search.OutOfResource, 4},
		{false, stats.StoppedMemory, false, nil, search.OutOfResource, 4},
		{true, stats.StoppedFound, true, nil, search.Violation, 1},
		{true, stats.StoppedInterrupted, true, intr, search.Violation, 1},
		{true, stats.StoppedMemory, false, nil, search.Violation, 1},
		{false, stats.StoppedTime, false, nil, search.Inconclusive, 3},
		{false, stats.StoppedStuck, false, nil, search.Inconclusive, 3},
		{false, stats.StoppedDisk, false, nil, search.OutOfResource, 4},
		{false, stats.StoppedInterrupted, true, intr, search.Interrupted, 130},
		{false, stats.StoppedInterrupted, false, term, search.Interrupted, 143},
		{false, stats.StoppedInterrupted, true, nil, search.Interrupted, 130},
	} {
		v := search.Conclude(c.found, c.stopped, c.conclusive)
		if got := exitcode.Of(v, c.cause); v != c.verdict || got != c.status {
			t.Errorf("found %t, stopped by %s, conclusive %t, %v: %s, %d; want %s, %d", c.found, c.stopped, c.conclusive, c.cause, v, got, c.verdict, c.status)
		}
		if !strings.Contains(exitcode.Table(), fmt.Sprintf("  %3d  ", c.status)) {
			t.Errorf("%d is not in the table", c.status)
		}
	}
}

func TestErrorStatus(t *testing.T) {
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(&exitcode.Interruption{Signal: syscall.SIGTERM})
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{t.Context(), nil, 0},
		{t.Context(), errors.New("no such system"), 2},
		{t.Context(), &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, 4},
		{t.Context(), fmt.Errorf("search: %w", &flight.NoSpaceError{Err: errors.New("full")}), 4},
		{stopped, fmt.Errorf("building: %w", context.Canceled), 143},
		{stopped, errors.New("no such system"), 2},
	} {
		if got := exitcode.OfError(c.ctx, c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

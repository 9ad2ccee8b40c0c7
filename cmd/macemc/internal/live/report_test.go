package live

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
)

// A signal ends slow work, whether it comes before or during it, and keeps the results so far.
func TestPatient(t *testing.T) {
	for _, before := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		if before {
			cancel()
		}
		if !patient(ctx, time.Hour, func() {}) {
			t.Error("not waited for")
		}
		block, began := make(chan struct{}), make(chan struct{})
		go func() {
			<-began
			cancel()
		}()
		if patient(ctx, time.Millisecond, func() { close(began); <-block }) {
			t.Error("it has not returned, and was waited for")
		}
		close(block)
	}
}

// For a run that was not merged, no property is reported to hold, and the exit status is that of the signal.
func TestUnmergedIsNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&exitcode.Interruption{Signal: syscall.SIGTERM})
	for _, asJSON := range []bool{true, false} {
		var out bytes.Buffer
		x := &fleet{a: &task.Process{Stdout: &out, Stderr: &out, Program: "macemc"}, flags: &options{json: asJSON}}
		x.report.Recording = "rec"
		if err := x.unmerged(ctx); err != task.Exit(exitcode.Terminated) {
			t.Errorf("%v", err)
		}
		var r Report
		switch {
		case !asJSON && !strings.Contains(out.String(), "not merged, and nothing was checked\n  merge:  macemc replay rec\n"):
			t.Error(out.String())
		case asJSON && (json.Unmarshal(out.Bytes(), &r) != nil || r.Verdict != "interrupted" || r.Live || len(r.Notes) != 1):
			t.Error(out.String())
		}
	}
}

// Evaluating the recordings delays neither actions nor the end.
func TestDue(t *testing.T) {
	begun := time.Now()
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	x := &fleet{begun: begun}
	for _, c := range []struct {
		actions   []scheduledAction
		end, want time.Time
	}{
		{nil, at(5), at(5)},
		{[]scheduledAction{{at: 3 * time.Second}, {at: 4 * time.Second}}, at(5), at(3)},
		{[]scheduledAction{{at: 6 * time.Second}}, at(5), at(5)},
	} {
		if got := x.due(c.actions, c.end); !got.Equal(c.want) {
			t.Errorf("%v: %v, want %v", c.actions, got, c.want)
		}
	}
}

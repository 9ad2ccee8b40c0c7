package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// deafNetwork never returns from the second datagram.
type deafNetwork struct{ sim.Network }

// deafSign is a file that is written at the place that does not return.
func deafSign() string { return filepath.Join(os.Getenv("CHECK_TEST_DIR"), "deaf") }

func (n deafNetwork) Start(host netmodel.Host) netmodel.Model {
	return &deafModel{Parted: n.Network.(netmodel.Network).Start(host).(netmodel.Parted)}
}

type deafModel struct {
	netmodel.Parted
	sent int
}

func (m *deafModel) Reset() { m.sent = 0; m.Parted.Reset() }

func (m *deafModel) SendDatagram(from, to sim.NodeID, msg netmodel.Message) {
	if m.sent++; m.sent == 2 {
		_ = os.WriteFile(deafSign(), nil, 0o600)
		select {}
	}
	m.Parted.SendDatagram(from, to, msg)
}

// A search blocked in unsupervised code is killed at its last limit, or some time after a request to stop. A report
// describes that.
func TestSearchThatDoesNotStop(t *testing.T) {
	if testing.Short() {
		t.Skip("waits")
	}
	for _, c := range []struct {
		strategy string
		limit    time.Duration // of the search
		verdict  search.Verdict
		status   int
	}{
		{"dfs exact none 2", 100 * time.Millisecond, search.Inconclusive, exitcode.Inconclusive},
		{"deepening", 100 * time.Millisecond, search.Inconclusive, exitcode.Inconclusive},
		{"bfs exact none 1", time.Hour, search.Interrupted, exitcode.Terminated},
		{"bfs exact none 1", 0, search.Interrupted, exitcode.Terminated},
	} {
		t.Run(fmt.Sprint(c.strategy, " ", c.limit), func(t *testing.T) {
			t.Setenv(statesVar, c.strategy)
			t.Setenv(harmVar, "network")
			t.Setenv(timeVar, c.limit.String())
			t.Setenv("CHECK_TEST_DIR", t.TempDir())
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.verdict == search.Interrupted {
				time.AfterFunc(2*time.Second, func() {
					for t.Context().Err() == nil { // it would stop before that
						if _, err := os.Stat(deafSign()); err == nil {
							cancel(&exitcode.Interruption{Signal: syscall.SIGTERM})
							return
						}
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
			var stdout, stderr bytes.Buffer
			s := isolate.Supervisor{Respawn: harmed("network"), Stdout: &stdout, Stderr: &stderr, Workers: 2, StopLimit: time.Second}
			began := time.Now()
			out, err := s.Run(ctx)
			if !errors.Is(err, isolate.ErrUnresponsive) {
				t.Fatalf("%v, %+v, %s%s", err, out, stdout.String(), stderr.String())
			}
			if took := time.Since(began); took < 2*time.Second || took > 5*time.Minute {
				t.Errorf("it took %v", took)
			}
			within := "no response within 1s after the request to stop"
			if c.verdict != search.Interrupted {
				within = "no response within 4.7s, the time limit"
			}
			rep := check.ReportLost(testOptions(meanSystem("network")), out, err)
			if rep.Verdict != c.verdict || exitcode.Of(rep.Verdict, context.Cause(ctx)) != c.status ||
				!strings.Contains(rep.Message, within) || !strings.Contains(rep.Message, "network model may not have returned") {
				t.Errorf("%s: %q", rep.Verdict, rep.Message)
			}
			if rep.Seconds < 2 {
				t.Errorf("%v seconds are known", rep.Seconds)
			}
		})
	}
}

// timeVar is the time limit of the search process.
const timeVar = "CHECK_TEST_TIME"

func timeOf(s *search.Config) {
	if limit, err := time.ParseDuration(os.Getenv(timeVar)); err == nil {
		s.Time = limit
	}
}

// The supervisor waits for a search that is slow but stops, or that does work without a time limit.
func TestSearchThatStopsLate(t *testing.T) {
	if testing.Short() {
		t.Skip("waits")
	}
	t.Setenv(harmVar, "block")
	t.Setenv(timeVar, "100ms")
	t.Setenv("CHECK_TEST_DIR", t.TempDir())
	var stdout, stderr bytes.Buffer
	s := isolate.Supervisor{Respawn: harmed("block"), Stdout: &stdout, Stderr: &stderr, Workers: 1,
		HandlerLimit: handlerLimit("block"), StopLimit: 2 * time.Second}
	if out, err := s.Run(t.Context()); err != nil { // confirming takes seconds
		t.Errorf("%v, %+v, %s", err, out, stderr.String())
	}
}

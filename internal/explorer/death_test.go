package explorer

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// If no process can be started after one has died, the note does not state that others have passed.
func TestSeparately_NotStarted(t *testing.T) {
	s, n := &Settings{summary: map[string]*summary.Test{}}, 0
	s.fresh = func(*Config, execution) *testsched.Outcome {
		if n++; n == 1 {
			return passes()
		}
		s.unstarted = errors.New("no room for processes")
		return nil
	}
	if r := separately(&Settings{summary: map[string]*summary.Test{}, fresh: func(*Config, execution) *testsched.Outcome { return nil }},
		&Config{Schedules: 3}, "killed"); r == nil || !strings.HasSuffix(r.Note, "(killed), for a reason that was not examined: no new process executed the test in time") {
		t.Errorf("got %+v", r)
	}
	if r := separately(s, &Config{}, "killed"); r == nil || !strings.HasSuffix(r.Note, "for a reason that was not examined: no room for processes") {
		t.Errorf("got %+v", r)
	}
}

// A run that exceeds its limit in a process of its own is not the failure. The runs after it may be longer, as may those of an exploration
// whose runs are long.
func TestFirstFailure_Long(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		limit uint64
		want  []uint64 // the limits of the first processes
	}{
		{0, []uint64{0, 1000}},
		{(&lengths{hurried: 700}).unhurriedLimit(), []uint64{7000, 7000}},
		{(&lengths{limit: 900}).unhurriedLimit(), []uint64{900, 900}},
	} {
		var got []uint64
		s := &Settings{summary: map[string]*summary.Test{}}
		s.fresh = func(_ *Config, e execution) *testsched.Outcome {
			got = append(got, e.drawn.Limit)
			if len(got) == 1 {
				return &testsched.Outcome{Kind: testsched.NoEnd, Points: 100}
			}
			return passes()
		}
		report, passed := firstFailure(s, &Config{Schedules: 3}, 0, c.limit, func(*testsched.Outcome) bool { return false })
		if report != nil || passed != 2 || !slices.Equal(got[:2], c.want) {
			t.Errorf("limit %d: got %+v, %d passed, limits %d", c.limit, report, passed, got)
		}
	}
	d := unconfirmed{}
	if d.add(&testsched.Schedule{}, &testsched.Outcome{Kind: testsched.NoEnd}); d.fresh != nil {
		t.Errorf("got %+v, although a longer run may pass", d.fresh)
	}
}

package explorer

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched/program"

	"github.com/macemc/macemc/internal/testsched"
)

// The output and the status of a process that has died describe its run.
func TestDeath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	stack := "\ngoroutine 7 [running]:\nruntime.throw({0x1, 0x2})\n\t" + program.Root + "runtime/panic.go:1229 +0x48\nexample.org/x.(*T).m(0xc0)\n\t/x/a.go:12 +0x1a\n" +
		"example.org/x.TestX(...)\n\t/x/x_test.go:9\ncreated by testing.(*T).Run in goroutine 1\n\t/r/testing.go:1 +0x1\n\ngoroutine 1 [sleep]:\n"
	for _, c := range []struct {
		command, output, message, where string
		kind                            testsched.Kind
	}{
		{"exit 2", "fatal error: fault\n[signal SIGSEGV]\n" + stack, "fatal error: fault", "a.go:12", testsched.Panic},
		{"exit 2", "panic: late [recovered]\n" + stack, "late [recovered]", "a.go:12", testsched.Panic},
		{"exit 2", "panic: \n\t\n\tassert: mock: none\n" + stack, "assert: mock: none", "a.go:12", testsched.Panic},
		{"exit 2", "panic: why:\n" + stack, "why:", "a.go:12", testsched.Panic},
		{"exit 3", "", "os.Exit(3) was called", "", testsched.Exit},
		{"exit 2", "=== RUN\n" + testsched.Disconnected + ": bad file descriptor\n", "the connection to the explorer fails: bad file descriptor", "",
			testsched.Exit},
		{"kill -9 $$", "", "the process ended (signal: killed)", "", testsched.Exit},
	} {
		cmd := exec.Command("sh", "-c", c.command)
		_ = cmd.Run()
		o := death(cmd.ProcessState, c.output, []testsched.Switch{{Who: 1, Place: 2, To: 3}})
		if o == nil || o.Kind != c.kind || o.Message != c.message || o.Where != c.where || !slices.Equal(o.Switches,
			[]testsched.Switch{{Who: 1, Place: 2, To: 3}}) {
			t.Errorf("%s, %q: got %+v", c.command, c.output, o)
		}
	}
	cmd := exec.Command("sh", "-c", "exit 2")
	_ = cmd.Run()
	if o := death(cmd.ProcessState, "panic: test timed out after 1m0s\n", nil); o != nil {
		t.Errorf("a slow process: got %+v", o)
	}
}

// If no process can be started after one has died, the note does not state that others have passed.
func TestSeparately_NotStarted(t *testing.T) {
	s, n := &Settings{summary: map[string]*Summary{}}, 0
	s.fresh = func(*Config, execution) *testsched.Outcome {
		if n++; n == 1 {
			return passes()
		}
		s.unstarted = errors.New("no room for processes")
		return nil
	}
	if r := separately(&Settings{summary: map[string]*Summary{}, fresh: func(*Config, execution) *testsched.Outcome { return nil }},
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
		s := &Settings{summary: map[string]*Summary{}}
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

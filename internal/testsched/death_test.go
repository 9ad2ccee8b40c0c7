package testsched

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched/program"
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
		kind                            Kind
	}{
		{"exit 2", "fatal error: fault\n[signal SIGSEGV]\n" + stack, "fatal error: fault", "a.go:12", Panic},
		{"exit 2", "panic: late [recovered]\n" + stack, "late [recovered]", "a.go:12", Panic},
		{"exit 3", "", "os.Exit(3) was called", "", Exit},
		{"kill -9 $$", "", "the process ended (signal: killed)", "", Exit},
	} {
		cmd := exec.Command("sh", "-c", c.command)
		_ = cmd.Run()
		o := death(cmd.ProcessState, c.output, []Switch{{1, 2, 3}})
		if o == nil || o.Kind != c.kind || o.Message != c.message || o.Where != c.where || !slices.Equal(o.Switches, []Switch{{1, 2, 3}}) {
			t.Errorf("%s, %q: got %+v", c.command, c.output, o)
		}
	}
	cmd := exec.Command("sh", "-c", "exit 2")
	_ = cmd.Run()
	if o := death(cmd.ProcessState, "panic: test timed out after 1m0s\n", nil); o != nil {
		t.Errorf("a slow process: got %+v", o)
	}
}

// A run that exceeds its limit in a process of its own is not the failure. The runs after it may be longer, as may those of an exploration
// whose runs are long.
func TestFirstFailure_Long(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		limit uint64
		want  []string // the limits of the first processes
	}{
		{0, []string{"0", "1000"}},
		{(&lengths{hurried: 700}).unhurriedLimit(), []string{"7000", "7000"}},
		{(&lengths{limit: 900}).unhurriedLimit(), []string{"900", "900"}},
	} {
		var got []string
		s := &Settings{only: -1, summary: map[string]string{}}
		s.fresh = func(_ *Config, env ...string) *Outcome {
			for _, e := range env {
				if limit, ok := strings.CutPrefix(e, variableLimit+"="); ok {
					got = append(got, limit)
				}
			}
			if len(got) == 1 {
				return &Outcome{Kind: NoEnd, Points: 100}
			}
			return passes()
		}
		report, passed := firstFailure(s, &Config{Schedules: 3}, 0, c.limit, func(*Outcome) bool { return false })
		if report != nil || passed != 2 || !slices.Equal(got[:2], c.want) {
			t.Errorf("limit %d: got %+v, %d passed, limits %q", c.limit, report, passed, got)
		}
	}
	d := unconfirmed{}
	if d.add(&Schedule{}, &Outcome{Kind: NoEnd}); d.fresh != nil {
		t.Errorf("got %+v, although a longer run may pass", d.fresh)
	}
}

package agents

import (
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/testsched"
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

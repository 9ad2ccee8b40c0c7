package cli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// executing returns other processes in the working directory that have not ended, by the name of their program.
func executing() map[string][]int {
	here, _ := os.Getwd()
	found := map[string][]int{}
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		dir, _ := os.Readlink(link)
		exe, err := os.Readlink(filepath.Join(filepath.Dir(link), "exe"))
		if dir == here && pid != os.Getpid() && err == nil {
			found[filepath.Base(exe)] = append(found[filepath.Base(exe)], pid)
		}
	}
	return found
}

// The report says what has ended the go command or the tests, the exit status shows it, and no process outlives the command.
func TestTest_KilledFromOutside(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func TestX(t *testing.T) {
	os.WriteFile("began", nil, 0o600)
	for {
		if _, err := os.Stat("hold"); err != nil {
			break
		}
	}
`+manyOrders+`}
`)
	for _, c := range []struct {
		program, explores string // which is killed, and -schedules; with few of them, the first run ends after the signal
		by                syscall.Signal
		status            int
		want              []string // of the output
	}{
		{"go", "1000000000", syscall.SIGKILL, 128 + 9, []string{"macemc: go test ended early (signal: killed)\n"}},
		{"go", "1000000000", syscall.SIGTERM, exitcode.Terminated, []string{"macemc: go test ended early (signal: terminated)\n"}},
		{"go", "20", syscall.SIGQUIT, exitcode.Interrupted, []string{"interrupted\n"}}, // it awaits the tests
		{"x.test", "20", syscall.SIGKILL, exitcode.Violation, []string{"macemc: a process died (signal: killed) while it explored TestX of example.org/x; ",
			"TestX: a process ended during the exploration (signal: killed), for a reason that does not recur: "}},
		{"", "1000000000", syscall.SIGINT, exitcode.Interrupted, []string{"macemc: interrupted\n", "TestX: interrupted during the exploration\n"}},
	} {
		os.Remove("began")
		if c.explores == "20" {
			if err := os.WriteFile("hold", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			await(t, "began")
			if c.program == "" {
				cancel(&exitcode.Interruption{Signal: os.Interrupt})
			}
			for _, pid := range executing()[c.program] {
				syscall.Kill(pid, c.by)
			}
			os.Remove("hold")
		}()
		out, status := testCommand(ctx, "-count=1", "-explore-time=1h", "-schedules="+c.explores, ".")
		cancel(nil)
		if strings.Contains(out, "perhaps it was interrupted") { // go test saw the signal after it had printed the result
			c.status = exitcode.Violation
		}
		for _, want := range c.want {
			if status != c.status || !strings.Contains(out, want) {
				t.Errorf("%s, %v: status %d, want %d and %q in\n%s", c.program, c.by, status, c.status, want, out)
			}
		}
		if left := executing(); len(left) > 0 {
			t.Errorf("%s, %v: %v are executing", c.program, c.by, left)
		}
	}
}

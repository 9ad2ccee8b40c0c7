//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/cmd/macemc/internal/gotest"
)

const mainVar = "MACEMC_TEST_MAIN"

// TestMain makes this test binary act as the command, also for its own child processes.
func TestMain(m *testing.M) {
	if os.Getenv(mainVar) != "" || len(os.Args) > 1 && os.Args[1] == gotest.Exec {
		os.Exit(Main(Config{Systems: append(testSystems(), loops, slow, lagging, exits, busy, calling, wishes, lingers, departs)}, os.Args[1:]))
	}
	os.Exit(withShared(m.Run))
}

// command returns the real command as a process of its own.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], verbose(args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), mainVar+"=1")
	return cmd
}

// waiting runs subtests that mostly wait, some at a time: more than there are processors, which t.Parallel does not do.
type waiting struct {
	sync.WaitGroup
	room chan struct{}
}

func newWaiting() *waiting { return &waiting{room: make(chan struct{}, 5)} }

// run starts a subtest as soon as there is room for it.
func (w *waiting) run(t *testing.T, name string, f func(*testing.T)) {
	w.Go(func() {
		w.room <- struct{}{}
		defer func() { <-w.room }()
		t.Run(name, f)
	})
}

// A handler that does not return is reported, with its path, by a process that never executed it.
func TestDivergence(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for handlers that do not return")
	}
	t.Parallel()
	dir := t.TempDir()
	out, err := command(dir, "search", "randtree", "--bug", "RT1", "--handler-limit", "50ms", "--out", "out").CombinedOutput()
	if code := exitCode(err); code != 1 || !strings.Contains(string(out), "randtree with bug RT1: DIVERGENCE") {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	if long, short := stepsOf(t, filepath.Join(dir, "out", "original.path")), stepsOf(t, filepath.Join(dir, "out", "error.path")); short >= long {
		t.Errorf("shrunk from %d steps to %d", long, short)
	}
	out, err = command(dir, "replay", filepath.Join("out", "error.path")).CombinedOutput()
	if code := exitCode(err); code != 1 || !strings.Contains(string(out), "divergence: the handler did not return") {
		t.Errorf("replay: exit status %d\n%s", code, out)
	}
	out, err = command(dir, "critical", filepath.Join("out", "error.path")).CombinedOutput()
	if code := exitCode(err); code != 2 || !strings.Contains(string(out), "not a liveness violation") {
		t.Errorf("critical: exit status %d\n%s", code, out)
	}
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return 0
}

// The searching process resolves "last" to the file that the first process has found.
func TestLast_Respawn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	dir := t.TempDir()
	if out, err := command(dir, "search", "pingack", "--no-shrink", "--walks", "20", "--walk-steps", "200").CombinedOutput(); exitCode(err) != 1 {
		t.Fatalf("exit status %d\n%s", exitCode(err), out)
	}
	out, err := command(dir, "search", "--from", "last", "--no-shrink", "--walks", "20", "--walk-steps", "200").CombinedOutput()
	if code := exitCode(err); code != 1 || strings.Count(string(out), "macemc: last is ") != 1 {
		t.Errorf("exit status %d, want 1 and one line about last:\n%s", code, out)
	}
}

// The tests end soon after the command is killed.
func TestTest_Killed(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("builds the standard library the first time, and only Linux ends processes with their parent")
	}
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func TestX(t *testing.T) {
	os.WriteFile("process", nil, 0o600)`+manyOrders+`}
`)
	cmd := command(".", "test", "-count=1", "-explore-time=1h", "-schedules=1000000000", ".")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "process")
	cmd.Process.Kill()
	cmd.Wait()
	for began := time.Now(); ; {
		os.Remove("process")
		time.Sleep(500 * time.Millisecond)
		if _, err := os.Stat("process"); err != nil {
			return // no schedule was executed in this time
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the tests continue a minute after the command was killed")
		}
	}
}

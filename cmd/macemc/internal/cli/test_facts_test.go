package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// A run is the user's program on an ordinary machine: what a test observes of it is the same as with go test. Only tests that leave their
// process are not explored.
func TestTest_Facts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	dir := filepath.Join(t.TempDir(), "facts")
	if err := os.CopyFS(dir, os.DirFS("testdata/facts")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	leanBuilds(t)
	t.Setenv("GOMAXPROCS", "3") // with the other variable, a test compares what it sees
	t.Setenv("FACTS_GOMAXPROCS", "3")
	t.Setenv("OLDPWD", "/") // the environment must not name the checker
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", ".").CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
	out, status := testCommand(t.Context(), "-count=1", "-schedules=10", ".")
	if status != 0 || strings.Count(out, "not explored") != strings.Count(out, "TestOutside_") {
		t.Errorf("status %d:\n%s", status, out)
	}
	if n := explored(out); n < 150 {
		t.Errorf("%d facts are explored, want at least 150:\n%s", n, out)
	}
}

// explored returns the number of tests in the last line of a command's output.
func explored(out string) (n int) {
	if m := regexp.MustCompile(`schedules of (\d+) tests`).FindStringSubmatch(out); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	return n
}

// The clock of all processes of a command begins at one instant, the one of the command or of the schedule that it executes.
func TestTest_Instant(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"testing"
	"time"
)

var initialized = time.Now()

func TestNow(t *testing.T) {
	now := time.Now()
	if d := now.Round(0).Sub(initialized.Round(0)); d < 0 || d > time.Second {
		t.Error("not initialized now")
	}
	info, err := os.Stat("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	t.Error(now.UTC().Format(time.RFC3339Nano), now.Sub(info.ModTime()) < time.Hour)
}
`)
	file := filepath.Join("testdata", "macemc", "TestNow", "failed-test-1.path")
	begun := regexp.MustCompile(`FAILED TEST: x_test.go:20: (\S+) true\n`)
	before := time.Now()
	out, _ := testCommand(t.Context(), "-count=1", ".")
	m := begun.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no instant:\n%s", out)
	}
	if at, err := time.Parse(time.RFC3339Nano, m[1]); err != nil || at.Before(before) || at.After(time.Now()) {
		t.Errorf("the clock begins at %v, the command at %v (%v)", at, before, err)
	}
	for _, args := range [][]string{{"-schedule", file}, {"-count=1"}} { // the latter executes the saved schedule
		if out, status := testCommand(t.Context(), append(args, ".")...); status != 1 || !strings.Contains(out, m[0]) {
			t.Errorf("%v: status %d, want %q:\n%s", args, status, m[0], out)
		}
	}
	if err := os.RemoveAll("testdata"); err != nil {
		t.Fatal(err)
	}
	t.Setenv(testsched.VariableInstant, "1800000000123456789")
	if out, _ := testCommand(t.Context(), "-count=1", "."); !strings.Contains(out, "2027-01-15T08:00:00.123456989Z true\n") {
		t.Errorf("another instant than that of the environment:\n%s", out)
	}
}

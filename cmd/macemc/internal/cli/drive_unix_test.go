//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// If a signal ends or stops the process of the tests while a finding is shrunk, the finding keeps its exit status and is reported, with its
// file. The reason is the signal, which need not come from the checked code.
func TestDrive_Killed(t *testing.T) {
	dir := testModule(t)
	for _, c := range []struct {
		signal      syscall.Signal
		flags, want string
	}{
		{syscall.SIGKILL, "", `(?s)SAFETY VIOLATION .*SIGKILL ended it, sent by the checked code or from outside; what was found before is in \S*/error.path`},
		{syscall.SIGSEGV, "", `(?s)SIGSEGV: segmentation violation.*SAFETY VIOLATION .*exit status 2\), or a signal such as SIGSEGV, which may come from outside`},
		{syscall.SIGSTOP, "--json --time 1s", `(?s)"verdict": ?"violation".*"stopped": ?("found".*"path_file": ?"[^"]*/error.path"|"lost".*"path_file": ?"[^"]*/error.path".*a signal such as SIGSTOP had stopped it)`},
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			out, sign := fmt.Sprint("found", int(c.signal)), filepath.Join(t.TempDir(), "sign")
			t.Setenv("SLOW_FOUND", filepath.Join(dir, out, "error.path"))
			t.Setenv("SLOW_SIGN", sign)
			go func() {
				await(t, sign)
				text, err := os.ReadFile(sign)
				if err != nil {
					t.Error(err)
				}
				if pid, err := strconv.Atoi(string(text)); err != nil || pid <= 1 || syscall.Kill(pid, c.signal) != nil {
					t.Errorf("no process %q to send a signal to", text)
				}
			}()
			args := []string{"search", "./slow", "--tags", "check", "--strategy", "walk", "--out", out}
			said, status := runHere(t, dir, append(args, strings.Fields(c.flags)...)...)
			if !regexp.MustCompile(c.want).MatchString(said) || status != 1 {
				t.Errorf("exit status %d, want 1 and the finding with its file:\n%s", status, said)
			}
		})
	}
	if out, status := runHere(t, dir, "replay", "found9/error.path", "--tags", "check"); status != 1 {
		t.Errorf("replay: exit status %d, want 1:\n%s", status, out)
	}
}

// A process of the tests that does not reach its check is described by its state. The system is suspected only if the tests have ended.
func TestDrive_Unreached(t *testing.T) {
	dir := testModule(t)
	for _, c := range []struct {
		how, want string
		status    int
	}{
		{"kill", "before its work was done: SIGKILL ended it, sent by the checked code or from outside", 3},
		{"7", "before its work was done: the checked code ended it (exit status 7)", 3},
		{"1", "TestLate did not reach the system that it listed (exit status 1); does the system depend", 2},
	} {
		t.Setenv("LATE_START", c.how)
		if out, status := runHere(t, dir, "search", "./late", "--tags", "check"); !strings.Contains(out, c.want) || status != c.status {
			t.Errorf("%s: exit status %d, want %d and %q:\n%s", c.how, status, c.status, c.want, out)
		}
	}
}

// If checked code ends the process of the tests, with any exit status, a command is inconclusive and states the reason.
func TestDrive_Exits(t *testing.T) {
	dir := testModule(t)
	if out, status := runHere(t, dir, "search", "./late", "--tags", "check", "--out", "found"); status != 1 {
		t.Fatalf("search: exit status %d, want 1:\n%s", status, out)
	}
	for _, c := range []struct{ exit, args string }{
		{"0", "replay"}, {"0", "report --format json"}, {"0", "mdb --batch -x 1"}, {"0", "graph --format mermaid"}, {"0", "shrink"}, {"2", "replay"},
	} {
		t.Setenv("LATE_EXIT", c.exit)
		args := append(strings.Fields(c.args), "found/error.path", "--tags", "check")
		want := "before its work was done: the checked code ended it (exit status " + c.exit + ")\n"
		if c.exit == "2" {
			want = "before its work was done: the checked code ended it (exit status 2), or a signal such as SIGSEGV"
		}
		if out, status := runHere(t, dir, args...); !strings.Contains(out, want) || status != 3 {
			t.Errorf("%v: exit status %d, want 3 and %q:\n%s", args, status, want, out)
		}
	}

	// The process of the tests does not execute a run that ends the search's process.
	t.Setenv("LATE_EXIT", "0")
	for _, c := range []struct{ how, out, want string }{
		{"handler", "by-handler", `the handler ends the\s+process\s+with\s+exit status 7`},
		{"goroutine", "by-goroutine", `(?s)the handler, or a goroutine that the handler of step 2\s+started, ends the\s+process\s+with exit status 0` +
			`.*the process\s+died in or after step 6, which may not be the cause: 1 goroutine\s+that\s+earlier\s+handlers had started still ran`},
	} {
		t.Setenv("LATE_SEARCH", c.how)
		out, status := runHere(t, dir, "search", "./late", "--tags", "check", "--out", c.out)
		if !regexp.MustCompile(c.want).MatchString(out) || status != 1 {
			t.Errorf("%s: exit status %d, want 1 and %s:\n%s", c.how, status, c.want, out)
		}
	}
	t.Setenv("LATE_EXIT", "")
	t.Setenv("LATE_SEARCH", "none")
	for _, name := range []string{"by-handler", "by-goroutine"} {
		out, status := runHere(t, dir, "mdb", filepath.Join(name, "error.path"), "--tags", "check", "--batch", "-x", "6")
		if !strings.Contains(out, "step 6 of 6") || status != 0 {
			t.Errorf("mdb %s: exit status %d, want 0 and the last step:\n%s", name, status, out)
		}
	}
}

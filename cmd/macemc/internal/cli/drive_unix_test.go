//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// If the process of the tests is killed while a finding is shrunk, the finding keeps its exit status and is reported, with its file.
func TestDrive_Killed(t *testing.T) {
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"text": {nil, `(?s)SAFETY VIOLATION .*signal: killed; what was found before is in \S*found/error.path`},
		"JSON": {[]string{"--json"}, `(?s)"verdict": ?"violation".*"path_file": ?"[^"]*found/error.path"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testModule(t)
			found, sign := filepath.Join(dir, "found"), filepath.Join(t.TempDir(), "sign")
			t.Setenv("SLOW_FOUND", filepath.Join(found, "error.path"))
			t.Setenv("SLOW_SIGN", sign)
			go func() {
				await(t, sign)
				text, err := os.ReadFile(sign)
				if err != nil {
					t.Error(err)
				}
				if pid, err := strconv.Atoi(string(text)); err != nil || pid <= 1 || syscall.Kill(pid, syscall.SIGKILL) != nil {
					t.Errorf("no process %q to kill", text)
				}
			}()
			out, status := runHere(t, dir, append([]string{"search", "./slow", "--tags", "check", "--strategy", "walk", "--out", "found"}, c.flags...)...)
			if !regexp.MustCompile(c.want).MatchString(out) || status != 1 {
				t.Errorf("exit status %d, want 1 and the finding with its file:\n%s", status, out)
			}
			if out, status := runHere(t, dir, "replay", "found/error.path", "--tags", "check"); status != 1 {
				t.Errorf("replay: exit status %d, want 1:\n%s", status, out)
			}
		})
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
		want := "before its work was done: the checked code ended it (exit status " + c.exit + ")"
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

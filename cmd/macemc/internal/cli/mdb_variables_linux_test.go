package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/test/golden"
)

// debugger builds the debugger and puts it on PATH.
func debugger(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the debugger, and the standard library without optimization")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "../../../"+inspect.Program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// inCopy changes to a copy of a folder of testdata, and returns the path of testdata.
func inCopy(t *testing.T, name string) (files string) {
	t.Helper()
	files, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(files, name))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return files
}

// processes returns the processes whose command line contains a text.
func processes(t *testing.T, text string) (list []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && bytes.Contains(line, []byte(text)) { // others have ended
			list = append(list, string(line))
		}
	}
	return list
}

// The variables of a test are shown at any step, also backwards, and what explains a finding is among them. Nothing is left running.
func TestMdb_Variables(t *testing.T) {
	debugger(t)
	files := inCopy(t, "debugged")
	for name, script := range map[string]string{
		"deadlock": "critical; goroutine; frame; locals; back; locals; finish; goroutine g2; frame; print b; set a = b",
		"leak":     "3; goroutine; print results; finish; goroutine g3; print i; frame 5",
		"failed": "critical; print old; print n; back; print n; 0; locals; goroutine g1; 1; goroutine g1; watch n; watch nothing; " +
			"when n == 1 && true; when n > 5; when n; print mu.x; print \"a;b\"; goroutine g9; finish; locals",
	} {
		out, _ := commandHere(t.Context(), "mdb", filepath.Join("schedules", name+".path"), "--batch", "-x", script)
		golden.CompareFile(t, filepath.Join(files, "debugged", name+"-variables.txt"), []byte(out))
	}
	if left := processes(t, "lease.test"); left != nil {
		t.Errorf("left running: %q", left)
	}
}

// Values are equal however often a session goes back and forth.
func TestMdb_VariablesAgain(t *testing.T) {
	debugger(t)
	inCopy(t, "debugged")
	const script = "critical; args; locals; print n; prev 3; goroutine g1; locals; end; print n"
	out, status := commandHere(t.Context(), "mdb", "schedules/failed.path", "--batch", "-x", strings.Repeat(script+"; ", 50))
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, out)
	}
	rounds := strings.Split(out, "(mdb) critical\n")[1:]
	if !strings.Contains(rounds[0], "n = 0") || len(rounds) != 50 {
		t.Errorf("%d rounds: %s", len(rounds), rounds[0])
	}
	if slices.Sort(rounds); rounds[0] != rounds[len(rounds)-1] {
		t.Errorf("%s\n---\n%s", rounds[0], rounds[len(rounds)-1])
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/testsched"
)

// last means the newest finding of the module, in every folder of the module.
func TestLast(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if _, stderr, status := run(t, "replay", "last"); status != 2 || !strings.Contains(stderr, "there is no finding in macemc-out, and this folder is not in a module") {
		t.Errorf("without a finding: exit status %d: %s", status, stderr)
	}
	var files []string
	for _, args := range [][]string{{"search", "pingack"}, {"search", "pingack", "--out", "found"}} {
		stdout, stderr, status := run(t, append(args, "--no-shrink", "--workers", "1", "--walks", "20", "--walk-steps", "200")...)
		_, look, _ := strings.Cut(stdout, "debug:        macemc mdb ")
		file, _, _ := strings.Cut(look, "\n")
		if status != 1 || file == "" {
			t.Fatalf("exit status %d: %s\n%s", status, stderr, stdout)
		}
		files = append(files, file)
	}
	at := func(file string, age time.Duration) {
		t.Helper()
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	means := func(folder, want string, args ...string) {
		t.Helper()
		t.Chdir(filepath.Join(dir, folder))
		stdout, stderr, status := run(t, args...)
		direct, _, wanted := run(t, append(append([]string{args[0]}, want), args[2:]...)...)
		if status != wanted || timeless(stdout) != timeless(direct) || stderr != "macemc: last is "+want+"\n" {
			t.Errorf("%v in %q: exit status %d, want %d: %s\n%s\nwant\n%s", args, folder, status, wanted, stderr, stdout, direct)
		}
	}
	at(files[0], time.Hour)
	at(files[1], 2*time.Hour)
	means("", files[0], "replay", "last")
	at(files[1], 0) // but outside of a module, findings elsewhere are not looked for
	means("", files[0], "replay", "last")

	for _, file := range []string{"go.mod", "own.path", ".cache/hidden/error.path"} { // neither of the paths is a finding
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("module example.com/m\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("below", 0o755); err != nil {
		t.Fatal(err)
	}
	up := filepath.Join("..", files[1])
	means("below", up, "replay", "last")
	means("below", up, "graph", "last")
	means("below", up, "mdb", "last", "--batch", "-x", "critical")
	means("below", up, "critical", "last", "--workers", "1", "--walks", "20", "--walk-steps", "200")
	means("below", up, "report", "last", "--format", "markdown", "--workers", "1", "--walks", "20", "--walk-steps", "200")
	means("below", up, "shrink", "last", "--workers", "1", "--walks", "20", "--walk-steps", "200")
	stdout, stderr, status := run(t, "search", "--workers", "1", "--no-shrink", "--walks", "20", "--walk-steps", "200", "--out", filepath.Join(t.TempDir(), "found"), "--from", "last")
	if want := "--from " + up; status != 1 || !strings.Contains(stderr, "last is "+up) || !strings.Contains(stdout, want) {
		t.Errorf("exit status %d, %q is missing: %s\n%s", status, want, stderr, stdout)
	}
}

// A schedule of a test counts, too, and is the only kind of finding that macemc test accepts.
func TestLast_Schedule(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	if _, err := (&schedulefile.Stored{Unit: testsched.Unit{Package: "example.com/m", Test: "TestX"}, Finding: "DEADLOCK: all wait"}).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	found := filepath.Join("testdata", "macemc", "TestX", "deadlock-1.path")
	for _, file := range []string{"go.mod", found, "testdata/regress/deadlock-1.path", "testdata/macemc/TestX/broken-1.path"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		content := text.String()
		if file == "go.mod" || strings.Contains(file, "broken") {
			content = "module m\n"
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "search", "pingack", "--workers", "1", "--no-shrink", "--walks", "5", "--walk-steps", "100")
	if _, stderr, _ := run(t, "graph", "last"); !strings.Contains(stderr, "last is macemc-out") {
		t.Errorf("the newest finding is that of the search, got %s", stderr)
	}
	if err := os.RemoveAll("macemc-out"); err != nil {
		t.Fatal(err)
	}
	if _, stderr, _ := run(t, "graph", "last"); !strings.Contains(stderr, "last is "+found) {
		t.Errorf("the newest finding is the schedule, got %s", stderr)
	}
}

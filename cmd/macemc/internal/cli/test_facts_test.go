package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A run is the user's program on an ordinary machine: what a test observes of it is the same as with go test.
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
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", ".").CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
	out, status := testCommand(t.Context(), "-count=1", "-schedules=20", ".")
	if status != 0 || strings.Contains(out, "not explored") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// macemc search and macemc test do not report a program that gives up after some retries, but do report a peer that answers only once. A
// run that was found is executed again with the timing of its file.
func TestRetries(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with the changed runtime")
	}
	leanBuilds(t)
	dir := testdata(t, "retries")
	const standard = "timing BoundedLiveness:100ms\n"
	for _, c := range []struct {
		name, flags string
		status      int
		timing      string // in the path file; an empty string means that there is none
	}{
		{"TestPatient", "--max-paths 300", 0, ""},
		{"TestPatient", "--max-paths 300 --timing ByDeadline", 1, "timing ByDeadline\n"},
		{"TestDeaf", "", 1, standard},
		{"TestDeaf", "--timing Bounded:70ms", 1, "timing Bounded:70ms\n"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		text, status := runHere(t, dir, append([]string{"search", ".:" + c.name, "--time", "20s", "--no-shrink", "--out", out}, strings.Fields(c.flags)...)...)
		if status != c.status {
			t.Errorf("search %s %s: exit status %d, want %d\n%s", c.name, c.flags, status, c.status, text)
		}
		file := filepath.Join(out, "error.path")
		path, err := os.ReadFile(file)
		if (err == nil) != (c.timing != "") || !strings.Contains(string(path), c.timing) {
			t.Errorf("search %s %s: %v, want %q in\n%s", c.name, c.flags, err, c.timing, path)
		}
		if err != nil {
			continue
		}
		if text, status := runHere(t, dir, "replay", file); status != 1 || !strings.Contains(text, "the finding that the file records recurs: deadlock: connected") {
			t.Errorf("replay: exit status %d\n%s", status, text)
		}
		if c.name == "TestDeaf" {
			continue // it fails with every timing
		}
		if text, status := runHere(t, dir, "test", "-explore=false", "-count=1", "-run", c.name+"$", ".", "-macemc.replay="+file); status != 1 ||
			!strings.Contains(text, "liveness: connected") {
			t.Errorf("test -macemc.replay: exit status %d\n%s", status, text)
		}
	}
	defer os.RemoveAll(filepath.Join(dir, "macemc-out"))
	text, status := runHere(t, dir, "test", "-explore=false", "-count=1", "-v", ".", "-macemc.max-paths=300", "-macemc.time=20s")
	for _, want := range []string{"--- PASS: TestPatient", "--- FAIL: TestDeaf", "loss 1 of 1 used, " + strings.TrimSpace(standard)} {
		if status != 1 || !strings.Contains(text, want) {
			t.Errorf("test: exit status %d, want %q in\n%s", status, want, text)
		}
	}
}

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// stepsOf returns the number of steps in the header of a path file.
func stepsOf(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, end, _ := strings.Cut(string(text), "\nend ")
	n, err := strconv.Atoi(strings.TrimSpace(end))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The command shrinks the original run to the result of the search: ping, its delivery, the loss of the acknowledgement, and a tail of 200
// steps.
func TestShrink(t *testing.T) {
	t.Chdir(t.TempDir())
	small := []string{"--workers", "1", "--walks", "5", "--walk-steps", "250"}
	if _, stderr, status := run(t, append([]string{"search", "pingack", "--timing", "ByDeadline", "--out", "out", "--seed", "3"}, small...)...); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	original, found := filepath.Join("out", "original.path"), filepath.Join("out", "error.path")
	stdout, stderr, status := run(t, append([]string{"shrink", original, "-o", "small.path", "--json"}, small...)...)
	var report struct {
		Verdict, Kind, Property string
		Steps                   int
		PathFile                string `json:"path_file"`
		Critical                struct{ Step int }
		Shrunk                  struct {
			FromSteps    int `json:"from_steps"`
			FromCritical int `json:"from_critical"`
			Candidates   int
			Minimal      bool
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	s := report.Shrunk
	if status != 1 || report.Verdict != "violation" || report.Kind != "liveness" || report.Property != "every ping is acknowledged" ||
		report.Steps != 203 || report.Critical.Step != 3 || report.PathFile != "small.path" {
		t.Errorf("exit status %d, %+v", status, report)
	}
	if s.FromSteps != stepsOf(t, original) || s.FromCritical <= 3 || s.Candidates == 0 || !s.Minimal || stepsOf(t, "small.path") != 203 {
		t.Errorf("got %+v, want a minimal run of 203 steps", s)
	}
	steps := func(file string) string {
		text, _ := os.ReadFile(file)
		_, rest, _ := strings.Cut(string(text), "\nnote ")
		_, rest, _ = strings.Cut(rest, "\n")
		return rest
	}
	if steps("small.path") != steps(found) {
		t.Errorf("the search made\n%s\nand the command\n%s", steps(found), steps("small.path"))
	}

	// Nothing is overwritten.
	if _, stderr, status := run(t, "shrink", original, "-o", found); status != 2 || !strings.Contains(stderr, "exists already") {
		t.Errorf("exit status %d, %q", status, stderr)
	}
	// Standard output receives a path that can be followed.
	if _, stderr, status := run(t, "shrink", original, "-o", filepath.Join("missing", "small.path"), "--walks", "1"); status != 2 || !strings.Contains(stderr, "--out: open missing/small.path: no such") {
		t.Errorf("exit status %d, %q", status, stderr)
	}
	if !testing.Short() {
		stdout, _, status = run(t, append([]string{"shrink", original}, small...)...)
		if err := os.WriteFile("stdout.path", []byte(stdout), 0o600); err != nil || status != 1 || steps("stdout.path") != steps("small.path") {
			t.Errorf("%v, exit status %d\n%s", err, status, stdout)
		}
	}
	// A run that recovers cannot be shrunk.
	stdout, stderr, status = run(t, "shrink", filepath.Join("out", "live.path"), "-o", "live-small.path")
	if _, err := os.Stat("live-small.path"); status != 0 || stdout != "" || !strings.Contains(stderr, "contains no violation") || err == nil {
		t.Errorf("exit status %d, %q, %q, %v", status, stdout, stderr, err)
	}
}

func TestNoShrink(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, stderr, status := run(t, "search", "pingack", "--workers", "1", "--no-shrink", "--walks", "20", "--walk-steps", "200", "--out", "out", "--json")
	if status != 1 || strings.Contains(stdout, `"shrunk"`) {
		t.Errorf("exit status %d, %s\n%s", status, stderr, stdout)
	}
	if _, err := os.Stat(filepath.Join("out", "original.path")); err == nil {
		t.Error("there is an original beside it")
	}
}

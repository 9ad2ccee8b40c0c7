package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/sim"
)

// Results in the log are not measured again unless another build wrote them, and the file names the measured part.
func TestMinimal_Resumes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	args := []string{"minimal", "--run", "^TP1$", "--seeds", "1-2", "--log", "log", "--markdown=minimal.md"}
	stdout, stderr, status := runUntil(t, t.Context(), args...)
	if status != exitcode.OK || strings.Count(stderr, "\n") != 2 || !strings.Contains(stdout, "2 runs of 1 of ") {
		t.Fatalf("exit status %d:\n%s%s", status, stdout, stderr)
	}
	first, err := os.ReadFile("minimal.md")
	if err != nil || !strings.Contains(string(first), "`go run ./evaluation minimal --run '^TP1$' --seeds 1-2 --markdown`") {
		t.Errorf("%v\n%s", err, first)
	}
	if _, stderr, status = runUntil(t, t.Context(), args...); status != exitcode.OK || stderr != "" {
		t.Errorf("resumed: exit status %d: %s", status, stderr)
	}
	if again, err := os.ReadFile("minimal.md"); err != nil || string(again) != string(first) {
		t.Errorf("resumed: %v\n%s\nwant\n%s", err, again, first)
	}
	log, err := os.ReadFile("log")
	if err != nil {
		t.Fatal(err)
	}
	var r minimalRun
	if err := json.Unmarshal([]byte(strings.SplitAfter(string(log), "\n")[0]), &r); err != nil || r.Found < r.Steps || r.Steps == 0 || !r.Minimal {
		t.Errorf("%+v, %v", r, err)
	}
	other := strings.ReplaceAll(string(log), r.Build, "another")
	if err := os.WriteFile("log", []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, _ = runUntil(t, t.Context(), args...); strings.Count(stderr, "\n") != 2 {
		t.Errorf("with the log of another build:\n%s", stderr)
	}
}

// Sizes are compared with the smallest known run, and missed goals are named.
func TestMinimal_Page(t *testing.T) {
	accepts := func(kinds ...sim.FindingKind) func(sim.FindingKind) bool {
		return func(k sim.FindingKind) bool {
			for _, kind := range kinds {
				if kind == k {
					return true
				}
			}
			return false
		}
	}
	m := &measurement{flags: &minimalFlags{run: "^X", seeds: "1-3", time: time.Minute}, known: 9, rows: []minimalRow{
		{system: "x", bug: "X1", accepts: accepts(sim.Safety), runs: []minimalRun{
			{Bug: "X1", Seed: 1, Kind: sim.Safety, Found: 30, Steps: 10, Minimal: true, Search: 1, Shrink: 4.9},
			{Bug: "X1", Seed: 2, Kind: sim.Safety, Found: 20, Steps: 16, Minimal: true, Search: 2, Shrink: 5.1},
			{Bug: "X1", Seed: 4, Kind: sim.Safety, Property: "other", Found: 30, Steps: 20, Minimal: true, Search: 2, Shrink: 1},
			{Bug: "X1", Seed: 3, Kind: sim.Panic, Found: 9, Steps: 5, Minimal: true, Search: 7, Shrink: 6},
		}},
		{system: "x", bug: "X2", accepts: accepts(sim.Liveness, sim.Deadlock), runs: []minimalRun{
			{Bug: "X2", Seed: 1, Kind: sim.Liveness, Found: 30, Steps: 4, Case: critical.Located},
			{Bug: "X2", Seed: 2, Kind: sim.Deadlock, Case: critical.Unlocated},
			{Bug: "X2", Seed: 3},
		}},
		{system: "y", bug: "X3", accepts: accepts(sim.Liveness), runs: []minimalRun{
			{Bug: "X3", Seed: 1, Kind: sim.Liveness, Case: critical.DeadFromStart, Minimal: true},
		}},
		{system: "y", bug: "X4", accepts: accepts(sim.Liveness), runs: []minimalRun{
			{Bug: "X4", Seed: 1, Kind: sim.Liveness, Case: critical.Located, Handler: "a.go", Found: 30, Steps: 10, Minimal: true},
			{Bug: "X4", Seed: 2, Kind: sim.Liveness, Case: critical.Located, Handler: "b.go", Found: 30, Steps: 20, Minimal: true},
		}},
	}}
	golden.Compare(t, "minimal.md", m.markdown())
	var b strings.Builder
	m.text(&b)
	golden.Compare(t, "minimal.txt", []byte(b.String()))
}

// All bugs in the list of smallest runs are known.
func TestSmallestKnown(t *testing.T) {
	known := map[string]bool{}
	for _, e := range allSystems() {
		for _, id := range e.BugIDs() {
			known[id] = true
		}
	}
	for id, runs := range smallestKnown {
		for violation, steps := range runs {
			if !known[id] || steps < 1 {
				t.Errorf("%s: known bug: %v, %s in %d steps", id, known[id], violation, steps)
			}
		}
	}
}

func TestMinimal_BadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"minimal --run (", "--run: error parsing regexp"},
		{"minimal --run nosuch", "no bug matches nosuch"},
		{"minimal --seeds 0", "has seed 0"},
		{"minimal --time 0s", "must be positive"},
		{"minimal --markdown", "no such file or directory"},
	} {
		stdout, stderr, status := runUntil(t, t.Context(), strings.Fields(c.args)...)
		if status != exitcode.Usage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit status %d\nstdout: %s\nstderr: %s\nwant:   %s", c.args, status, stdout, stderr, c.want)
		}
	}
}

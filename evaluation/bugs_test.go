package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func TestBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	stdout, stderr, status := runUntil(t, t.Context(), "bugs", "twophase", "--seeds", "1,4-5", "--json")
	if status != exitcode.OK {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	var list struct {
		Seeds []uint64
		Bugs  []bugRow
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, b := range list.Bugs {
		ids = append(ids, b.Bug)
		if b.System != "twophase" || b.FoundRuns != 3 || len(b.Runs) != 3 || len(b.Found) != 1 || b.Found[0] != b.Expected || b.Paths == 0 {
			t.Errorf("got %+v, want 3 runs that all found what is expected", b)
		}
		for i, r := range b.Runs {
			if r.Seed != []uint64{1, 4, 5}[i] || !r.AsKnown || r.Nodes == 0 || r.Stopped != "found" || r.Prefixes != nil {
				t.Errorf("%s: %+v", b.Bug, r)
			}
		}
	}
	if got := strings.Join(ids, " "); got != "TP1 TP2 TP3" {
		t.Errorf("bugs %s", got)
	}
	if strings.Count(stderr, "\n") != 10 || !strings.HasPrefix(stderr, "9 searches, one after the other, of at most 1m0s each: at most 9m0s") {
		t.Errorf("progress:\n%s", stderr)
	}
}

// A bug that is not found is shown as not found.
func TestBugsNotFound(t *testing.T) {
	stdout, _, status := runUntil(t, t.Context(), "bugs", "gossip", "--time", "1ns") // some thousand runs are needed
	missing := strings.Count(stdout, "NOT FOUND")                                    // a search executes a few runs before it looks at the clock
	if status != exitcode.Violation || missing == 0 || !strings.Contains(stdout, fmt.Sprintf("%d of 4 found as known", 4-missing)) {
		t.Errorf("exit status %d:\n%s", status, stdout)
	}
}

// When interrupted it still prints a table, and leaves a file unchanged.
func TestBugsInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bugs.md", []byte(bugsMark), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stdout, stderr, status := runUntil(t, ctx, "bugs", "brokentree", "--markdown=bugs.md")
	if status != exitcode.Interrupted || !strings.Contains(stdout, "0 of 0 found as known") ||
		!strings.Contains(stderr, "bugs.md is unchanged") {
		t.Errorf("exit status %d:\n%s%s", status, stdout, stderr)
	}
	if b, err := os.ReadFile("bugs.md"); err != nil || string(b) != bugsMark {
		t.Errorf("%q, %v", b, err)
	}
}

// The file is reproducible except for times. It overwrites only files that it wrote.
func TestBugsMarkdown(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Chdir(t.TempDir())
	args := []string{"bugs", "twophase", "--workers", "1", "--markdown=bugs.md"}
	var texts []string
	for range 2 {
		if _, stderr, status := run(t, args...); status != exitcode.OK {
			t.Fatalf("exit status %d: %s", status, stderr)
		}
		b, err := os.ReadFile("bugs.md")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(b), "\n")
		for i, line := range lines {
			if cells := strings.Split(line, " | "); len(cells) > 5 && strings.HasPrefix(line, "| TP") {
				cells[4], cells[5] = "TIME", "TIME"
				lines[i] = strings.Join(cells, " | ")
			}
		}
		text, _, _ := strings.Cut(strings.Join(lines, "\n"), "; longest median")
		texts = append(texts, text)
	}
	if texts[0] != texts[1] {
		t.Errorf("twice is not the same:\n%s\n%s", texts[0], texts[1])
	}
	if err := os.WriteFile("bugs.md", []byte("# My bugs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := run(t, args...)
	if status != exitcode.Usage || stdout != "" || !strings.Contains(stderr, "was not written by this command") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	if b, err := os.ReadFile("bugs.md"); err != nil || string(b) != "# My bugs\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// Medians are over the runs that found the bug as known; details are those of the first one.
func TestBugsSummary(t *testing.T) {
	bug := &spec.Bug{ID: "X1", Kind: sim.Liveness, PaperKind: sim.Liveness, OtherKinds: []sim.FindingKind{sim.Deadlock}}
	limits := sim.Limits{sim.Crashes: 1, sim.NetErrors: 2}
	tiny := 0.5
	r := bugRow{System: "x", Bug: "X1", Summary: "a <b> | c", Expected: sim.Liveness, Original: "1 h", bug: bug, Runs: []bugRun{
		{Seed: 1, Found: sim.Panic, Seconds: 9, Paths: 1000, Nodes: 3, Stopped: "found"},
		{Seed: 2, Found: sim.Liveness, AsKnown: true, Seconds: 4, CPU: 1.5, Paths: 10, States: 5, Depth: 3, Steps: 20, Nodes: 3, Limits: limits,
			Critical: &criticalRun{"C1", 7, "n0 receives X from n1", "child to join: 1 of 2"}, Prefixes: &prefixRun{16, 100, 120}},
		{Seed: 3, Seconds: 60, Paths: 99999, Nodes: 3, Limits: limits, Stopped: "time"},
		{Seed: 4, Found: sim.Deadlock, AsKnown: true, Seconds: 2, Paths: 1_234_567, States: 9, Depth: 4, Steps: 22, Nodes: 3, Limits: limits},
	}}
	missed := bugRow{System: "x", Bug: "X2", Summary: "never found", Expected: sim.Safety, bug: bug, Runs: []bugRun{
		{Seed: 1, Seconds: 60, Paths: 5, Nodes: 2, Stopped: "time"},
		{Seed: 2, Seconds: 61, Paths: 6, Nodes: 2, Stopped: "time"},
	}}
	v := bugRow{System: "x", Bug: "X1", How: "by hand", Flags: []string{"--property", "a b"}, Expected: sim.Liveness, bug: bug,
		Original: "6.5 h", Runs: []bugRun{{Seed: 1, Seconds: 3, Paths: 7, States: 2, Events: 8000, Depth: 25, Stopped: "complete", Omission: &tiny}}}
	h := &bugHunt{flags: &bugsFlags{seeds: "1-4", time: time.Minute, compare: true}, names: []string{"x"}, seeds: []uint64{1, 2, 3, 4},
		machine: "1 worker, by hand", rows: []bugRow{r, missed}, compared: []bugRow{v}}
	for _, r := range append(pointers(h.rows), pointers(h.compared)...) {
		r.summarise()
	}
	got := h.rows[0]
	if got.FoundRuns != 2 || got.Seconds.Min != 2 || got.Seconds.Median != 2 || got.Seconds.Max != 4 || got.Paths != 10 || got.Depth != 3 {
		t.Errorf("got %+v, want 2 runs that found it in 2 to 4 s, 10 paths, depth 3", got)
	}
	if want := []sim.FindingKind{sim.Deadlock, sim.Liveness, sim.Panic}; !slices.Equal(got.Found, want) {
		t.Errorf("found as %v", got.Found)
	}
	var b strings.Builder
	if err := h.text(&b); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "bugs.txt", []byte(b.String()))
	text := string(h.markdown())
	golden.Compare(t, "bugs.md", []byte(text))
	cells := 0
	for line := range strings.Lines(text) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n > 0 && cells > 0 && n != cells {
			t.Errorf("%d bars, the header has %d: %s", n, cells, line)
		}
		cells = n
	}
}

// The figures of the paper are for existing bugs, and the compared searches are meaningful.
func TestOriginals(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	known := map[string]string{}
	for _, e := range allSystems() {
		for _, id := range e.BugIDs() {
			known[id] = e.Name
		}
	}
	for id := range originals {
		if known[id] == "" {
			t.Errorf("there is no bug %s", id)
		}
	}
	for _, v := range variants {
		args := append([]string{"search", known[v.bug], "--bug", v.bug, "--max-paths", "1", "--json", "--workers", "1", "--out", t.TempDir()}, v.flags...)
		if _, stderr, status := run(t, args...); status == exitcode.Usage || stderr != "" {
			t.Errorf("%s: exit status %d: %s", strings.Join(args, " "), status, stderr)
		}
	}
}

// Errors in a command line are reported before the search.
func TestBugsBadInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct{ args, want string }{
		{"bugs pingack", "pingack: no known bugs"},
		{"bugs randtree --markdown plain", `unknown system "plain"`},
		{"bugs nosuch", `unknown system "nosuch"`},
		{"bugs pingack --time 0s", "--time is 0s, must be positive"},
		{"bugs pingack --seeds 0", `"0" has seed 0, must be at least 1`},
		{"bugs pingack --seeds 3-1", `"3-1" ends before it begins`},
		{"bugs pingack --seeds 1-", `"1-" is neither a number nor a range`},
		{"bugs pingack --seeds 1-3,2", "2 is given twice"},
		{"bugs pingack --seeds 1-1001", "more than 1000 seeds"},
		{"bugs pingack --seeds 1-18446744073709551615", "more than 1000 seeds"},
		{"bugs pingack pingack", `system "pingack" is given twice`},
		{"bugs pingack --workers -1", "--workers is -1, must not be negative"},
		{"bugs pingack --markdown", "no such file or directory"},
	} {
		stdout, stderr, status := runUntil(t, t.Context(), strings.Fields(c.args)...)
		if status != exitcode.Usage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit status %d\nstdout: %s\nstderr: %s\nwant:   %s", c.args, status, stdout, stderr, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, name := range []string{"bugs", "minimal", "tables mpbasset"} {
		stdout, stderr, status := run(t, strings.Fields(name+" --help")...)
		if status != 0 || stderr != "" {
			t.Errorf("%s --help: exit status %d, stderr %q", name, status, stderr)
		}
		golden.Compare(t, "help"+strings.ReplaceAll(name, " ", "-")+".txt", []byte(stdout))
		if !strings.Contains(stdout, "Examples:\n  go run ./evaluation "+name) {
			t.Errorf("%s --help has no examples", name)
		}
	}
}

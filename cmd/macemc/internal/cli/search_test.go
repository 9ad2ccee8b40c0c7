package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/systems/spec"
)

// These keys are a contract.
var reportKeys = []string{
	"system", "bugs", "seed", "verdict", "kind", "property", "message", "steps", "depth", "paths", "states", "events",
	"seconds", "path_file", "live_path_file", "critical.case", "critical.step", "critical.node", "critical.event",
	"critical.choice", "critical.walks", "critical.limit", "coverage.exhausted_depth", "coverage.complete",
	"coverage.omission_probability", "coverage.never_happened",
}

func TestSearchJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, stderr, status := run(t, "search", "pingack", "--workers", "1", "--walks", "20", "--walk-steps", "200", "--json")
	if status != 1 || stderr != "" {
		t.Fatalf("exit status %d, stderr %q", status, stderr)
	}
	var report map[string]any
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("standard output is not one JSON object: %v\n%s", err, stdout)
	}
	for _, key := range reportKeys {
		at := any(report)
		for name := range strings.SplitSeq(key, ".") {
			object, _ := at.(map[string]any)
			value, ok := object[name]
			if !ok {
				t.Errorf("no key %s", key)
			}
			at = value
		}
	}
	if report["verdict"] != "violation" || report["kind"] != "liveness" || report["property"] != "every ping is acknowledged" {
		t.Errorf("%v, %v, %v", report["verdict"], report["kind"], report["property"])
	}
	dir := filepath.Join("macemc-out", "pingack-every-ping-is-acknowledged-1")
	if report["path_file"] != filepath.Join(dir, "error.path") || report["live_path_file"] != filepath.Join(dir, "live.path") {
		t.Errorf("files %v, %v", report["path_file"], report["live_path_file"])
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"error.path", "live.path", "original.path", "report.html", "report.json", "report.md"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	saved, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil || string(saved) != stdout {
		t.Errorf("report.json is not what was printed: %v", err)
	}
}

func TestSearchText(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout, _, status := run(t, "search", "pingack", "--workers", "1", "--walks", "20", "--walk-steps", "250", "--out", "o u t")
	if status != 1 {
		t.Errorf("exit status %d", status)
	}
	for _, want := range []string{
		"pingack: LIVENESS VIOLATION", "every ping is acknowledged", "network loses Ack{", "0 of 20 random continuations recovered",
		"then, in a longer run: ", "nearest run that recovered", "macemc mdb 'o u t/error.path'",
		"macemc search pingack --walk-steps 250 --walks 20 --seed 1 --workers 1\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}

	stdout, _, status = run(t, "search", "pingack", "--loss", "0", "--depth", "12", "--workers", "1")
	if status != 0 || !strings.Contains(stdout, "nothing found") || !strings.Contains(stdout, "NOT a proof") {
		t.Errorf("without losses: exit status %d\n%s", status, stdout)
	}
}

// Every violation has a folder of its own, and each folder stays as it was written.
func TestSearchNeverOverwrites(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	search := []string{"search", "pingack", "--workers", "1", "--walks", "20", "--walk-steps", "200", "--json"}
	asked := append(slices.Clone(search), "--out", "asked")
	var first string
	for i, c := range []struct {
		args []string
		want string
	}{
		{search, "macemc-out/pingack-every-ping-is-acknowledged-1"},
		{search, "macemc-out/pingack-every-ping-is-acknowledged-2"},
		{asked, "asked"},
		{asked, "asked/1"},
		{asked, "asked/2"},
	} {
		stdout, _, _ := run(t, c.args...)
		var report struct {
			PathFile string `json:"path_file"`
		}
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(filepath.FromSlash(c.want), "error.path"); report.PathFile != want {
			t.Errorf("search %d wrote %s, want %s", i+1, report.PathFile, want)
		}
		now := files(t, dir)
		for _, line := range strings.Split(first, "\n") {
			if !strings.Contains(now, line) {
				t.Fatalf("search %d changed or removed %q", i+1, line)
			}
		}
		first = now
	}
}

// With the same seed and bounds and one worker, output and files are identical except for times.
func TestSearchIsDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, args := range [][]string{
		{"search", "pingack", "--json"},
		{"search", "pingack", "--loss", "0", "--depth", "10", "--json"},
		{"search", "randtree", "--nodes", "2", "--depth", "4", "--max-paths", "500", "--json"},
		{"search", "randtree", "--bug", "RT3", "--max-paths", "500"},
	} {
		var texts [2]string
		for i := range texts {
			dir := t.TempDir()
			t.Chdir(dir)
			stdout, stderr, status := run(t, append(args, "--workers", "1", "--time", "0", "--walks", "10", "--walk-steps", "200")...)
			if status > 1 {
				t.Fatalf("%v: exit status %d: %s", args, status, stderr)
			}
			texts[i] = timeless(stdout + strings.ReplaceAll(files(t, dir), dir, ""))
		}
		if texts[0] != texts[1] {
			t.Errorf("%v: two runs differ:\n%s\n---\n%s", args, texts[0], texts[1])
		}
	}
}

// Ctrl-C ends a search with a report of its coverage.
func TestSearchInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		await(t, sign)
		stop()
	}()
	var stdout, stderr bytes.Buffer
	a := &app{Process: task.Process{Stdout: &stdout, Stderr: &stderr, Program: "macemc", Systems: []spec.Entry{busy}, Screen: showScreen}}
	status := a.run(ctx, []string{"search", "busy", "--strategy", "walk", "--time", "10m", "--json"})
	var report struct {
		Verdict, Stopped string
		Paths            int
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
	}
	if status != 130 || report.Verdict != "interrupted" || report.Stopped != "interrupted" || report.Paths == 0 {
		t.Errorf("exit status %d, %+v", status, report)
	}
}

// A search that is stopped before its first walk reports that it was interrupted.
func TestSearchStoppedAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	stdout, _, status := runUntil(t, ctx, "search", "pingack", "--loss", "0")
	if status != 130 || !strings.Contains(stdout, "INTERRUPTED") {
		t.Errorf("exit status %d\n%s", status, stdout)
	}
}

// A search can start from live states, and reports that it did not start from others.
func TestPrefixes(t *testing.T) {
	stdout, stderr, status := run(t, "search", "twophase", "--prefixes", "3", "--depth", "4", "--json")
	var report struct {
		Phases []struct {
			Name string
			Live int
		}
		Coverage struct {
			Complete bool
			Sampled  choose.Samples
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	want := choose.Samples{{Label: "live state to start from", Arity: choose.MaxArity, Taken: 3}}
	first := report.Phases[0]
	if status != 0 || first.Name != "prefixes" || first.Live < 3 || report.Coverage.Complete || !reflect.DeepEqual(report.Coverage.Sampled, want) {
		t.Errorf("exit status %d, %+v\n%s", status, report, stderr)
	}
}

// A path that was found with only one property is followed with only that one: with all of them, the run would end at an earlier step.
func TestPropertyAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	property := "all nodes agree on one root"
	_, stderr, status := run(t, "search", "randtree", "--bug", "RT3", "--property", property, "--no-shrink", "--out", "out", "--walks", "20")
	if status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	file := filepath.Join("out", "error.path")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "\nparam only-property="+property+"\n") {
		t.Errorf("%v: path file\n%s", err, text)
	}
	// Both files record the version of the program that wrote them.
	said, err := os.ReadFile(filepath.Join("out", "report.json"))
	if v := version.Current().String(); err != nil || !strings.Contains(string(text), "\n# written by macemc "+v+"\n") || !strings.Contains(string(said), fmt.Sprintf(`"program": %q`, v)) {
		t.Errorf("%v: not written by macemc %s:\n%s", err, v, text)
	}
	stdout, stderr, status := run(t, "replay", file, "--json")
	var trace struct {
		Steps   []struct{}
		Finding any
	}
	if err := json.Unmarshal([]byte(stdout), &trace); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	if status != 1 || trace.Finding != nil {
		t.Errorf("exit status %d, %d steps, finding %v", status, len(trace.Steps), trace.Finding)
	}
	if !strings.HasSuffix(string(text), fmt.Sprintf("\nend %d\n", len(trace.Steps))) {
		t.Errorf("%d steps are followed, the file ends with %q", len(trace.Steps), text[len(text)-20:])
	}
}

func TestSearchJUnit(t *testing.T) {
	t.Chdir(t.TempDir())
	search := []string{"search", "pingack", "--workers", "1", "--no-shrink", "--walks", "5", "--walk-steps", "100", "--junit"}
	_, stderr, status := run(t, append(search, "out.xml")...)
	text, err := os.ReadFile("out.xml")
	if err != nil || status != 1 {
		t.Fatalf("exit status %d: %v: %s", status, err, stderr)
	}
	if !strings.Contains(string(text), `failures="1"`) || !strings.Contains(string(text), "LIVENESS VIOLATION") {
		t.Errorf("%s", text)
	}
	// Its own file is replaced, a foreign one is not.
	if _, stderr, status := run(t, "search", "twophase", "--strategy", "bfs", "--junit", "out.xml"); status != 0 {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	if text, _ := os.ReadFile("out.xml"); !strings.Contains(string(text), `failures="0" errors="0"`) || strings.Contains(string(text), "pingack") {
		t.Errorf("%s", text)
	}
	if err := os.WriteFile("mine.xml", []byte("<testsuites name=\"mine\"/>\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := run(t, "search", "pingack", "--junit", "mine.xml"); status != 2 || !strings.Contains(stderr, "mine.xml exists and was not written by this command") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	// On standard output nothing else is printed.
	stdout, _, status := run(t, append(search, "-")...)
	if !strings.HasPrefix(stdout, "<?xml") || !strings.HasSuffix(stdout, "</testsuites>\n") || !strings.Contains(stdout, `failures="1"`) || status != 1 {
		t.Errorf("--junit -: exit status %d, not one document:\n%s", status, stdout)
	}
	if _, stderr, status := run(t, "search", "pingack", "--junit", "-", "--json"); status != 2 || !strings.Contains(stderr, "--json and --junit - both write to standard output") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}

// Monitors are selected by their names, like properties: as listed by systems, or without the first word.
func TestSearchForMonitor(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"monitor regularity", "regularity"} {
		stdout, stderr, status := run(t, "search", "register", "--property", name, "--max-paths", "5")
		if status != 0 || !strings.Contains(stdout, "not checked: assertion") {
			t.Errorf("%s: exit status %d\n%s%s", name, status, stdout, stderr)
		}
	}
	if _, stderr, status := run(t, "search", "register", "--property", "monitor regularty"); status != 2 || !strings.Contains(stderr, "did you mean monitor regularity?") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}

// Without -v, a search without findings prints five lines: its coverage, what is not covered, and suggestions.
func TestSearch_Brief(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"search", "twophase", "--strategy", "bfs", "--workers", "1"},
		{"search", "randtree", "--max-paths", "100", "--workers", "1"},
	} {
		var out, errs bytes.Buffer
		a := &app{Process: task.Process{Stdout: &out, Stderr: &errs, Program: "macemc", Systems: testSystems(), Screen: showScreen}}
		if status := a.run(t.Context(), args); status != 0 {
			t.Fatalf("%q: exit status %d: %s", args, status, errs.String())
		}
		text := out.String()
		if n := strings.Count(text, "\n"); n > 5 {
			t.Errorf("%q: %d lines, want at most 5", args, n)
		}
		for _, want := range []string{"nothing found", "covered: ", "NOT covered: ", "next: ", "-v shows"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q: %q is missing in\n%s", args, want, text)
			}
		}
		t.Log(text)
	}
}

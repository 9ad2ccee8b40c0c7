package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/golden"
)

func TestHelp(t *testing.T) {
	for _, name := range []string{"", "systems", "search", "replay", "critical", "graph", "report", "shrink", "mdb", "live", "new", "test"} {
		stdout, stderr, status := run(t, strings.Fields(name+" --help")...)
		if status != 0 || stderr != "" {
			t.Errorf("%s --help: exit status %d, stderr %q", name, status, stderr)
		}
		golden.Compare(t, "help"+strings.ReplaceAll(name, " ", "-")+".txt", []byte(stdout))
		if !strings.Contains(stdout, "Examples:\n  macemc "+name) {
			t.Errorf("%s --help has no examples", name)
		}
	}
}

// Help shows ten commands, and with --all every command that is not hidden.
func TestHelp_All(t *testing.T) {
	usual, _, _ := run(t, "--help")
	all, stderr, status := run(t, "help", "--all")
	if status != 0 || stderr != "" {
		t.Errorf("exit status %d, stderr %q", status, stderr)
	}
	names := func(text string) (list []string) {
		_, text, _ = strings.Cut(text, "\nFind violations:\n")
		text, _, _ = strings.Cut(text, "\nFlags:\n")
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, "  "); ok {
				list = append(list, strings.Fields(rest)[0])
			}
		}
		return list
	}
	if got := names(usual); len(got) != 10 {
		t.Errorf("--help shows %d commands, want 10: %q", len(got), got)
	}
	root := (&app{Process: task.Process{}}).command()
	for _, c := range root.Commands() {
		if got := slices.Contains(names(all), c.Name()); got == c.Hidden {
			t.Errorf("help --all lists %s: %v", c.Name(), got)
		}
	}
}

// Help shows the usual flags, --help-all shows all flags, and no line is too wide.
func TestHelp_Search(t *testing.T) {
	usual, _, _ := run(t, "search", "--help")
	stdout, stderr, status := run(t, "search", "--help-all")
	if status != 0 || stderr != "" {
		t.Errorf("exit status %d, stderr %q", status, stderr)
	}
	golden.Compare(t, "helpsearch-all.txt", []byte(stdout))
	if strings.Contains(usual, "--deepen-by") || !strings.Contains(stdout, "--deepen-by") || !strings.Contains(usual, "--strategy") {
		t.Errorf("--help-all shows no more than --help:\n%s", usual)
	}
	if n := strings.Count(usual, "\n      --") + strings.Count(usual, "\n  -"); n > 14 {
		t.Errorf("--help shows %d flags, want a dozen and those for help", n)
	}
	for line := range strings.Lines(stdout) {
		if len([]rune(line)) > helpColumns+1 {
			t.Errorf("wider than %d columns: %s", helpColumns, line)
		}
	}
}

func TestSystems(t *testing.T) {
	stdout, _, status := run(t, "systems", "pingack")
	if status != 0 {
		t.Errorf("exit status %d", status)
	}
	golden.Compare(t, "systems-pingack.txt", []byte(stdout))

	stdout, _, _ = run(t, "systems")
	for _, name := range []string{"pingack ", "randtree "} {
		if !strings.Contains(stdout, name) {
			t.Errorf("%s is missing in\n%s", name, stdout)
		}
	}

	stdout, _, _ = run(t, "systems", "randtree", "--json")
	var system struct {
		Name       string
		Properties []struct{ Name, Kind string }
		Bugs       []struct {
			ID            string
			Kind          string
			PaperKind     string `json:"paper_kind"`
			PaperProperty string `json:"paper_property"`
			Nodes         int
			Limits        map[string]int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &system); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"": true, "assertion": true}
	for _, p := range system.Properties {
		known[p.Name] = true
	}
	for _, b := range system.Bugs {
		if b.Kind == "" || b.PaperKind == "" || b.Nodes < 1 || !known[b.PaperProperty] {
			t.Errorf("got %+v, want a known property, both kinds, and nodes", b)
		}
	}
	if len(system.Bugs) != 17 {
		t.Errorf("%d bugs, want RT1 to RT17", len(system.Bugs))
	}
}

// A path file that claims a cycle which the run does not have is refused by replay, as it is by report.
func TestReplay_RefusesFalseCycle(t *testing.T) {
	content, err := os.ReadFile(testdata(t, "pingack.path"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cycle.path")
	head, steps, _ := strings.Cut(string(content), "\n")
	if err := os.WriteFile(file, []byte(head+"\nround 9\n"+steps), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"replay", "report"} {
		if _, stderr, status := run(t, command, file); status != 2 || !strings.Contains(stderr, "do not lead back") {
			t.Errorf("%s: exit status %d: %s", command, status, stderr)
		}
	}
}

func TestReplay(t *testing.T) {
	file := testdata(t, "pingack.path")
	text, stderr, status := run(t, "replay", file)
	if status != 1 || stderr != "" { // the property of the file does not hold in the end
		t.Errorf("exit status %d: %s", status, stderr)
	}
	if again, _, _ := run(t, "replay", file); again != text {
		t.Errorf("twice is not the same:\n%s\n%s", text, again)
	}
	for _, want := range []string{"6 network loses Ack{2} n1->n0", "9 n0 timer resend", `"every ping is acknowledged" does not hold`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	text, _, status = run(t, "replay", file, "--to", "3")
	if status != 0 || !strings.Contains(text, "\n3 ") || strings.Contains(text, "\n4 ") {
		t.Errorf("--to 3: exit status %d\n%s", status, text)
	}
	stdout, _, _ := run(t, "replay", file, "--json")
	var trace struct {
		Steps []struct {
			Step int
			Key  string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &trace); err != nil {
		t.Fatal(err)
	}
	if len(trace.Steps) != 9 || trace.Steps[8].Step != 9 || trace.Steps[5].Key != "lose n0<-n1 Ack{Seq:2}" {
		t.Errorf("got %+v, want 9 steps, and the loss of Ack{Seq:2} in step 6", trace.Steps)
	}
	if _, stderr, status := run(t, "replay", file, "--to", "10"); status != 2 || !strings.Contains(stderr, "no step 10; the run has 9") {
		t.Errorf("--to 10: exit status %d: %s", status, stderr)
	}
}

func TestCritical(t *testing.T) {
	file := testdata(t, "pingack.path")
	stdout, stderr, status := run(t, "critical", file, "--json", "--walks", "20", "--walk-steps", "250")
	if status != 1 || stderr != "" {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	var report struct {
		Kind, Property string
		Critical       struct {
			Case, Event string
			Step        int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	// The acknowledgement of the second ping is lost in step 6. The run cannot recover after that.
	if c := report.Critical; report.Property != "every ping is acknowledged" || c.Case != "C1" || c.Step != 6 ||
		c.Event != "network loses Ack{2} n1->n0" {
		t.Errorf("got %+v, want case C1, with the critical step 6", report)
	}
}

// A run that is not dead is reported as such.
func TestCriticalOfLiveRun(t *testing.T) {
	t.Chdir(t.TempDir())
	run(t, "search", "pingack", "--no-shrink", "--out", "found")
	stdout, stderr, status := run(t, "critical", filepath.Join("found", "live.path"))
	if status != 0 || !strings.Contains(stdout, "The run is not dead") {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}
}

// The version is printed by a command, by a flag, and as JSON.
func TestVersion(t *testing.T) {
	short, _, status := run(t, "--version")
	long, _, again := run(t, "version")
	if status != 0 || again != 0 || !strings.HasPrefix(short, "macemc ") || short != long || !strings.Contains(long, "go1.") {
		t.Errorf("%d, %d: %q, %q", status, again, short, long)
	}
	var object struct{ Version, Go string }
	text, _, status := run(t, "version", "--json")
	if err := json.Unmarshal([]byte(text), &object); err != nil || status != 0 || object.Version == "" || !strings.HasPrefix(object.Go, "go1.") {
		t.Errorf("exit status %d, %v: %s", status, err, text)
	}
}

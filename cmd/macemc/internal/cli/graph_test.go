package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/golden"
)

func TestGraph(t *testing.T) {
	file := testdata(t, "pingack.path")
	stdout, stderr, status := run(t, "graph", file, "--critical", "6")
	if status != 0 || stderr != "" {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	golden.Compare(t, "graph-pingack.txt", []byte(stdout))

	stdout, _, _ = run(t, "graph", file, "--from", "4", "--to", "7", "--classes", "messages,faults", "--nodes", "n1,n0")
	for _, want := range []string{"n1 ponger", "5    <--", "6    --Ack{2} lost x"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "resend ") || strings.Contains(stdout, "\n   4 ") {
		t.Errorf("actions and timers are shown:\n%s", stdout)
	}
}

// Every drawing marks the critical step: the one that is given, or the one in the report beside the file.
func TestGraphMarksTheCriticalStep(t *testing.T) {
	text, err := os.ReadFile(testdata(t, "pingack.path"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("error.path", text, 0o600); err != nil {
		t.Fatal(err)
	}
	marked := func(args ...string) (lines []string) {
		t.Helper()
		stdout, stderr, status := run(t, append([]string{"graph", "error.path"}, args...)...)
		if status != 0 {
			t.Fatalf("%v: exit status %d: %s", args, status, stderr)
		}
		for line := range strings.Lines(stdout) {
			if strings.HasPrefix(line, " > ") || strings.HasPrefix(line, ">") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if got := marked(); len(got) > 0 {
		t.Errorf("without a report: %q", got)
	}
	if got := marked("--critical", "6"); len(got) != 1 || !strings.Contains(got[0], " 6 ") {
		t.Errorf("given: %q", got)
	}
	stdout, stderr, status := run(t, "report", "error.path", "--format", "json")
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	if err := os.WriteFile("report.json", []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := marked(); len(got) != 1 || !strings.Contains(got[0], " 6 ") {
		t.Errorf("by the report: %q", got)
	}
}

// A run of a changed system is drawn as it executes at present, and the exit status shows that the file does not match.
func TestGraphOutdated(t *testing.T) {
	good, err := os.ReadFile(testdata(t, "pingack.path"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if _, stderr, status := run(t, "search", "transport", "--bug", "MT2", "--out", "out", "--time", "5s", "--no-shrink"); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	found, err := os.ReadFile("out/error.path")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"moved.path":  {strings.Replace(string(good), "\n1 deliver n0<-n1", "\n3 deliver n0<-n1", 1), "(step 3: its event is now number 1, not 3); this shows what the code does now"},
		"longer.path": {regexp.MustCompile(`end \d+\n`).ReplaceAllString(string(found), "0 action n0 more\nend 9\n"), "the system has changed; panic: "},
	} {
		if c.text = strings.Replace(c.text, "end 9", fmt.Sprint("end ", len(regexp.MustCompile(`(?m)^\d`).FindAllString(c.text, -1))), 1); c.text == string(good) {
			t.Fatal("the path is not changed")
		}
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, status := run(t, "graph", name)
		if status != 2 || !strings.Contains(stderr, name+": ") || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit status %d: %s", name, status, stderr)
		}
		if !strings.Contains(stdout, "all nodes boot") || strings.Contains(stdout, " > ") {
			t.Errorf("%s: no graph, or one with a marked step:\n%s", name, stdout)
		}
	}
}

// The format depends on the name of the file. An existing file is overwritten only on request.
func TestGraphFiles(t *testing.T) {
	file := testdata(t, "pingack.path")
	t.Chdir(t.TempDir())
	for name, begins := range map[string]string{
		"g.svg": "<svg ", "g.html": "<!DOCTYPE html>", "g.mmd": "sequenceDiagram\n", "g.json": "{\n", "g.txt": "      n0 pinger",
	} {
		if stdout, stderr, status := run(t, "graph", file, "-o", name); status != 0 || stdout+stderr != "" {
			t.Errorf("%s: exit status %d: %s%s", name, status, stdout, stderr)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s begins with %.60q", name, text)
		}
		if name == "g.svg" {
			for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		if name == "g.json" && !json.Valid(text) {
			t.Error("the JSON is none")
		}
		if _, stderr, status := run(t, "graph", file, "-o", name); status != 2 || !strings.Contains(stderr, name+" exists; --force overwrites it") {
			t.Errorf("%s again: exit status %d: %s", name, status, stderr)
		}
		if _, stderr, status := run(t, "graph", file, "-o", name, "--force", "--from", "3"); status != 0 {
			t.Errorf("%s with --force: exit status %d: %s", name, status, stderr)
		}
	}
	if left, _ := filepath.Glob(".macemc-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReport(t *testing.T) {
	file := testdata(t, "pingack.path")
	t.Chdir(t.TempDir())
	if stdout, stderr, status := run(t, "report", file, "-o", "bug.html", "--walks", "20", "--walk-steps", "250"); status != 0 || stdout+stderr != "" {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	page, err := os.ReadFile("bug.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&#34;every ping is acknowledged&#34; did not become true after step 6 in any of 20 random continuations", "network loses Ack{2} n1-&gt;n0",
		`download="error.path"`, `download="live.path"`, "macemc mdb "} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing", want)
		}
	}
	for format, want := range map[string]string{
		"markdown": "# pingack: LIVENESS VIOLATION\n", "json": "{\n", "text": "pingack: LIVENESS VIOLATION",
	} {
		if stdout, stderr, status := run(t, "report", file, "--format", format, "--walks", "5", "--walk-steps", "250"); status != 0 || !strings.HasPrefix(stdout, want) {
			t.Errorf("%s: exit status %d: %.60q %s", format, status, stdout, stderr)
		}
	}
}

// A terminal gets text in place of a page, unless a format is given.
func TestReport_OnTerminal(t *testing.T) {
	file := testdata(t, "pingack.path")
	for _, c := range []struct {
		args []string
		want string
	}{{nil, "pingack: LIVENESS VIOLATION"}, {[]string{"--format", "html"}, "<!DOCTYPE html>"}} {
		var out, errs bytes.Buffer
		a := &app{Process: task.Process{Stdout: &out, Stderr: &errs, Program: "macemc", Systems: testSystems(), Screen: showScreen,
			Style: document.Style{Terminal: true}}}
		status := a.run(t.Context(), append([]string{"report", file, "--walks", "5", "--walk-steps", "250"}, c.args...))
		if status != 0 || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%q: exit status %d, got %.60q, want %q: %s", c.args, status, out.String(), c.want, errs.String())
		}
	}
}

// The report of RT13 contains the essential facts: the crash, the acceptance that arrives in state init and has no effect, and the Remove
// that is sent where the run recovers. Flag --brief prints the ones that fit into 40 lines.
func TestReportExplainsRT13(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Chdir(t.TempDir())
	brief, stderr, status := run(t, "search", "randtree", "--bug", "RT13", "--out", "rt13", "--workers", "1", "--walks", "40", "--walk-steps", "1000", "--brief")
	if status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	lines := strings.Split(strings.TrimSuffix(brief, "\n"), "\n")
	if len(lines) > 40 || slices.ContainsFunc(lines, func(l string) bool { return len([]rune(l)) > 80 }) {
		t.Errorf("--brief prints %d lines, want at most 40 of 80 columns:\n%s", len(lines), brief)
	}
	for _, want := range []string{"after step", "critical step:", "n1 receives JoinReply", "func (n *Node) joinAnswered(", "* CRASH", " mdb last", "rt13/report.html"} {
		if !strings.Contains(brief, want) {
			t.Errorf("%q is missing in\n%s", want, brief)
		}
	}
	text, err := os.ReadFile("rt13/report.md")
	if err != nil {
		t.Fatal(err)
	}
	report := string(text)
	for _, want := range []string{
		"every node has joined", "n1 receives JoinReply", "`randtree/join.go:", "func (n *Node) joinAnswered(",
		"**effect:** changes nothing, sends nothing -- before it, n1 has State init",
		"the same event changes nothing, sends Remove to n0 -- before it, n1 has State joining",
		"**only there:** Remove n1->n0", "* CRASH", "|--JoinReply---------------->|",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("%q is missing in\n%s", want, report)
		}
	}
	if !regexp.MustCompile(`: \d+ CRASH\n`).MatchString(report) {
		t.Errorf("no diagram shows the crash:\n%s", report)
	}
}

// An answer whose label in the file differs from the requested one is used, and reported.
func TestReplayTellsOtherLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, stderr, status := run(t, "search", "detector", "--bug", "FD1", "--out", "out", "--no-shrink"); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	text, err := os.ReadFile("out/error.path")
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), "(sent)", "(received)", 1)
	if err := os.WriteFile("other.path", []byte(other), 0o600); err != nil || other == string(text) {
		t.Fatalf("%v: the path is not changed:\n%s", err, text)
	}
	want, _, status := run(t, "replay", "out/error.path")
	stdout, stderr, again := run(t, "replay", "other.path")
	if stdout != want || again != status || !strings.Contains(stderr, `macemc: other.path: the first boot asks for draw "sent", the file answers "received": `) {
		t.Errorf("exit status %d and %d: %s", status, again, stderr)
	}
}

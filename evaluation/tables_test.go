package main

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// enough exceeds the time of any search of these tests, however busy the machine is.
const enough = 20 * time.Minute

// tabulated runs tabulate with few settings.
func tabulated(t *testing.T, ctx context.Context, f tablesFlags, settings ...paperSetting) (stdout, stderr string, status int) {
	t.Helper()
	return tabulatedOf(t, ctx, f, mpbassetTable(settings))
}

func tabulatedOf(t *testing.T, ctx context.Context, f tablesFlags, table *paperTable) (stdout, stderr string, status int) {
	t.Helper()
	e, out, errs := newEvaluator()
	status = e.ExitStatus(ctx, e.tabulate(ctx, &f, table))
	return out.String(), errs.String(), status
}

// The table has the states of all searches, and marks unexpected verdicts and undecided searches.
func TestTables(t *testing.T) {
	small := paperSetting{name: "small", system: "echo", flags: []string{"--set", "initiators=0"}, expected: holds, single: "1 in 2 h"}
	wrong := paperSetting{name: "wrong", system: "echo", flags: []string{"--set", "receivers=2", "--set", "byzantine-receivers=2"}, expected: violated}
	seconds := regexp.MustCompile(` in [0-9.]+ s\b`)
	for _, c := range []struct {
		setting  paperSetting
		expected string
		time     time.Duration
		status   int
		want     []string
	}{
		{small, holds, enough, exitcode.OK, []string{
			"| small | single messages | holds | 1 in 2 h | 226 | 178 | 5 | 4 |\n", "| small | quorums | holds |  | 49 | 33 | 1 | 1 |\n"}},
		{small, violated, enough, exitcode.Violation, []string{"| small | quorums | UNEXPECTED: holds (none) |  | 49 |"}},
		{wrong, violated, enough, exitcode.OK, []string{"| wrong | quorums | violated |"}},
		{wrong, holds, enough, exitcode.Violation, []string{"| UNEXPECTED: violated (none) |"}},
		{paperSetting{name: "large", system: "register", single: "?"}, holds, 1, exitcode.Inconclusive, []string{
			"| large | single messages | NOT FOUND OUT (none) | ? | stopped (time) at "}},
	} {
		c.setting.expected = c.expected
		stdout, stderr, status := tabulated(t, t.Context(), tablesFlags{time: c.time}, c.setting)
		if status != c.status {
			t.Errorf("%s, expected %s: exit status %d, want %d: %s", c.setting.name, c.expected, status, c.status, stderr)
		}
		stdout = seconds.ReplaceAllString(stdout, "")
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s, expected %s: %q is not in\n%s", c.setting.name, c.expected, want, stdout)
			}
		}
	}
}

// JSON has the same content.
func TestTablesJSON(t *testing.T) {
	stdout, _, status := tabulated(t, t.Context(), tablesFlags{time: enough, json: true}, mpbasset[0])
	var list struct {
		Rows []tableRow
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || status != exitcode.OK {
		t.Fatal(status, err)
	}
	for i, want := range [][]int{{126_910, 27_472, 1046, 288}, {27_662, 903, 252, 74}} {
		for k, c := range list.Rows[i].Cells {
			if c.Column != mpbassetColumns[k].name || c.States != want[k] || !c.Complete {
				t.Errorf("%+v, want %d states", c, want[k])
			}
		}
		if len(list.Rows[i].Cells) != len(want) {
			t.Errorf("got %+v, want %d cells", list.Rows[i], len(want))
		}
	}
}

// All settings are those of existing systems.
func TestTablesSettings(t *testing.T) {
	for _, s := range slices.Concat(mpbasset, crashSettings) {
		args := append([]string{"search", s.system, "--strategy", "bfs", "--time", "1ns", "--json", "--no-shrink", "--out", t.TempDir()}, s.flags...)
		if _, stderr, status := run(t, args...); status == exitcode.Usage || stderr != "" {
			t.Errorf("%s: exit status %d: %s", s.name, status, stderr)
		}
	}
}

// Unwritable files are reported before the search, and an interrupted table is not written.
func TestTablesPages(t *testing.T) {
	t.Chdir(t.TempDir())
	const mine, page = "# My page\n", "before\n<!-- mpbasset -->\n<!-- end of mpbasset -->\nafter\n"
	for name, text := range map[string]string{"mine.md": mine, "page.md": page} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(name, want string) {
		t.Helper()
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if stdout, stderr, status := run(t, "tables", "mpbasset", "--markdown=mine.md"); status != exitcode.Usage || stdout != "" ||
		!strings.Contains(stderr, "has no line") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	expect("mine.md", mine)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if stdout, stderr, status := runUntil(t, ctx, "tables", "mpbasset", "--markdown=page.md"); status != exitcode.Interrupted ||
		!strings.Contains(stdout, "| setting |") || !strings.Contains(stderr, "page.md is unchanged") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	expect("page.md", page)
	small := paperSetting{name: "small", system: "echo", flags: []string{"--set", "initiators=0"}, expected: holds}
	stdout, stderr, status := tabulated(t, t.Context(), tablesFlags{time: enough, markdown: "page.md"}, small)
	if status != exitcode.OK || stdout != "" {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	b, err := os.ReadFile("page.md")
	if err != nil || !strings.HasPrefix(string(b), "before\n<!-- mpbasset -->\n\n") || !strings.Contains(string(b), "| small |") ||
		!strings.HasSuffix(string(b), "\n<!-- end of mpbasset -->\nafter\n") {
		t.Errorf("%q, %v", b, err)
	}
}

// The table of crashes compares implicit with explicit crashes, and draws them.
func TestTablesCrash(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("page.md", []byte("before\n<!-- crash -->\n<!-- end of crash -->\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	table := crashTable(crashSettings[:2])
	f := tablesFlags{time: enough, markdown: "page.md"}
	if stdout, stderr, status := tabulatedOf(t, t.Context(), f, table); status != exitcode.Usage || stdout != "" ||
		!strings.Contains(stderr, "no such file") {
		t.Errorf("without a folder for the picture: exit status %d: %s%s", status, stdout, stderr)
	}
	if err := os.Mkdir("pictures", 0o755); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, status := tabulatedOf(t, t.Context(), f, table); status != exitcode.OK || stdout != "" {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	page, err := os.ReadFile("page.md")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(` in [0-9.]+ s\b`).ReplaceAllString(string(page), "")
	for _, want := range []string{
		"| Paxos (6) | holds | implicit 548,961; explicit 1,541,622, 4,216,431, 11,843,034 | none | 27,662 | 141,004 (5.1 times) | 287,771 (10.4 times) | 359,735 (13.0 times) |\n",
		"| full | 252 | 3,869 (15.4 times) | 17,116 (67.9 times) | 32,395 (128.6 times) |\n",
		"\nSearches that visited all states had at least 5.1, 10.4 and 13.0 times as many states with 1, 2 and 3 crashes as without.\n",
		"| Faulty Paxos (6) | violated |", "![States by the number of nodes that may crash](pictures/crash.svg)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	picture, err := os.ReadFile("pictures/crash.svg")
	if err != nil || !strings.HasPrefix(string(picture), "<svg ") || strings.Count(string(picture), "stroke-dasharray") != 2 || !strings.Contains(string(picture), "Paxos (6), full") {
		t.Errorf("%v: %s", err, picture)
	}
}

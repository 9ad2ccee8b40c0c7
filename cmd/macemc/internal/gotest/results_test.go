package gotest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
)

// A test passes only if it was explored, and the verdict is not better than that of its packages.
func TestResults(t *testing.T) {
	line := func(kind, note string, more ...string) string {
		return summaryLine("TestX", kind, note, append([]string{`"Schedules":9,"Elapsed":1000000000`}, more...)...)
	}
	const ok, fail = "ok  \tp\t0.1s\n", "FAIL\tp\t0.1s\n"
	const failed = "--- FAIL: TestX (0.00s)\n"
	for _, c := range []struct {
		name, summary, output string
		status                int
		cause                 string
		verdict               search.Verdict
		cases                 string // result and message of each
	}{
		{"sampled", line("sampled", ""), ok, 0, "", search.OK, "0 TestX: "},
		{"not explored", line("sampled", "not explored: it starts a process"), ok, 0, "", search.OK, "3 TestX: not explored: it starts a process"},
		{"not explored, fails", line("sampled", "not explored: it starts a process"), failed + fail, 1, "", search.Violation, "1 TestX: " + plainFailure},
		{"skipped", line("sampled", "", `"Skipped":true`), ok, 0, "", search.OK, "3 TestX: the test skips itself"},
		{"finding", line("new", "", `"Place":{"Kind":"leak","Title":"LEAK: g","File":"/x.go","Line":3}`), failed + fail, 1, "", search.Violation, "1 TestX: LEAK: g"},
		{"finding of a process that ends with status 0", line("new", ""), ok, 1, "", search.Violation, "1 TestX: a new finding was stored"},
		{"unconfirmed", line("suspect", "LEAK: g"), fail, 1, "", search.Inconclusive, "2 TestX: LEAK: g"},
		{"hidden", line("hidden", "", `"Known":["LEAK: g"]`), failed + fail, exitcode.Inconclusive, "", search.Inconclusive,
			"3 TestX: a known finding occurs in every schedule, which hides all others: LEAK: g"},
		{"known", line("sampled", "", `"Known":["LEAK: g"]`), ok, 0, "", search.OK, "0 TestX: ; 3 TestX (known finding 1): LEAK: g"},
		{"not looked for", line("sampled", "", `"Unsought":["needs -race"]`), ok, 0, "", search.OK,
			"0 TestX: ; 3 TestX (known finding 1): needs -race"},
		{"damaged", line("damaged", ""), failed + fail, exitcode.Usage, "", search.Inconclusive, "2 TestX: a stored schedule cannot be read"},
		{"not built", "", "FAIL\tp [build failed]\n", 1, "", search.Inconclusive, "2 the tests are built: the tests cannot be built; go test reports why"},
		{"failed outside tests", line("sampled", ""), fail, 1, "", search.Inconclusive,
			"0 TestX: ; 2 the tests end: the package fails without a failed test; go test reports why"},
		{"other failed test", line("sampled", ""), "--- FAIL: TestY (0.00s)\n    --- FAIL: TestY/sub (0.00s)\n" + fail, 1, "", search.Violation,
			"0 TestX: ; 1 TestY/sub: " + plainFailure},
		{"failed test with output", "", "--- FAIL: TestX (0.00s)\n    x_test.go:3: why\n        and more\n" + fail, 1, "", search.Violation, "1 TestX: x_test.go:3: why"},
		{"failed test of -v", line("sampled", "not explored: it starts a process"),
			"=== RUN   TestX\n    x_test.go:3: why\n=== RUN   TestY\n    y_test.go:4: other\n--- PASS: TestY (0.00s)\n" + failed + fail, 1, "", search.Violation,
			"1 TestX: x_test.go:3: why"},
		{"no tests", "", ok, 0, "", search.OK, "3 exploration: no test was explored"},
		{"interrupted", line("sampled", summary.EndedEarly), "", 130, "interrupted", search.Interrupted, "2 TestX: interrupted during the exploration"},
	} {
		s := &summaries{out: new(strings.Builder), end: new(strings.Builder), folder: t.TempDir()}
		if c.summary != "" {
			if err := os.WriteFile(summary.File(s.folder, "p"), []byte(c.summary), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s.Write([]byte(c.output))
		if c.cause != "" {
			s.unreported(c.cause)
		}
		s.finish()
		all := resultsOf(s, c.status)
		var cases []string
		bad := false
		for _, of := range all.Suites[0].Cases {
			cases = append(cases, fmt.Sprintf("%d %s: %s", of.Result, of.Name, of.Message))
			bad = bad || of.Result == document.Failed || of.Result == document.Errored
		}
		if got := strings.Join(cases, "; "); got != c.cases || all.Verdict != c.verdict || len(all.Suites) != 1 {
			t.Errorf("%s: verdict %s, got  %s\nwant %s, %s", c.name, all.Verdict, got, c.verdict, c.cases)
		}
		if shown := len(all.Findings)+len(all.Problems) > 0; shown != bad {
			t.Errorf("%s: findings %+v and problems %q", c.name, all.Findings, all.Problems)
		}
		if !slices.Contains(all.Notes, s.unscheduled()) || !strings.HasPrefix(all.Title, "tests of 1 package: ") {
			t.Errorf("%s: %q, notes %q", c.name, all.Title, all.Notes)
		}
	}
}

// The results of a command that a signal ends before any test say so.
func TestResults_InterruptedEarly(t *testing.T) {
	s := &summaries{out: new(strings.Builder), end: new(strings.Builder), folder: t.TempDir()}
	s.unreported("interrupted")
	s.finish()
	var text strings.Builder
	for _, f := range render.CollectedFormats() {
		if f.Name == "junit" {
			if err := f.Results(&text, []render.Results{resultsOf(s, 130)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := text.String(); !strings.Contains(got, `errors="1"`) || !strings.Contains(got, `message="interrupted"`) {
		t.Errorf("got\n%s\nwant the error that the command was interrupted", got)
	}
}

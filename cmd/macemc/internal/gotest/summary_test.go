package gotest

import (
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched"
)

// The status is better than that of a failed test only if known findings or damaged files explain all that failed.
func TestSummaries_Known(t *testing.T) {
	const fail, pkg = "--- FAIL: TestA (0.01s)\n", "FAIL\texample.org/p\t0.1s\n"
	const hidden = "\"TestA\" 9 50 hidden 0 false \"\"\nknown \"TestA\" \"EXIT: os.Exit(0) was called; in 9 of 9 schedules: issue 12 (exit-1.path)\"\n"
	const damaged = "\"TestA\" 0 0 damaged 0 false \"\"\n"
	for _, c := range []struct {
		what, summary, output string
		ended, want           int
		end                   string
	}{
		{"hidden", hidden, fail + pkg, 1, 3, "macemc: example.org/p TestA: known, and nothing else could be looked at: EXIT: os.Exit(0) was called; " +
			"in 9 of 9 schedules: issue 12 (exit-1.path)\nmacemc: 0 new, 1 known, 0 fixed\n"},
		{"damaged", damaged, fail + pkg, 1, 2, ""},
		{"both", hidden + strings.ReplaceAll(damaged, "TestA", "TestB"), fail + strings.Replace(fail, "A", "B", 1) + pkg, 1, 2, "0 new, 1 known, 0 fixed"},
		{"another test fails", hidden, fail + "--- FAIL: TestB (0.01s)\n" + pkg, 1, 1, "1 known"},
		{"a new finding", hidden + "\"TestB\" 9 50 new 0 false \"\"\n", fail + "--- FAIL: TestB (0.01s)\n" + pkg, 1, 1, "1 new, 1 known"},
		{"the process ended early", hidden + "\"TestB\" 9 50 suspect 0 false \"\"\n", fail + pkg, 1, 1, "1 new, 1 known"},
		{"a subtest fails", hidden, fail + "    --- FAIL: TestA/sub (0.01s)\n" + pkg, 1, 1, "1 known"},
		{"another package fails", hidden, fail + pkg + "FAIL\texample.org/q\t0.1s\n", 1, 1, "1 known"},
		{"another package is not built", hidden, fail + pkg + "FAIL\texample.org/q [build failed]\n", 1, 1, "1 known"},
		{"the test binary panics", hidden, fail + "exit status 2\n" + pkg, 1, 1, "1 known"},
		{"the package's line is missing", hidden, fail, 1, 1, ""},
		{"the summary is lost", "", fail + pkg, 1, 1, ""},
		{"go test is killed", hidden, fail + pkg, -1, 1, "1 known"},
		{"fixed", "\"TestA\" 9 50 sampled 0 false \"\"\nfixed \"TestA\" \"delete exit-1.path\"\n", "ok  \texample.org/p\t0.1s\n", 0, 0,
			"macemc: example.org/p TestA: fixed: delete exit-1.path\nmacemc: 0 new, 0 known, 1 fixed\n"},
		{"events", hidden, `{"Action":"output","Package":"example.org/q","Output":"ok  \texample.org/q\t0.1s\n"}` + "\n" +
			`{"Action":"output","Package":"example.org/p","Test":"TestA","Output":"--- FAIL: TestA (0.01s)\n"}` + "\n" +
			`{"Action":"output","Package":"example.org/p","Output":"FAIL\texample.org/p\t0.1s\n"}` + "\n", 1, 3, "0 new, 1 known, 0 fixed"},
	} {
		dir := t.TempDir()
		if c.summary != "" {
			if err := os.WriteFile(testsched.SummaryFile(dir, "example.org/p"), []byte(c.summary), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, end strings.Builder
		s := &summaries{out: &out, end: &end, folder: dir, json: strings.HasPrefix(c.output, "{")}
		s.Write([]byte(c.output))
		s.finish()
		if got := s.status(c.ended); got != c.want || (s.failed > 0) && c.want != 1 {
			t.Errorf("%s: status %d, want %d, %d failed", c.what, got, c.want, s.failed)
		}
		if !strings.Contains(end.String(), c.end) || c.end == "" && end.Len() > 0 {
			t.Errorf("%s: got %q, want %q", c.what, end.String(), c.end)
		}
		if s.json && out.String() != c.output {
			t.Errorf("events %q", out.String())
		}
	}
}

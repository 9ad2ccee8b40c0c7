//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The output of the checkers for two proposers is parsed, also with a violation.
func TestCounts(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const report = `{"verdict": "ok", "states": 98160, "transitions": 506256, "handlers": 190, "coverage": {"complete": true}}`
	paxos := counts{states: 98_160, transitions: 506_256}
	ours := paxos
	ours.handlers = 190
	full := strings.Replace(report, `"complete": true`, `"complete": true, "reduced": {"used": "full"}`, 1)
	symmetric := strings.Replace(report, `"complete": true`, `"complete": true, "reduced": {"used": "full", "permutations": 6}`, 1)
	refused := strings.Replace(report, `"complete": true`, `"complete": true, "reduced": {"used": "drop", "why": "with a bound on depth"}`, 1)
	for _, c := range []struct {
		checker checker
		output  string
		want    counts
		err     string
	}{
		{spin{}, read("spin.txt"), paxos, ""},
		{spin{}, strings.Replace(read("spin.txt"), "errors: 0", "errors: 1", 1), counts{}, "not completed"},
		{spin{}, "error: max search depth too small\n" + read("spin.txt"), counts{}, "not completed"},
		{spin{}, strings.Replace(read("spin.txt"), "506257 transitions", "3.5490901e+08 transitions", 1), counts{}, "does not match"},
		{spin{}, read("spin-reduced.txt"), counts{}, "reduced: true, which should be false"},
		{base, read("spin-reduced.txt"), paxos, ""},
		{base, read("spin.txt"), counts{}, "reduced: false, which should be true"},
		{rumur{}, read("rumur.txt"), paxos, ""},
		{rumur{}, strings.Replace(read("rumur.txt"), "No error found.", "1 error(s) found.", 1), counts{}, "not completed"},
		{own{}, report, ours, ""},
		{own{}, strings.Replace(report, "true", "false", 1), counts{}, `verdict "ok", complete: false`},
		{own{}, strings.Replace(report, "ok", "violation", 1), counts{}, `verdict "violation", complete: true`},
		{own{}, "", counts{}, "unexpected end"},
		{own{}, full, counts{}, `reduced by "full" and 0 permutations, which should be --reduce none`},
		{own{reduction: "full"}, full, ours, ""},
		{own{reduction: "full"}, report, counts{}, "which should be --reduce full"},
		{own{reduction: "full"}, refused, counts{}, `reduced by "drop"`},
		{own{reduction: "full"}, symmetric, counts{}, "6 permutations"},
		{own{reduction: "full", symmetry: true}, symmetric, ours, ""},
		{own{reduction: "full", symmetry: true}, full, counts{}, "which should be --reduce full --symmetry"},
	} {
		got, err := c.checker.counts(c.output)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got error %v, want %q", c.checker.name(), err, c.err)
		}
		if err == nil && got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.checker.name(), got, c.want)
		}
	}
}

// The models have the same counts as systems/paxos. The reduction of SPIN omits nothing of its model, which is a single
// process.
func TestModels(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles with full optimisation")
	}
	for _, c := range []checker{spin{}, base, rumur{}} {
		t.Run(c.label(), func(t *testing.T) {
			for _, tool := range []string{c.name(), "gcc"} {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skip(tool + " is not installed")
				}
			}
			rows, err := compare(t.TempDir(), []checker{c}, []int{2}, []int{1}, map[string]int{"": 1})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := rows[0].counts, (counts{states: 98_160, transitions: 506_256}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestAgree(t *testing.T) {
	rows := []row{
		{checker: "a", proposers: 2, counts: counts{98_160, 506_256, 0}},
		{checker: "a", proposers: 3, counts: counts{5, 7, 0}},
		{checker: "b", proposers: 2, counts: counts{98_160, 506_256, 190}},
	}
	if err := agree(rows); err != nil {
		t.Error(err)
	}
	rows = append(rows, row{checker: "b", proposers: 3, counts: counts{5, 8, 0}})
	const want = "3 proposers: a has 5 states and 7 transitions, b has 5 and 8"
	if err := agree(rows); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The medians of three runs: 2 seconds and 32 MB, or 320 bytes for each of 104,857.6 states.
func TestTable(t *testing.T) {
	got := table([]row{{checker: "spin", proposers: 2, workers: 1, counts: counts{104_857, 1_000_000, 0},
		samples: []sample{{1, 1, 64 << 20}, {7, 7, 32 << 20}, {2, 2, 16 << 20}}}})
	const want = "| 2 | spin | 1 | 3 | 104,857 | 1,000,000 | 2.00 | 52,428 | 500,000 | 32 MB | 320.0 |  |\n"
	if !strings.HasSuffix(got, "|\n"+want) {
		t.Errorf("got\n%swant the line\n%s", got, want)
	}
}

// Speed-ups are relative to the base, for the same proposers and workers. The medians are 120 and 2 seconds, 110 and 3
// of CPU time.
func TestVerdicts(t *testing.T) {
	rows := []row{
		{checker: "ours", proposers: 3, workers: 1, counts: counts{29_643, 50_000, 190}, samples: []sample{{2, 3, 64 << 20}, {1, 2, 64 << 20}, {4, 5, 64 << 20}}},
		{checker: base.label(), proposers: 3, workers: 1, counts: counts{47_387_132, 354_909_009, 0}, samples: []sample{{120, 110, 5000 << 20}}},
		{checker: "ours", proposers: 3, workers: 2, counts: counts{29_643, 50_000, 190}, samples: []sample{{1, 1, 64 << 20}}},
		{checker: "ours", proposers: 2, workers: 1, counts: counts{875, 1_000, 190}, samples: []sample{{1, 1, 64 << 20}}},
	}
	const want = `| proposers | checker | workers | runs | states | transitions | seconds | speed-up | CPU seconds | CPU speed-up | peak memory |
|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| 3 | ours | 1 | 3 | 29,643 | 50,000 | 2.00 | 60 | 3.00 | 36 | 64 MB |
| 3 | SPIN, its reduction | 1 | 1 | 47,387,132 | 354,909,009 | 120.00 |  | 110.00 |  | 5,000 MB |
| 3 | ours | 2 | 1 | 29,643 | 50,000 | 1.00 |  | 1.00 |  | 64 MB |
| 2 | ours | 1 | 1 | 875 | 1,000 | 1.00 |  | 1.00 |  | 64 MB |
`
	if got := verdicts(rows); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The compared checkers and their commands. In the comparison of states none uses a reduction.
func TestComparisons(t *testing.T) {
	for name, want := range map[string]string{
		"states": `macemc, 64-bit fingerprints: --reduce none --visited 64 --workers 2
macemc, whole states: --reduce none --visited exact --workers 2
SPIN
rumur
`,
		"verdicts": "macemc, `--reduce full`, 64-bit fingerprints: --reduce full --visited 64 --workers 2\n" +
			"macemc, `--reduce full --symmetry`, 64-bit fingerprints: --reduce full --symmetry --visited 64 --workers 2\n" +
			"macemc, `--reduce full`, whole states: --reduce full --visited exact --workers 2\n" +
			"macemc, `--reduce full --symmetry`, whole states: --reduce full --symmetry --visited exact --workers 2\n" +
			"SPIN, its reduction\n",
	} {
		var got strings.Builder
		for _, c := range comparisons[name].all("{reduction} --visited {visited} --workers {workers}", []string{"64", "exact"}) {
			got.WriteString(c.label())
			if o, ours := c.(own); ours {
				run, err := o.prepare("", 3, 2)
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(": " + strings.Join(run.args, " "))
			}
			got.WriteString("\n")
		}
		if got.String() != want {
			t.Errorf("%s: got\n%swant\n%s", name, got.String(), want)
		}
	}
}

func TestMeasure(t *testing.T) {
	out, s, err := measure(command{args: []string{"echo", "hello"}})
	if err != nil || out != "hello\n" || s.seconds <= 0 || s.peak < 1<<16 {
		t.Errorf("got %q, %+v, %v", out, s, err)
	}
	_, _, err = measure(command{args: []string{"sh", "-c", "echo why >&2; exit 3"}})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(err.Error(), "why") {
		t.Errorf("got %v, want the exit status and what was printed", err)
	}
}

func TestArguments(t *testing.T) {
	for _, list := range []string{"", "1", "2,", "2,4", "two"} {
		if n, err := numbers(list, 2, 3); err == nil {
			t.Errorf("%q: got %v", list, n)
		}
	}
	if n, err := numbers("3,2", 2, 3); err != nil || len(n) != 2 || n[0] != 3 || n[1] != 2 {
		t.Errorf("got %v, %v", n, err)
	}
	all := []checker{own{}, spin{}, rumur{}}
	if c, err := choose(all, "rumur,macemc"); err != nil || len(c) != 2 || c[0] != all[2] || c[1] != all[0] {
		t.Errorf("got %v, %v", c, err)
	}
	if c, err := choose(all, ""); err != nil || len(c) != 3 {
		t.Errorf("got %v, %v", c, err)
	}
	if _, err := choose(all, "tlc"); err == nil {
		t.Error(`"tlc" was accepted`)
	}
	times, err := repetitions("3,rumur=1")
	if err != nil || len(times) != 2 || times[""] != 3 || times["rumur"] != 1 {
		t.Errorf("got %v, %v", times, err)
	}
	for _, list := range []string{"", "0", "spin=", "many"} {
		if times, err := repetitions(list); err == nil {
			t.Errorf("%q: got %v", list, times)
		}
	}
}

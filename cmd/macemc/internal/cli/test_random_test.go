package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/randomtests"
)

var (
	randomTests = flag.Int("random-tests", 12, "number of random tests of each run")
	randomSeed  = flag.Uint64("random-seed", 1, "seed of random tests")
)

// Random tests end as a model allows, and exhaustive exploration that is complete shows all of their results or one of their findings. The
// path of the module begins like that of a standard package.
func TestTest_RandomAsModel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	for _, c := range []struct {
		name     string
		options  randomtests.Options
		args     []string
		complete int // percent of the programs that are explored completely, or fail
	}{
		{"sampled", randomtests.Options{}, []string{"-schedules=300"}, 0},
		{"exhaustive", randomtests.Options{}, []string{"-exhaustive", "-schedules=3000"}, 50},
		{"race", randomtests.Options{Plain: true}, []string{"-race", "-schedules=300"}, 0},
		{"both", randomtests.Options{Plain: true}, []string{"-race", "-exhaustive", "-schedules=3000"}, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			var programs []*randomtests.Program
			for n := range *randomTests {
				programs = append(programs, randomtests.Random(*randomSeed<<32+uint64(n), c.options))
			}
			texts, results := executeRandom(t, programs, c.args)
			complete := 0
			for n, p := range programs {
				ends := p.Ends()
				all := strings.HasPrefix(texts[n], "complete: ") && !strings.Contains(texts[n], "preemption")
				if all || randomFinding(texts[n]) != "" {
					complete++
				}
				possible := ends.Results
				if !all || !slices.Contains(c.args, "-exhaustive") { // predictions may have held goroutines for long
					possible = delayedResults(p, results[n])
				}
				if got := compareRandom(ends, possible, texts[n], results[n], all, slices.Contains(c.args, "-race")); got != "" {
					t.Errorf("test %d: %s\n%s\nresults %v\nwant %+v\n%s", n, got, texts[n], results[n], ends, p)
				}
			}
			t.Logf("%d of %d programs were explored completely or fail", complete, len(programs))
			if complete*100 < c.complete*len(programs) {
				t.Errorf("%d of %d programs were explored completely or fail", complete, len(programs))
			}
		})
	}
}

// executeRandom executes programs in one module. It returns the first line about each, and the results that happened.
func executeRandom(t *testing.T, programs []*randomtests.Program, args []string) (texts map[int]string, results map[int]map[string]bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module sync.example.org/x\n\ngo 1.26\n", "x_test.go": randomtests.Source(programs)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	file := filepath.Join(dir, "results")
	t.Setenv("RESULTS", file)
	out, _ := testCommand(t.Context(), append([]string{"-count=1", "-timeout=0", "-explore-time=1h", "-v", "."}, args...)...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results = map[int]map[string]bool{}
	for line := range strings.Lines(string(text)) {
		number, result, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(line)
		}
		if results[n] == nil {
			results[n] = map[string]bool{}
		}
		results[n][result] = true
	}
	texts = map[int]string{}
	for _, part := range strings.Split(out, "=== RUN   Test")[1:] {
		number, report, _ := strings.Cut(part, "\n")
		if n, err := strconv.Atoi(number); err == nil {
			texts[n] = strings.TrimSuffix(regexp.MustCompile(`(?m)^ *macemc: .*$`).FindString(report), "\n")
			texts[n] = strings.TrimPrefix(strings.TrimSpace(texts[n]), "macemc: ")
		}
	}
	return texts, results
}

// randomFinding returns the kind of a finding, or an empty string.
func randomFinding(text string) string {
	return regexp.MustCompile(`^[A-Z ]+:`).FindString(text)
}

// delayedResults returns the results of all runs of a program, or known if there are too many.
func delayedResults(p *randomtests.Program, known map[string]bool) map[string]bool {
	if ends, ok := p.DelayedEnds(); ok {
		return ends.Results
	}
	return known
}

// compareRandom returns how an exploration differs from a model. possible are the results of all its runs, also of those with long delays.
func compareRandom(want randomtests.Ends, possible map[string]bool, text string, results map[string]bool, complete, race bool) string {
	for result := range results {
		if !possible[result] {
			return fmt.Sprintf("result %s cannot happen", result)
		}
	}
	if !race {
		want.Passes = want.Passes || want.Findings["DATA RACE"]
		delete(want.Findings, "DATA RACE")
	}
	switch finding := strings.TrimSuffix(randomFinding(text), ":"); {
	case text == "":
		return "no report"
	case finding != "" && !want.Findings[finding]:
		return "this finding cannot happen"
	case finding == "" && !want.Passes:
		return "it passes"
	case finding == "" && complete && len(want.Findings) > 0:
		return "a finding is missing"
	}
	for result := range want.Results {
		if complete && !results[result] && randomFinding(text) == "" {
			return "results are missing"
		}
	}
	return ""
}

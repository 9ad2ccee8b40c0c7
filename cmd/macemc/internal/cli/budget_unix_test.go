//go:build unix

package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// lagging is a system whose dead runs are found soon, and take long to confirm and to shrink because its steps are slow.
var lagging = spec.Entry{
	Name: "lagging", Summary: "takes long to confirm", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Build: func(spec.Config) (sim.System, error) {
		return sim.System{
			Name: "lagging", Nodes: 1, New: func(sim.NodeID) sim.Service { return &laggard{} },
			Actions: []sim.AnyAction{
				sim.Action[*laggard]{Name: "beat", Do: func(s *laggard, _ sim.Env) {
					time.Sleep(time.Millisecond)
					s.Beats = (s.Beats + 1) % 10
				}},
				sim.Action[*laggard]{Name: "lose", Do: func(s *laggard, _ sim.Env) {
					time.Sleep(time.Millisecond)
					s.Lost = s.Lost || s.Beats == 3
				}},
				sim.Action[*laggard]{Name: "finish", Do: func(s *laggard, _ sim.Env) {
					time.Sleep(time.Millisecond)
					s.Done = s.Done || s.Beats == 5 && !s.Lost
				}},
			},
			Properties: []sim.Property{{Name: "done", Eventually: sim.Each(func(_ sim.NodeID, s *laggard) bool { return s.Done })}},
		}, nil
	},
}

type laggard struct {
	sim.Nop
	Beats      int
	Lost, Done bool
}

// A search whose finding takes long to confirm and to shrink ends after 1.5 times its time limit plus 5 s, with the results so far.
func TestDeadlineOfFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	const limit, most = 4 * time.Second, 4*time.Second*3/2 + 5*time.Second
	dir := t.TempDir()
	began := time.Now()
	out, err := command(dir, "search", "lagging", "--strategy", "walk", "--engine", "replay", "--workers", "1", "--walks", "32", "--walk-steps", "60",
		"--time", limit.String(), "--out", "out").CombinedOutput()
	// Its clock is slower on a busy machine. Without the limit, it takes more than a minute.
	if took, status := time.Since(began), exitCode(err); status != exitcode.Violation || took > 2*most {
		t.Fatalf("exit status %d after %v, want %d after at most %v\n%s", status, took, exitcode.Violation, most, out)
	}
	var report struct {
		Critical struct{ Case string }
		Property string
		Seconds  float64
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "report.json"))
	if err != nil || json.Unmarshal(text, &report) != nil || report.Property != "done" || report.Critical.Case == "" || report.Seconds > 2*most.Seconds() {
		t.Errorf("%v\n%s", err, text)
	}
}

// A search with checks that sleep ends within 1.5 times its time limit and 5 s, in all phases.
func TestSlowChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	all := newWaiting()
	defer all.Wait()
	for _, c := range []struct {
		phase, strategy string
		workers, status int
	}{
		{"search", "bfs", 1, exitcode.Inconclusive},
		{"search", "dfs", 2, exitcode.Inconclusive},
		{"confirm", "walk", 1, exitcode.Violation},
		{"critical", "walk", 2, exitcode.Inconclusive},
		{"shrink", "walk", 1, exitcode.Violation},
		{"write", "walk", 1, exitcode.Violation},
	} {
		all.run(t, fmt.Sprintf("%s %s %d", c.phase, c.strategy, c.workers), func(t *testing.T) {
			began := time.Now()
			out, err := command(t.TempDir(), "search", "lingers", "--set", "in="+c.phase, "--set", "uses=sleep", "--strategy", c.strategy, "--workers", fmt.Sprint(c.workers),
				"--walk-steps", "100", "--time", "1s", "--out", "out").CombinedOutput()
			// Its clock is slower on a busy machine. Without the limit, it takes minutes.
			if took, most := time.Since(began), 3*6500*time.Millisecond; exitCode(err) != c.status || took > most {
				t.Errorf("exit status %d after %v, want %d after at most %v:\n%s", exitCode(err), took, c.status, most, out)
			}
		})
	}
}

// loadMachine starts eight busy loops, which end with the test.
func loadMachine(t *testing.T) {
	for range 8 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			busy.Process.Kill()
			busy.Wait()
		})
	}
}

// instant is the line of a stored schedule with the time of its exploration.
var instant = regexp.MustCompile(`(?m)^instant .*$`)

// Predictions lead to the same findings, by the same schedules, and to the same files on a loaded machine.
func TestTest_PredictedOnLoadedMachine(t *testing.T) {
	text := "package x\n\nimport (\n	\"sync\"\n	\"sync/atomic\"\n	\"testing\"\n)\n"
	for i, name := range []string{"early signal", "deletion leads to a cycle"} {
		text += fmt.Sprintf("\nfunc TestWrong%d(t *testing.T) {%v}\n\nfunc TestRight%[1]d(t *testing.T) {%[3]v}\n", i, reversal{name, 3, false}, reversal{name, 3, true})
	}
	testFile(t, text+"\nvar _ atomic.Int32\n")
	explore := func() (lines []string) {
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
		out, _ := testCommand(t.Context(), "-count=1", "-vet=off", "-schedules=100", "-explore-time=10m", "-explore-seed=1", "-v", ".")
		for line := range strings.Lines(out) {
			if strings.Contains(line, "found by schedule") || strings.Contains(line, "confirmed") && !strings.HasPrefix(line, "FAIL") {
				lines = append(lines, line)
			}
		}
		files, _ := filepath.Glob("testdata/macemc/*/*.path")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, file, instant.ReplaceAllString(string(text), ""))
		}
		if len(files) != 2 {
			t.Errorf("%d files:\n%s", len(files), out)
		}
		return lines
	}
	quiet := explore()
	loadMachine(t)
	if loaded := explore(); !reflect.DeepEqual(loaded, quiet) {
		t.Errorf("with busy loops\n%s\nwithout\n%s", strings.Join(loaded, "\n"), strings.Join(quiet, "\n"))
	}
}

var loadedBugs = flag.Int("loaded", 2, "search for the first `N` of ten bugs on a loaded machine")

// A loaded machine and an idle one print the same verdict, the same minimized run and the same critical step, although the loaded one
// exceeds the time limit.
func TestLoadedMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes CPU time")
	}
	bugs := []string{
		"pingack", "twophase --bug TP3", "transport --bug MT2", "randtree --bug RT13", "paxos --bug PX1", "transport --bug MT4", "randtree --bug RT15", "gossip --bug GS1",
		"superstep --bug SS3", "pastry --bug P2",
	}
	bugs = bugs[:*loadedBugs]
	type result struct {
		Verdict, Kind, Property, Message string
		Steps                            int
		Critical                         *struct {
			Case                          string
			Step, Walks, Recovered, Bound int
		}
		Run string `json:"-"`
	}
	search := func(bug string) (r result) {
		dir := t.TempDir()
		out, err := command(dir, append(append([]string{"search"}, strings.Fields(bug)...), "--seed", "7", "--time", "3s", "--walks", "60", "--out", "out", "--json")...).Output()
		text, unread := os.ReadFile(filepath.Join(dir, "out", "error.path"))
		if status := exitCode(err); status != exitcode.Violation || unread != nil {
			t.Errorf("%s: exit status %d, %v\n%s", bug, status, unread, out)
		} else if err := json.Unmarshal(out, &r); err != nil {
			t.Errorf("%s: %v\n%s", bug, err, out)
		}
		r.Run = string(text)
		return r
	}
	quiet := map[string]result{}
	for _, bug := range bugs {
		quiet[bug] = search(bug)
	}

	loadMachine(t)
	var all sync.WaitGroup
	for _, bug := range bugs {
		all.Go(func() {
			loaded, quiet := search(bug), quiet[bug]
			if !reflect.DeepEqual(loaded, quiet) {
				t.Errorf("%s: with busy loops\n%+v\nwithout\n%+v", bug, loaded, quiet)
			}
		})
	}
	all.Wait()
}

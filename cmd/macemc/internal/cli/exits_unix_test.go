//go:build unix

package cli

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// exits ends its process in one of its states. If few is 2, some paths to that state lead through a violation. With 9 there is none.
var exits = spec.Entry{
	Name: "exits", Summary: "ends its process", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Params: []spec.Param{
		{Name: "few", Kind: spec.OneOf, Default: "4", Values: []string{"2", "4", "9"}, Help: "how many times are too many"},
		{Name: "slow", Kind: spec.OneOf, Default: "no", Values: []string{"yes", "no"}, Help: "after the step"},
		{Name: "where", Kind: spec.OneOf, Default: "handler",
			Values: []string{"handler", "when", "crash", "new", "late", "monitor", "goroutine", "explain", "print"}, Help: "where it ends"},
	},
	Build: func(c spec.Config) (sim.System, error) {
		end := func(where string, now bool) bool {
			if now && where == c.Text("where") {
				os.Exit(7)
			}
			if where == "handler" && c.Text("where") == "print" {
				fmt.Println("printed")
			}
			return true
		}
		return sim.System{
			Name: "exits", Nodes: 1, New: func(sim.NodeID) sim.Service { end("new", true); return &quitter{} },
			Late:     func(sim.NodeID) bool { return !end("late", true) },
			Monitors: []func() sim.Monitor{func() sim.Monitor { end("monitor", true); return quiet{} }},
			Actions: []sim.AnyAction{
				sim.Action[*quitter]{Name: "go", Times: 4, When: func(q *quitter) bool { return end("when", q.Did == 2 && q.Rested) }, Do: func(q *quitter, _ sim.Env) {
					end("handler", q.Did == 2 && q.Rested)
					go func(now bool) {
						if now && c.Text("slow") == "yes" {
							time.Sleep(20 * time.Millisecond)
						}
						end("goroutine", now)
					}(q.Did == 2 && q.Rested)
					q.Did++
				}},
				sim.Action[*quitter]{Name: "rest", Times: 1, Do: func(q *quitter, _ sim.Env) { q.Rested = true }},
			},
			Properties: []sim.Property{{Name: "few",
				Always:  sim.Each(func(_ sim.NodeID, q *quitter) bool { return fmt.Sprint(q.Did) < c.Text("few") || q.Rested }),
				Explain: func(*sim.View) string { end("explain", true); return "" }}},
			MayCrash: func(sim.NodeID) bool { return end("crash", true) },
		}, nil
	},
}

type quiet struct{}

func (quiet) Observe(sim.NodeID, any) error { return nil }

type quitter struct {
	sim.Nop
	Did    int
	Rested bool
}

// A search of states names the run that ends its process, in all forms of a report, and the path file reproduces it.
func TestExitsStates(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	for flags, what := range map[string]string{
		"--strategy bfs --keep-going --set few=2":                                         "the handler",
		"--strategy dfs --visited 64 --keep-going":                                        "the handler",
		"--strategy bfs --visited 64 --durable kept":                                      "the handler",
		"--strategy dfs --set where=when":                                                 `the When of action "go"`,
		"--strategy bfs --crashes 1 --set where=crash":                                    "MayCrash",
		"--strategy deepening --crashes 1 --set where=crash":                              "MayCrash",
		"--strategy deepening --set where=new":                                            "New(0)",
		"--strategy bfs --set where=new --keep-going":                                     "New(0)",
		"--strategy walk --set where=late --property few":                                 "Late(0)",
		"--strategy dfs --set where=monitor":                                              "the function that makes monitor 0",
		"--strategy bfs --set where=goroutine":                                            "the handler",
		"--strategy walk --set where=goroutine --set few=9":                               "the handler",
		"--strategy walk --durable kept --set where=goroutine --set slow=yes --set few=9": "the handler",
	} {
		ended := what + " ends the process with exit status 7"
		dir := t.TempDir()
		args := append([]string{"search", "exits", "--out", "out", "--json", "--junit", "junit.xml"}, strings.Fields(flags)...)
		cmd := command(dir, args...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if code := exitCode(err); code != 1 {
			t.Fatalf("%s: exit status %d\n%s%s", flags, code, out, said.String())
		}
		type finding struct {
			Message  string
			PathFile string `json:"path_file"`
		}
		var rep struct {
			finding
			Findings []finding
		}
		if err := json.Unmarshal(out, &rep); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(append(rep.Findings, rep.finding), func(f finding) bool { return f.Message == ended })
		if i < 0 {
			t.Fatalf("%s: the death is no finding\n%s", flags, out)
		}
		if junit, err := os.ReadFile(filepath.Join(dir, "junit.xml")); err != nil || !strings.Contains(string(junit), ended) {
			t.Errorf("%s: %v\n%s", flags, err, junit)
		}
		path := append(rep.Findings, rep.finding)[i].PathFile
		text, err := command(dir, "replay", path).CombinedOutput()
		if code := exitCode(err); code != 1 || !strings.Contains(string(text), ended) || strings.Contains(string(text), "state  ") {
			t.Errorf("%s: exit status %d\n%s", flags, code, text)
		}
		steps := strings.Count(string(text), "\n    state ") // there is none after the last step
		if steps == 0 {
			continue
		}
		if !strings.Contains(string(text), "no state: the step does not finish") {
			t.Errorf("%s: %s", flags, text)
		}
		goes, err := command(dir, "mdb", path, "--batch", "-x", fmt.Sprintf("goto %d; critical; options", steps)).CombinedOutput()
		if err != nil || strings.Count(string(goes), fmt.Sprintf("step %d is not executed here: %s", steps, ended)) != 2 || !strings.Contains(string(goes), "n0 go") {
			t.Errorf("%s: %v\n%s", flags, err, goes)
		}
	}
}

// Output of checked code does not stand in a report for other programs, and is not lost.
func TestPrintingHandler(t *testing.T) {
	for _, flags := range []string{"--json", "--junit -"} {
		cmd := command(t.TempDir(),
			append([]string{"search", "exits", "--set", "where=print", "--strategy", "walk"}, strings.Fields(flags)...)...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		valid := json.Valid(out)
		if flags != "--json" {
			valid = xml.Unmarshal(out, new(struct{})) == nil && strings.HasPrefix(string(out), "<?xml")
		}
		if code := exitCode(err); code != 1 || !valid || strings.Contains(string(out), "printed") || !strings.Contains(said.String(), "printed") {
			t.Errorf("%s: exit status %d\n%s%s", flags, code, out, said.String())
		}
	}
}

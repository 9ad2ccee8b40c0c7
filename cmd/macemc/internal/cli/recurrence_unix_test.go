//go:build unix

package cli

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// calls counts the handlers that this process has executed, and asked its evaluations of a property.
var calls, asked int

// calling is a system whose handler reads a package variable.
var calling = spec.Entry{
	Name: "calling", Summary: "counts its calls", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Params: []spec.Param{
		{Name: "fails", Kind: spec.OneOf, Default: "at", Values: []string{"at", "from", "never", "early", "asked", "coin"},
			Help: "when it fails"},
	},
	Build: func(c spec.Config) (sim.System, error) {
		late := 3000
		if c.Text("fails") == "early" {
			late = 500 // the shrinker comes this far, a process that confirms does not
		}
		do := func(f func(*labourer)) func(*labourer, sim.Env) {
			return func(s *labourer, env sim.Env) {
				calls++
				f(s)
				switch c.Text("fails") {
				case "at":
					env.Assert(calls != late, "call %d", late)
				case "coin": // one execution in three would confirm it
					env.Assert(s.Count < 2 || rand.IntN(3) > 0, "tails")
				case "from":
					env.Assert(calls < late, "call %d", late)
				}
			}
		}
		eventually := sim.Property{Name: "rested", Eventually: sim.Each(func(_ sim.NodeID, s *labourer) bool { return calls < late })}
		sys := sim.System{
			Name: "calling", Nodes: 1, New: func(sim.NodeID) sim.Service { return &labourer{} },
			Actions: []sim.AnyAction{
				sim.Action[*labourer]{Name: "count", Times: 2, Do: do(func(s *labourer) { s.Count++ })},
				sim.Action[*labourer]{Name: "waste", Times: 2, Do: do(func(s *labourer) { s.Wasted++ })},
			},
		}
		switch c.Text("fails") {
		case "never":
			sys.Properties = append(sys.Properties, eventually)
		case "asked": // in every other state, when it is early
			eventually.Eventually = func(*sim.View) bool { asked++; return asked < 500 && asked%2 == 0 }
			sys.Properties = append(sys.Properties, eventually)
		case "early":
			sys.Actions = []sim.AnyAction{sim.Action[*labourer]{Name: "count", Do: func(s *labourer, env sim.Env) {
				calls++
				s.Count++
				env.Assert(s.Count < 30 && calls < late, "too many")
			}}}
		}
		return sys, nil
	},
}

// A finding that another execution of its path does not reproduce is nondeterminism with every engine, and its file records that.
func TestRecurrence_FindingThatDoesNotRecur(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	for _, flags := range []string{
		"--strategy deepening --engine replay",
		"--strategy walk --engine replay --set fails=from",
		"--strategy walk --engine replay --set fails=from --keep-going",
		"--strategy walk --engine replay --set fails=never",
		"--strategy walk --engine replay --set fails=asked",
		"--strategy walk --engine replay --set fails=coin",
	} {
		dir := t.TempDir()
		args := append([]string{"search", "calling", "--workers", "1", "--time", "20s", "--out", "out", "--json"}, strings.Fields(flags)...)
		cmd := command(dir, args...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		type finding struct {
			Kind, Property, Message string
			PathFile                string `json:"path_file"`
		}
		var rep struct {
			finding
			Findings []finding
		}
		if e := json.Unmarshal(out, &rep); e != nil {
			t.Fatalf("%s: %v\n%s%s", flags, e, out, stderr.String())
		}
		if len(rep.Findings) == 1 {
			rep.finding = rep.Findings[0]
		}
		if code := exitCode(err); code != exitcode.Violation || rep.Kind != string(sim.Nondeterminism) ||
			!strings.Contains(rep.Message, "does not recur") || !strings.Contains(rep.Message, "is the first that differs") {
			t.Errorf("%s: exit status %d: %+v\n%s", flags, code, rep, stderr.String())
		}
		text, err := os.ReadFile(filepath.Join(dir, rep.PathFile))
		if err != nil || !strings.Contains(string(text), "\nfinding nondeterminism\n") {
			t.Errorf("%s: %v\n%s", flags, err, text)
		}
		again, err := command(dir, "replay", rep.PathFile).CombinedOutput()
		status, said := exitcode.Inconclusive, "does not recur: nondeterminism"
		if strings.HasSuffix(flags, "asked") || strings.HasSuffix(flags, "coin") { // two executions in one process differ
			status, said = exitcode.Violation, "recurs: nondeterminism"
		}
		if code := exitCode(err); code != status || !strings.Contains(string(again), "the finding that the file records "+said) {
			t.Errorf("%s: exit status %d\n%s", flags, code, again)
		}
	}
}

// wishes has a Sometimes property whose function panics, or holds from the start and ends the process later.
var wishes = spec.Entry{
	Name: "wishes", Summary: "has a property that fails", MinNodes: 2, MaxNodes: 2, DefaultNodes: 2,
	Params: []spec.Param{{Name: "by", Kind: spec.OneOf, Default: "panic", Values: []string{"panic", "exit"}, Help: "how it fails"}},
	Build: func(c spec.Config) (sim.System, error) {
		exits := c.Text("by") == "exit"
		return sim.System{
			Name: "wishes", Nodes: 2, New: func(sim.NodeID) sim.Service { return &wisher{} }, Network: netsim.Datagrams{},
			Actions: []sim.AnyAction{sim.Action[*wisher]{Name: "tell", Times: 2, Do: (*wisher).Tell}},
			Properties: []sim.Property{{Name: "well informed", Sometimes: func(v *sim.View) bool {
				switch w, up := v.Service(1).(*wisher); {
				case !up || w.Heard < 2:
				case exits:
					os.Exit(0)
				default:
					panic("twice")
				}
				return exits
			}}},
		}, nil
	},
}

type wisher struct {
	sim.Nop
	Told, Heard int
}

func (w *wisher) Tell(env sim.Env) { w.Told++; env.Send(1-env.Self(), w.Told) }

func (w *wisher) Receive(_ sim.Env, _ sim.NodeID, msg any) { w.Heard = max(w.Heard, msg.(int)) }

// A Sometimes property that panics in a state does so again.
func TestRecurrence_SometimesThatPanics(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	for _, strategy := range []string{"walk", "bfs"} {
		dir := t.TempDir()
		out, err := command(dir, "search", "wishes", "--strategy", strategy, "--workers", "1", "--out", "out").CombinedOutput()
		if exitCode(err) != exitcode.Violation || !strings.Contains(string(out), "wishes: PANIC") {
			t.Errorf("search with %s: %v\n%s", strategy, err, out)
		}
		again, err := command(dir, "replay", filepath.Join("out", outfolder.ErrorPath)).CombinedOutput()
		if exitCode(err) != exitcode.Violation || !strings.Contains(string(again), "the finding that the file records recurs: panic") {
			t.Errorf("replay with %s: %v\n%s", strategy, err, again)
		}
	}
}

// A search of states whose reduction evaluated a Sometimes property that had held, and died of that, says so.
func TestRecurrence_SometimesThatHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	out, err := command(t.TempDir(), "search", "wishes", "--set", "by=exit", "--strategy", "bfs", "--workers", "1").CombinedOutput()
	if exitCode(err) != exitcode.OK || !strings.Contains(string(out), "no run that was searched makes that call") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A run that is smaller in the process that searched, but has no finding in a new process, does not replace the run that was found.
func TestRecurrence_SmallerRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	for file, flags := range map[string]string{
		outfolder.ErrorPath:        "",
		"1/" + outfolder.ErrorPath: "--keep-going --max-paths 1", // it is written only after shrinking
	} {
		dir := t.TempDir()
		args := append([]string{"search", "calling", "--set", "fails=early", "--strategy", "walk", "--engine", "replay", "--workers", "1", "--out", "out"},
			strings.Fields(flags)...)
		out, err := command(dir, args...).CombinedOutput()
		if exitCode(err) != exitcode.Violation || !strings.Contains(string(out), "a smaller run does not recur in a fresh process") {
			t.Errorf("search %s: %v\n%s", flags, err, out)
		}
		again, err := command(dir, "replay", filepath.Join("out", filepath.FromSlash(file))).CombinedOutput()
		if exitCode(err) != exitcode.Violation || !strings.Contains(string(again), "the finding that the file records recurs: safety") {
			t.Errorf("replay %s: %v\n%s", flags, err, again)
		}
	}
}

// Replaying a file with a finding differs from replaying a file without one.
func TestRecurrence_Replay(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	found := map[string][]byte{} // path files
	for _, c := range []struct {
		search, change string
		status         int
		said           string
	}{
		{"pingack", "", exitcode.Violation, "the finding that the file records recurs: liveness: every ping is acknowledged"},
		{"pingack", "finding safety", exitcode.Inconclusive, "the finding that the file records does not recur: safety"},
		{"pingack", "finding deadlock", exitcode.Inconclusive, "the finding that the file records does not recur: deadlock"},
		{"pingack", "end 1", exitcode.Inconclusive, "the finding that the file records does not recur: liveness"},
		{"exits", "", exitcode.Violation, "the finding that the file records recurs: panic"},
	} {
		dir := t.TempDir()
		if found[c.search] == nil {
			if out, err := command(dir, "search", c.search, "--no-shrink", "--walks", "20", "--walk-steps", "200", "--out", "out").CombinedOutput(); exitCode(err) != exitcode.Violation {
				t.Fatalf("%s: %v\n%s", c.search, err, out)
			}
			text, err := os.ReadFile(filepath.Join(dir, "out", outfolder.ErrorPath))
			if err != nil {
				t.Fatal(err)
			}
			found[c.search] = text
		}
		file, text := filepath.Join(dir, outfolder.ErrorPath), found[c.search]
		if c.change != "" {
			if c.change == "end 1" { // from which walks recover
				text = regexp.MustCompile(`(?ms)^(\d+ .*?\n).*`).ReplaceAll(text, []byte("${1}end 1\n"))
			} else {
				text = regexp.MustCompile(`(?m)^finding .*$`).ReplaceAll(text, []byte(c.change))
				text = regexp.MustCompile(`(?m)^property .*\n`).ReplaceAll(text, nil)
			}
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := command(dir, "replay", file).CombinedOutput()
		if code := exitCode(err); code != c.status || !strings.Contains(string(out), c.said) {
			t.Errorf("%+v: exit status %d\n%s", c, code, out)
		}
		if out, err := command(dir, "replay", file, "--to", "1").CombinedOutput(); err != nil || strings.Contains(string(out), "recur") {
			t.Errorf("--to 1: %v\n%s", err, out)
		}
	}
}

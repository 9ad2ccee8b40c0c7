package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// statesVar defines how the search process visits states: strategy, state store, reduction, workers, and optionally
// the depth.
const statesVar = "CHECK_TEST_STATES"

func visitAs(how string, s *search.Config) {
	if how == "" {
		return
	}
	s.MaxDepth = 0
	if n, err := fmt.Sscan(how, &s.Strategy, &s.Visited, &s.Reduce, &s.Workers, &s.MaxDepth); n == 0 {
		panic(err)
	}
}

// waysToVisit returns all combinations.
func waysToVisit() (all []string) {
	for _, strategy := range []string{"bfs", "dfs"} {
		for _, visited := range []string{"exact", "64"} {
			for _, reduce := range []string{"none", "auto"} {
				for _, workers := range []string{"1", "2"} {
					all = append(all, strings.Join([]string{strategy, visited, reduce, workers}, " "))
				}
			}
		}
	}
	return all
}

// deepen makes a system end its process after three right draws, which a few random runs do not reach.
func deepen(sys *sim.System, where string) {
	draw := func(m *mean, env sim.Env) {
		m.Got = append(m.Got, env.Choose("a", 8))
		if len(m.Got) == 3 && m.Got[2] == 6 {
			m.Got[2] += env.Choose("b", 3)
			env.Announce([3]int(m.Got))
		}
		quit(where == "handler", m.Got...)
	}
	sys.Actions = append(sys.Actions, sim.Action[*mean]{Name: "draw", Times: 3, At: func(id sim.NodeID) bool { return id == 0 }, Do: draw})
	sys.Properties[0].Always = sim.Each(func(_ sim.NodeID, m *mean) bool { return quit(where == "property", m.Got...) })
	sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return quitting{where == "monitor"} }}
}

type quitting struct{ Here bool }

func (q quitting) Observe(_ sim.NodeID, event any) error {
	got := event.([3]int)
	quit(q.Here, got[:]...)
	return nil
}

// quit ends the process if here is true and the draws are right.
func quit(here bool, got ...int) bool {
	if here && slices.Equal(got, []int{3, 5, 6}) {
		os.Exit(5)
	}
	return true
}

// visits searches by states and reports.
func visits(t *testing.T, harm, how string) (rep *report.Report, path string, again bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	t.Setenv("CHECK_TEST_DIR", dir)
	t.Setenv(harmVar, harm)
	t.Setenv(statesVar, how)
	var stdout, stderr bytes.Buffer
	s := isolate.Supervisor{Respawn: harmed(harm), Stdout: &stdout, Stderr: &stderr, Workers: 2, HandlerLimit: handlerLimit(harm)}
	out, err := s.Run(t.Context())
	switch {
	case err != nil:
		rep = check.ReportLost(testOptions(meanSystem(harm)), out, err)
	case out.Death != nil:
		if rep, err = check.ReportDeath(t.Context(), testOptions(meanSystem(harm)), out); err != nil {
			t.Fatal(err)
		}
	default:
		if err := json.Unmarshal(stdout.Bytes(), &rep); err != nil {
			t.Fatalf("%v: %s%s", err, stdout.String(), stderr.String())
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, outfolder.ErrorPath))
	return rep, string(text), strings.Contains(stderr.String(), "searching again")
}

// A search that visits states reports any harm of a handler to its process, with a path that reproduces it.
func TestSupervisedStates(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	ways, draws := waysToVisit(), []string{"action n0 draw", "action n0 draw", "action n0 draw"}
	for _, c := range []struct {
		harm, message string
		kind          sim.FindingKind
		steps         []string
		ways          []string
	}{
		{"exit", "the handler ends the process with exit status 0", sim.Panic, []string{"action n0 send", "deliver n1<-n0 2"}, ways[:1]},
		{"overflow", "the handler overflows the stack", sim.Divergence, []string{"action n0 send", "deliver n1<-n0 2"}, ways[2:3]},
		{"memory", "the handler exhausts the memory: more than ", sim.Divergence, []string{"action n0 send", "deliver n1<-n0 2"}, ways[2:3]},
		{"goroutine", "the handler kills the process: panic: in a goroutine", sim.Panic, []string{"action n0 send", "deliver n1<-n0 2"}, ways[11:12]},
		{"loop", "the handler did not return within 1s", sim.Divergence, []string{"action n0 send", "deliver n1<-n0 2"}, ways[:1]},
		{"boot", "the handler ends the process with exit status 7", sim.Panic, nil, ways[6:7]},
		{"deep handler", "the handler ends the process with exit status 5", sim.Panic, draws, []string{ways[0], ways[7], ways[10], ways[13]}}, // each strategy, store, reduction and number of workers twice
		{"deep property", `property "true" ends the process with exit status 5`, sim.Panic, draws, []string{ways[3], ways[12]}},
		{"deep monitor", "monitor quitting ends the process with exit status 5", sim.Panic, draws, ways[9:10]},
	} {
		t.Run(c.harm, func(t *testing.T) {
			for _, how := range c.ways {
				named(t, c.harm, how, c.kind, c.message, len(c.steps), c.steps...)
			}
		})
	}
}

// named searches and expects a violation after the given number of steps, with a path that reproduces it.
func named(t *testing.T, harm, how string, kind sim.FindingKind, message string, steps int, contains ...string) {
	t.Helper()
	rep, path, _ := visits(t, harm, how)
	if rep.Verdict != search.Violation || rep.Kind != kind || !strings.HasPrefix(rep.Message, message) || rep.Steps != steps {
		t.Errorf("%s: got %s, %s in step %d: %s", how, rep.Verdict, rep.Kind, rep.Steps, rep.Message)
	}
	if harm == "loop" {
		return // another test replays it, which takes long
	}
	f := filepath.Join(t.TempDir(), "error.path")
	if err := os.WriteFile(f, []byte(path), 0o600); err != nil {
		t.Fatal(err)
	}
	sys := meanSystem(harm)
	l, err := check.LoadFor(t.Context(), f, &sys, harmed(harm))
	if err != nil || l.Death == nil || len(l.Moved) != 0 || !strings.HasPrefix(l.Death.Message, message) {
		t.Errorf("%s: the path does not end so: %+v, %v\n%s", how, l, err, path)
	}
	for _, s := range contains {
		if !strings.Contains(path, s) {
			t.Errorf("%s: no %s in\n%s", how, s, path)
		}
	}
}

// If the death of the process does not recur, it is a nondeterminism in the step that made the call.
func TestSupervisedStates_DeathDoesNotRecur(t *testing.T) {
	for i, c := range []struct{ harm, how, step string }{
		{"once", "bfs exact none 1", "of the original run had begun then"},
		{"once", "dfs 64 auto 2", "of the original run had begun then"},
		{"searching", "bfs exact none 1", "of the original run is the first that differs"},
	} {
		if testing.Short() && i > 0 {
			continue
		}
		t.Setenv(markerVar, filepath.Join(t.TempDir(), "marker"))
		rep, path, _ := visits(t, c.harm, c.how)
		if rep.Verdict != search.Violation || rep.Kind != sim.Nondeterminism || rep.Steps != 2 ||
			!strings.Contains(rep.Message, "exit status 7") || !strings.Contains(rep.Message, c.step) {
			t.Errorf("%s %s: got %s, %s in step %d: %q, want %q in step 2", c.harm, c.how, rep.Verdict, rep.Kind, rep.Steps, rep.Message, c.step)
		}
		if !strings.Contains(path, "\nfinding nondeterminism\n") || !strings.Contains(path, "\n1 deliver n1<-n0 2 # ") {
			t.Errorf("%s %s: got the path\n%s", c.harm, c.how, path)
		}
	}
}

// A death by a signal, which may come from outside, is not a finding. The path to its step is a suspect.
func TestSupervisedStates_SignalDoesNotRecur(t *testing.T) {
	t.Setenv(markerVar, filepath.Join(t.TempDir(), "marker"))
	rep, path, _ := visits(t, "kill once", "bfs exact none 1")
	if rep.Verdict != search.Inconclusive || path != "" || !strings.Contains(rep.Message, "SIGKILL") {
		t.Errorf("got %s: %q\n%s", rep.Verdict, rep.Message, path)
	}
	want := "the search process died in this step: it is killed by SIGKILL"
	s := rep.Suspect
	if s == nil || s.Kind != sim.Panic || !strings.HasPrefix(s.Message, want) || s.Steps != 2 {
		t.Fatalf("got suspect %+v, want %q in step 2", s, want)
	}
	if text, err := os.ReadFile(s.PathFile); err != nil || !strings.Contains(string(text), "\nnote suspected: panic: "+want) || !strings.Contains(string(text), "\n1 deliver n1<-n0 2\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

// listener is a service that may receive a message.
type listener struct {
	sim.Nop
	Sent, Heard, Moved bool
}

func (s *listener) Receive(sim.Env, sim.NodeID, any) { s.Heard = true }

// apartSystem has a property that ends the process if two nodes were informed. Only one of them ever is.
func apartSystem() sim.System {
	tell := func(to sim.NodeID) sim.AnyAction {
		return sim.Action[*listener]{
			Name: fmt.Sprint("tell ", to), Times: 1, At: func(id sim.NodeID) bool { return id == 0 }, When: func(s *listener) bool { return !s.Sent },
			Do: func(s *listener, env sim.Env) { s.Sent = true; env.Send(to, 1) },
		}
	}
	return sim.System{
		Name: "apart", Nodes: 3, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(listener) },
		Actions: []sim.AnyAction{tell(1), tell(2), sim.Action[*listener]{
			Name: "move", Times: 3, At: func(id sim.NodeID) bool { return id == 2 }, Do: func(s *listener, _ sim.Env) { s.Moved = !s.Moved },
		}},
		Properties: []sim.Property{{Name: "true", Always: func(v *sim.View) bool {
			a, _ := v.Service(1).(*listener)
			b, _ := v.Service(2).(*listener)
			if a.Heard && b.Heard {
				os.Exit(9)
			}
			return true
		}}},
	}
}

// A death that no run reaches is not a finding and does not make the search fail. Reductions try such steps.
func TestSupervisedStatesApart(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	tried := 0
	for _, how := range append(waysToVisit(), "bfs exact full 1", "dfs 64 full 2") {
		rep, _, again := visits(t, "apart", how)
		if rep.Verdict != search.OK || !rep.Coverage.Complete {
			t.Errorf("%s: %s, %s: %s", how, rep.Verdict, rep.Stopped, rep.Message)
		}
		if again {
			tried++
		}
		if again && strings.Contains(how, "none") {
			t.Errorf("%s: searched again", how)
		}
	}
	if tried == 0 {
		t.Error("nothing was tried that no run comes to")
	}
}

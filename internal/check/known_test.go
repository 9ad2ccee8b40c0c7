package check_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// acceptedDoor returns a path file that accepts the finding of the door with these harms.
func acceptedDoor(t *testing.T, harms ...string) string {
	t.Helper()
	cfg := search.Config{System: doorSystem(harms...), Strategy: search.Walk, MaxPaths: 200, WalkSteps: 100, Workers: 1}
	return writeKnown(t, harms[0]+".path", acceptedText(t, check.Options{Search: cfg}))
}

// acceptedText runs a check and returns the text of a path file that accepts its finding.
func acceptedText(t *testing.T, o check.Options) string {
	t.Helper()
	rep, err := check.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(rep.PathFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(text), "\n", "\nknown issue 12\n", 1)
}

func writeKnown(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func searchDoor(t *testing.T, known []string, cfg search.Config, harms ...string) *report.Report {
	t.Helper()
	cfg.System, cfg.Workers = doorSystem(harms...), 1
	rep, err := check.Run(t.Context(), check.Options{Known: known, Search: cfg})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// A search goes on after known findings, and its verdict is that on others.
func TestKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	window, dry := acceptedDoor(t, "window"), acceptedDoor(t, "flood")
	kick, lock := acceptedDoor(t, "kick"), acceptedDoor(t, "lock")
	walk := search.Config{Strategy: search.Walk, MaxPaths: 100, WalkSteps: 50}
	deepening := search.Config{MaxPaths: 100, WalkSteps: 50}
	bfs, dfs := search.Config{Strategy: search.BFS}, search.Config{Strategy: search.DFS}
	for name, c := range map[string]struct {
		cfg     search.Config
		harms   string
		known   []string
		verdict search.Verdict
		action  string // of the new finding
		says    []string
	}{
		"only a known one": {walk, "window", []string{window}, search.OK, "",
			[]string{"nothing new found", "\n  known: safety violation of nobody is in by action window (check/keepgoing_test.go:32); found in ", " runs: issue 12 (window.path)\n",
				"not searched: states after a known finding", "\nmacemc: 0 new, 1 known, 0 fixed\n"}},
		"deepening":        {deepening, "window", []string{window}, search.OK, "", []string{"nothing new found"}},
		"another handler":  {walk, "window roof", []string{window}, search.Violation, "action n0 roof", []string{"macemc: 1 new, 1 known, 0 fixed\n"}},
		"another property": {walk, "window flood", []string{window}, search.Violation, "action n0 flood", []string{"macemc: 1 new, 1 known, 0 fixed\n"}},
		"another kind":     {walk, "window kick", []string{window}, search.Violation, "action n0 kick", nil},
		"two known ones":   {walk, "window flood", []string{window, dry}, search.OK, "", []string{"macemc: 0 new, 2 known, 0 fixed\n"}},
		"all known":        {walk, "window flood kick lock", []string{window, dry, kick, lock}, search.OK, "", []string{"macemc: 0 new, 4 known, 0 fixed\n", "panic by action kick (check/keepgoing_test.go:35); ", "deadlock of it turns often by action lock (check/keepgoing_test.go:36); "}},
		"does not apply": {walk, "flood", []string{window, dry}, search.OK, "",
			[]string{"not used: window.path: ", "known: safety violation of it is dry", "macemc: 0 new, 1 known, 0 fixed\n"}},
		"by states": {bfs, "window roof", []string{window}, search.OK, "",
			[]string{"nothing new found in ", ", states after known findings were not visited: bounded, NOT a proof", "; found again: issue 12",
				"window.path: bfs takes all violations of nobody is in for it; other strategies distinguish them by step"}},
		"by depth":                 {dfs, "window flood", []string{window}, search.Violation, "action n0 flood", []string{"macemc: 1 new, 1 known"}},
		"states, another property": {bfs, "window flood", []string{window}, search.Violation, "action n0 flood", []string{"macemc: 1 new, 1 known"}},
		"a known one ends the states": {bfs, "kick", []string{kick}, search.Inconclusive, "",
			[]string{"INCONCLUSIVE", "known, and nothing else could be looked at, because the search stopped at it: strategy bfs continues only", "macemc: 0 new, 1 known, 0 fixed\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			rep := searchDoor(t, c.known, c.cfg, strings.Fields(c.harms)...)
			text, _, _, _ := rendered(t, rep, 300, nil)
			if left, _ := filepath.Glob(filepath.Join(outfolder.Root, "*", check.SuspectPath)); left != nil {
				t.Errorf("the search leaves %q", left)
			}
			action := ""
			if step := rep.DecisiveStep(); step != nil {
				action = step.Key
			}
			if rep.Verdict != c.verdict || action != c.action || rep.Coverage.Complete || rep.Coverage.Recovers || rep.Stopped == stats.StoppedComplete {
				t.Errorf("%s at %q, stopped %s, want %s at %q\n%s", rep.Verdict, action, rep.Stopped, c.verdict, c.action, text)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
		})
	}
}

// A finding is fixed only if its path applies and violates nothing, and known only on the same system.
func TestKnown_Status(t *testing.T) {
	t.Chdir(t.TempDir())
	window := acceptedDoor(t, "window")
	text, err := os.ReadFile(window)
	if err != nil {
		t.Fatal(err)
	}
	always := func(f func(*faultyDoor) bool) func(*sim.View) bool {
		return func(v *sim.View) bool { return f(v.Service(0).(*faultyDoor)) }
	}
	for name, c := range map[string]struct {
		change  func(*check.Options)
		file    string // replaces parts of the file
		verdict search.Verdict
		want    string
	}{
		"fixed": {func(o *check.Options) {
			o.Search.System.Properties[0].Always = always(func(*faultyDoor) bool { return true })
		}, "",
			search.OK, "fixed: safety violation of nobody is in: window.path violates nothing; remove its line \"known\"\nmacemc: 0 new, 0 known, 1 fixed\n"},
		"another finding": {func(o *check.Options) {
			o.Search.System.Properties[0].Always = always(func(*faultyDoor) bool { return true })
			o.Search.System.Properties[1].Always = always(func(d *faultyDoor) bool { return !d.In })
			o.Search.MaxPaths = 1
		}, "", search.Inconclusive, "NOT known: window.path shows another finding: safety violation of it is dry by "},
		"another property is checked": {func(o *check.Options) { o.Search.Property = "it is dry" }, "", search.OK,
			"not used: window.path: the search checks only it is dry\nmacemc: 0 new, 0 known, 0 fixed\n"},
		"other nodes":      {func(o *check.Options) { o.Search.System.Nodes = 2 }, "", search.Violation, "not used: window.path: line 5: the path has 1 nodes, the system has 2\n"},
		"other timing":     {func(o *check.Options) { o.Search.System.Timing = sim.AnyOrder }, "", search.Violation, "the path has timing ByDeadline, but here it is AnyOrder"},
		"other parameters": {func(o *check.Options) { o.Header.Params = []pathfile.Param{{Key: "doors", Value: "2"}} }, "", search.Violation, "the path has other parameters"},
		"other bugs":       {func(o *check.Options) { o.Header.Bugs = []string{"D1"} }, "", search.Violation, "the path has other bugs"},
		"nondeterminism":   {func(*check.Options) {}, "finding safety=finding nondeterminism", search.Violation, "nondeterminism cannot be accepted"},
		"no finding":       {func(*check.Options) {}, "finding safety\n=", search.Violation, "it records no finding"},
		"recorded as another property": {func(*check.Options) {}, "nobody is in=it is dry", search.Violation,
			"NOT known: window.path shows another finding: safety violation of nobody is in by "},
		"an earlier step": {func(o *check.Options) {
			o.Search.System.Properties[0].Always = always(func(d *faultyDoor) bool { return d.Turns == 0 })
		}, "", search.Violation, "NOT known: window.path shows another finding: a violation after step 1 of 2: "},
		"every run": {func(o *check.Options) {
			o.Search.System.Properties[0].Always = always(func(d *faultyDoor) bool { return d.Turns == 0 })
			o.Search.System.Actions = o.Search.System.Actions[:1]
		}, "", search.Inconclusive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sys := doorSystem("window")
			o := check.Options{Known: []string{window}, Search: search.Config{System: sys, Strategy: search.Walk, MaxPaths: 50, WalkSteps: 20, Workers: 1}}
			c.change(&o)
			changed := string(text)
			if from, to, ok := strings.Cut(c.file, "="); ok {
				changed = strings.Replace(changed, from, to, 1)
			}
			if name == "every run" {
				o.Known = nil
				changed, o.Known = acceptedText(t, o), []string{window}
				c.want = "known, and nothing else could be looked at, because no run passes it: safety violation of nobody is in by "
			}
			writeKnown(t, window, changed)
			rep, err := check.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			says, _, _, _ := rendered(t, rep, 300, nil)
			if rep.Verdict != c.verdict || !strings.Contains(says, c.want) {
				t.Errorf("%s, want %s and %q in\n%s", rep.Verdict, c.verdict, c.want, says)
			}
		})
	}
	writeKnown(t, window, "macemc path 1\nsystem door\n")
	if _, err := check.Run(t.Context(), check.Options{Known: []string{window}, Search: search.Config{System: doorSystem("window")}}); err == nil ||
		!strings.Contains(err.Error(), "window.path: line") {
		t.Errorf("a damaged file: %v", err)
	}
}

// With KeepGoing, new findings are reported besides the known ones. Formats for other programs do not count known ones as failures.
func TestKnown_Formats(t *testing.T) {
	t.Chdir(t.TempDir())
	window, lock := acceptedDoor(t, "window"), acceptedDoor(t, "lock")
	sys := doorSystem("window", "roof", "flood", "lock")
	rep, err := check.Run(t.Context(), check.Options{KeepGoing: true, Known: []string{window, lock}, Search: search.Config{
		System: sys, Strategy: search.Walk, MaxPaths: 200, WalkSteps: 50, Workers: 2, Time: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if got := told(rep); len(got) != 2 || rep.Count(report.Recurs) != 2 || rep.Accepted() < 2 {
		t.Errorf("%q, %+v", got, rep.Known)
	}
	d := document.New(rep, sys.Properties)
	var junit, sarif, lines, github strings.Builder
	if err := errors.Join(render.JUnit(&junit, d), render.SARIF(&sarif, d), render.Lines(&lines, d), render.GitHub(&github, d)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, word string
		want       int
	}{
		{junit.String(), "<failure ", 2}, {junit.String(), `<skipped message="known: `, 2}, {junit.String(), `name="nobody is in (2)"`, 1},
		{sarif.String(), `"ruleId"`, 4}, {sarif.String(), `"suppressions": [`, 2}, {sarif.String(), `"justification": "issue 12 (lock.path)"`, 1},
		{lines.String(), "\n[macemc] known: ", 2}, {lines.String(), "keepgoing_test.go:33: [macemc] door: safety", 1},
		{github.String(), "\n::notice::[macemc] known: ", 2}, {github.String(), "/check/keepgoing_test.go,line=", 2},
	} {
		if n := strings.Count(c.text, c.word); n != c.want {
			t.Errorf("%q %d times, want %d, in\n%s", c.word, n, c.want, c.text)
		}
	}
}

// A dead run without a proven critical step counts as any known one of its kind and property, and the report says so.
func TestKnown_Unproven(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	creak := sim.Action[*faultyDoor]{Name: "creak", Do: func(d *faultyDoor, _ sim.Env) { d.Creaks++ }}
	bolt := sim.Action[*faultyDoor]{Name: "bolt", Do: func(d *faultyDoor, _ sim.Env) { d.Locked = true },
		When: func(d *faultyDoor) bool { return d.Turns == 2 && !d.Locked }}
	o := check.Options{NoShrink: true, Search: search.Config{System: doorSystem("lock"), Strategy: search.Walk, MaxPaths: 20, Walks: 40, WalkSteps: 100, Workers: 2}}
	o.Search.System.Actions = append(o.Search.System.Actions, creak)
	o.Known = []string{writeKnown(t, "lock.path", acceptedText(t, o))}
	o.Search.System.Actions = append(o.Search.System.Actions, bolt)
	rep, err := check.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	says, _, _, _ := rendered(t, rep, 300, nil)
	if rep.Verdict != search.OK || len(rep.Known[0].Others) == 0 || !strings.Contains(says, " of them by action bolt (check/known_test.go:") || !strings.Contains(says, "), without a proven critical step") {
		t.Errorf("%s in\n%s", rep.Verdict, says)
	}
}

// Violations that differ only in the action, the property or the place of the panic are different findings.
func TestKnown_Identity(t *testing.T) {
	t.Chdir(t.TempDir())
	turns := func(n int) func(*faultyDoor) bool { return func(d *faultyDoor) bool { return d.Turns == n } }
	kick := func(d *faultyDoor, _ sim.Env) {
		if d.Turns == 1 {
			panic("the lock is broken")
		}
		panic("the lock is broken")
	}
	leak := func(d *faultyDoor, _ sim.Env) { d.In, d.Flooded = d.Turns == 1, d.Turns != 1 }
	for name, actions := range map[string][2]sim.Action[*faultyDoor]{
		"action":   {{Name: "window", When: turns(1), Do: (*faultyDoor).window}, {Name: "skylight", When: turns(2), Do: (*faultyDoor).window}},
		"property": {{Name: "leak", When: turns(1), Do: leak}, {Name: "leak", When: turns(2), Do: leak}},
		"panic":    {{Name: "kick", When: turns(1), Do: kick}, {Name: "kick", When: turns(2), Do: kick}},
	} {
		t.Run(name, func(t *testing.T) {
			o := check.Options{Search: search.Config{System: doorSystem(), Strategy: search.Walk, MaxPaths: 50, WalkSteps: 20, Workers: 1}}
			turn := o.Search.System.Actions[0]
			o.Search.System.Actions = []sim.AnyAction{turn, actions[0]}
			o.Known = []string{writeKnown(t, name+".path", acceptedText(t, o))}
			if rep, err := check.Run(t.Context(), o); err != nil || rep.Verdict != search.OK || rep.Accepted() == 0 {
				t.Errorf("the known one alone: %s, %+v, %v", rep.Verdict, rep.Known, err)
			}
			either := actions[0]
			either.When = func(d *faultyDoor) bool { return d.Turns == 1 || d.Turns == 2 }
			o.Search.System.Actions = []sim.AnyAction{turn, actions[0], actions[1]}
			if actions[0].Name == actions[1].Name { // names of actions are unique
				o.Search.System.Actions = []sim.AnyAction{turn, either}
			}
			if rep, err := check.Run(t.Context(), o); err != nil || rep.Verdict != search.Violation || rep.Steps != 3 || rep.Count(report.Recurs) != 1 {
				t.Errorf("with another one: %s in step %d, %+v, %v", rep.Verdict, rep.Steps, rep.Known, err)
			}
		})
	}
}

// Assertions and monitors with other words are other findings, also in the same step. A path that shows a panic with other words does not
// show the one that it records.
func TestKnown_Words(t *testing.T) {
	t.Chdir(t.TempDir())
	watched := func(fail func(d *faultyDoor) error) []func() sim.Monitor {
		return []func() sim.Monitor{func() sim.Monitor { return &watcher{fail} }}
	}
	leak := sim.Action[*faultyDoor]{Name: "leak", Do: func(d *faultyDoor, env sim.Env) { d.In = true; env.Announce(*d) },
		When: func(d *faultyDoor) bool { return d.Turns == 1 || d.Turns == 2 }}
	o := check.Options{Search: search.Config{System: doorSystem(), Strategy: search.Walk, MaxPaths: 80, WalkSteps: 20, Workers: 1}}
	sys := &o.Search.System
	sys.Properties = nil
	sys.Actions = append(sys.Actions, leak)
	sys.Monitors = watched(func(d *faultyDoor) error {
		if d.Turns == 1 {
			return fmt.Errorf("turn %d is wet", d.Turns)
		}
		return nil
	})
	rep, err := check.Run(t.Context(), o)
	if err != nil || rep.Verdict != search.Violation {
		t.Fatal(rep, err)
	}
	text, err := os.ReadFile(rep.PathFile)
	if err != nil {
		t.Fatal(err)
	}
	o.Known = []string{writeKnown(t, "wet.path", strings.Replace(string(text), "\n", "\nknown issue 12\n", 1))}
	for name, c := range map[string]struct {
		second string
		want   search.Verdict
	}{"the same words": {"turn %d is wet", search.OK}, "other words": {"turn %d is cold", search.Violation}} {
		sys.Monitors = watched(func(d *faultyDoor) error {
			if d.Turns == 1 {
				return fmt.Errorf("turn %d is wet", d.Turns)
			}
			return fmt.Errorf(c.second, d.Turns)
		})
		if rep, err = check.Run(t.Context(), o); err != nil || rep.Verdict != c.want || rep.Count(report.Recurs) != 1 {
			t.Errorf("%s: %s, %+v, %v", name, rep.Verdict, rep.Known, err)
		}
	}
	sys.Monitors = watched(func(d *faultyDoor) error { return fmt.Errorf("turn %d is cold", d.Turns) })
	if rep, err = check.Run(t.Context(), o); err != nil || rep.Verdict != search.Violation || rep.Count(report.Changed) != 1 {
		t.Errorf("the path shows other words: %s, %+v, %v", rep.Verdict, rep.Known, err)
	}
}

// watcher is a monitor of doors.
type watcher struct {
	fail func(*faultyDoor) error `macemc:"-"`
}

// Observe implements [sim.Monitor].
func (w *watcher) Observe(_ sim.NodeID, event any) error {
	d := event.(faultyDoor)
	return w.fail(&d)
}

// If the initial state shows the known finding, nothing else is looked at.
func TestKnown_AtTheStart(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, strategy := range []search.Name{search.Walk, search.Deepening, search.BFS, search.DFS} {
		sys := doorSystem("flood")
		sys.Properties[0].Always = func(*sim.View) bool { return false }
		o := check.Options{Search: search.Config{System: sys, Strategy: strategy, Workers: 1}}
		o.Known = []string{writeKnown(t, "start.path", acceptedText(t, o))}
		rep, err := check.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		says, _, _, _ := rendered(t, rep, 300, nil)
		if rep.Verdict != search.Inconclusive || !strings.Contains(says, "known, and nothing else could be looked at, because ") {
			t.Errorf("%s: %s in\n%s", strategy, rep.Verdict, says)
		}
	}
}

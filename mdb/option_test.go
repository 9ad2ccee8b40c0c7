package mdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

// viewed returns the parts of a view that concern what can happen.
func viewed(t *testing.T, s *mdb.Session) mdb.View {
	t.Helper()
	v := s.View(mdb.Wanted{Options: true, Image: 700})
	if v.Err != "" {
		t.Fatal(v.Err)
	}
	return v
}

// commands returns options as one text: the command, "!" for faults and "@" for what happens in the run.
func commands(options []mdb.OptionLine) string {
	var lines []string
	for _, o := range options {
		mark := ""
		if o.Fault {
			mark += "!"
		}
		if o.Taken {
			mark += "@"
		}
		lines = append(lines, fmt.Sprintf("%s%s: n%d %s", mark, o.Command, o.Node, o.Text))
	}
	return strings.Join(lines, "\n")
}

// The events, the answers, the properties and the runs of a view are those of the commands.
func TestView_Options(t *testing.T) {
	s := drawn(t)
	do(t, s, "2")
	v := viewed(t, s)
	if got, want := commands(v.Options), "@next: n0 n0 draw\ntake 1: n1 n1 draw"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if p := v.Properties; len(p) != 1 ||
		p[0] != (mdb.PropertyLine{Kind: "eventually", Name: "n0 is lucky", State: "does not hold", Since: "from the start"}) {
		t.Errorf("properties: %+v", p)
	}
	do(t, s, "next")
	v = viewed(t, s)
	if p := v.Properties; p[0].State != "holds" || p[0].Since != "since step 3" {
		t.Errorf("properties: %+v", p)
	}
	if len(v.Questions) != 1 || v.Questions[0].Text != `draw "luck": alternative 3 of 4` {
		t.Fatalf("questions: %+v", v.Questions)
	}
	for pick, a := range v.Questions[0].Alternatives {
		if a.Taken != (pick == 3) {
			t.Errorf("alternative %d: %+v", pick, a)
		}
		do(t, s, "run main 3")
		wants(t, do(t, s, a.Command+"; choices"), fmt.Sprintf(`"luck": alternative %d of 4`, pick), "step 3: event 0 of these")
	}
	wants(t, do(t, s, "run main 3"), "main step 3 of 6")
	do(t, s, v.Questions[0].Alternatives[3].Command)
	if p := s.Position(); p.Run != "main" || p.Step != 3 {
		t.Errorf("the answer of the run leads to %+v", p)
	}
	runs := viewed(t, s).Runs
	if len(runs) != 4 || runs[0].Unsaved || !runs[1].Unsaved || !runs[0].Current ||
		runs[1].Text != "3 steps, at step 3, branched from main at step 2, not saved" {
		t.Errorf("runs: %+v", runs)
	}
	do(t, s, "run main end")
	if got, want := commands(viewed(t, s).Options), "take 0: n0 n0 draw\ntake 1: n1 n1 draw"; got != want {
		t.Errorf("at the end: got\n%s\nwant\n%s", got, want)
	}
}

// Faults are marked, and what the run does next keeps the answers of the run.
func TestView_Faults(t *testing.T) {
	s := opened(t, mdb.Config{System: &sim.System{
		Name: "counter", Nodes: 1, Crashes: 1, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
	}})
	if got, want := commands(viewed(t, s).Options), "take 0: n0 n0 add\n!take 1: n0 n0 crashes"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	do(t, s, "take 1; prev")
	if got, want := commands(viewed(t, s).Options), "take 0: n0 n0 add\n!@next: n0 n0 crashes"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A finding that ends the run leaves nothing to choose.
func TestView_AfterFinding(t *testing.T) {
	s := opened(t, mdb.Config{System: &sim.System{
		Name: "falls", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{} },
		Actions: []sim.AnyAction{sim.Action[*drawer]{Name: "fall", Do: (*drawer).fall}},
	}})
	do(t, s, "take 0")
	if v := viewed(t, s); len(v.Options) != 0 || v.At.Finding != "PANIC: it fell" {
		t.Errorf("%+v: %s", v.At, commands(v.Options))
	}
}

// The image shows the steps around the current one, each with its number.
func TestView_Image(t *testing.T) {
	s := opened(t, mdb.Config{Path: make(choose.Path, 400), System: &sim.System{
		Name: "counter", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
	}})
	for _, c := range []struct{ at, first, last int }{{0, 0, 100}, {1, 0, 101}, {150, 50, 250}, {400, 300, 400}} {
		do(t, s, fmt.Sprint(c.at))
		image := viewed(t, s).Image
		rows := strings.Count(string(image.Steps), `class="step"`)
		has := func(n int) bool { return strings.Contains(string(image.Steps), fmt.Sprintf(`data-step="%d"`, n)) }
		if rows != c.last-c.first+1 || !has(c.first) || !has(c.last) || has(c.first-1) || has(c.last+1) {
			t.Errorf("at step %d: %d rows", c.at, rows)
		}
		if !strings.Contains(string(image.Names), ">n1</text>") || !strings.Contains(string(image.Legend), "action") {
			t.Errorf("names %s, legend %s", image.Names, image.Legend)
		}
	}
}

// Without a path the run is the first state. The questions of the first boots get the first answer.
func TestOpen_System(t *testing.T) {
	s := opened(t, mdb.Config{System: &sim.System{
		Name: "moody", Nodes: 2, New: func(sim.NodeID) sim.Service { return &moody{} },
		Actions: []sim.AnyAction{sim.Action[*moody]{Name: "add", Do: func(m *moody, env sim.Env) { m.add(env) }}},
	}})
	if p := s.Position(); p.Last != 0 || p.Step != 0 || p.Run != "main" {
		t.Errorf("got %+v, want the start of run main", p)
	}
	wants(t, do(t, s, "choices"), `"mood": alternative 0 of 2`)
	wants(t, do(t, s, "take 1"), "branch1 step 1 of 1: n1 add")
	wants(t, do(t, s, "take 0; runs"), "branch1    2 steps, at step 2, branched from main at step 0")
}

// A regression test is written for the file of the run, once that is saved.
func TestRegressionTest(t *testing.T) {
	if why := fails(t, drawn(t), "test"); !strings.Contains(why, "not defined by one") {
		t.Error(why)
	}
	var files []string
	s := opened(t, mdb.Config{
		System: &sim.System{
			Name: "counter", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} },
			Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
		},
		WriteTest: func(file string) (string, error) {
			if files = append(files, file); len(files) > 1 {
				return "", errors.New("it is there already")
			}
			return "regress_test.go", nil
		},
	})
	file := filepath.Join(t.TempDir(), "two.path")
	if why := fails(t, s, "test"); why != `main is not saved: "save FILE" first` {
		t.Error(why)
	}
	if why := fails(t, s, "take 0; take 0; test"); why != `branch1 is not saved: "save FILE" first` {
		t.Error(why)
	}
	wants(t, do(t, s, "save "+file+"; test"), "the regression test is regress_test.go\n")
	if why := fails(t, s, "test"); why != "it is there already" {
		t.Error(why)
	}
	if len(files) != 2 || files[0] != file {
		t.Errorf("tests for %q", files)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), " action n0 add ") != 2 {
		t.Errorf("%v: %s", err, text)
	}
	if why := fails(t, s, "take 0; test"); why != `branch1 is not saved: "save FILE" first` {
		t.Error(why)
	}
}

// A view and "options" list the other goroutines that can continue before a step of a recorded test, without one that the step wakes.
func TestView_Goroutines(t *testing.T) {
	trace := &replay.Trace{System: "TestX", Nodes: 4, Steps: make([]replay.TraceStep, 2)}
	trace.Boot.Changes = []replay.NodeChange{
		{Node: 0, Path: history.PathStatus, New: history.StatusCanRun}, {Node: 1, Path: history.PathAt, New: "a.go:7"},
		{Node: 1, Path: history.PathOperation, New: "unlocks"}, {Node: 1, Path: history.PathStatus, New: history.StatusCanRun},
		{Node: 2, Path: history.PathStatus, New: history.StatusCanRun + ", started by g1"},
	}
	trace.Steps[0] = replay.TraceStep{Number: 1, What: "unlocks", Changes: []replay.NodeChange{
		{Node: 3, Path: history.PathStatus, New: history.StatusCanRun}}}
	trace.Steps[1] = replay.TraceStep{Number: 2, What: "locks", Node: 1, Event: netmodel.Event{Node: 1}, Changes: []replay.NodeChange{
		{Node: 0, Path: history.PathStatus, New: "waits"}, {Node: 1, Path: history.PathStatus, New: "runs"}}}
	try := func(context.Context, string, string, int, int) (*replay.Trace, error) {
		return nil, errors.New("not here")
	}
	for want, cfg := range map[string]mdb.Config{"": {Trace: trace},
		"take g2: n1 g2: unlocks at a.go:7\ntake g3: n2 g3: can run, started by g1": {Trace: trace, Try: try}} {
		s := opened(t, cfg)
		do(t, s, "1")
		if got := commands(viewed(t, s).Options); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		wants(t, do(t, s, "options"), "  g2: unlocks at a.go:7\n  g3: can run, started by g1\n")
		wants(t, do(t, s, "2; options"), "  g3: can run, started by g1\n  g4: can run\n")
		if cfg.Try == nil {
			continue
		}
		for line, want := range map[string]string{
			"1; instead g1":          `g1 continues here in this run, too; "options" lists the others that can`,
			"2; take g1":             `g1 cannot continue here: it waits; "options" lists the goroutines that can`,
			"2; take":                `which goroutine? "options" lists those that can continue; usage: take GOROUTINE`,
			"2; instead 9":           `unknown goroutine "9"; goroutines are g1 to g4; usage: instead GOROUTINE`,
			"2; instead goroutine 3": "not here", // try has been called
			"2; choices":             `"choices" needs a system of nodes; in the schedule of a test use "options" and "take gN"`,
			"start; options":         "no goroutine can continue here: the first choice is at step 1",
		} {
			if why := fails(t, s, line); why != want {
				t.Errorf("%s: %s, want %s", line, why, want)
			}
		}
	}
}

// A node, or a goroutine, finds its steps.
func TestFind_Node(t *testing.T) {
	for line, want := range map[string]string{"find n1": "step 2 of 6: n1 draw", "find node 1; again": "step 5 of 6: n1 draw",
		"6; rfind 'node 1'": "step 5 of 6: n1 draw", "find n1; find n0": "step 3 of 6: n0 draw", "find n1.Luck": "step 2 of 6: n1 draw"} {
		wants(t, do(t, drawn(t), line), want)
	}
	if why := fails(t, drawn(t), "find n2"); why != `unknown node "n2"; nodes are n0 to n1; usage: find WHAT` {
		t.Error(why)
	}
	trace := &replay.Trace{System: "TestX", Nodes: 2, Steps: make([]replay.TraceStep, 2)}
	trace.Steps[1] = replay.TraceStep{Number: 2, What: "locks", Node: 1, Event: netmodel.Event{Node: 1}}
	for _, line := range []string{"find g2", "find goroutine 2", "find 'goroutine 2'"} {
		wants(t, do(t, opened(t, mdb.Config{Trace: trace}), line), "step 2 of 2: g2 locks")
	}
}

// A property that may still hold has not failed. The events of a step are counted with the faults.
func TestProperties_NotYet(t *testing.T) {
	luck := func(n sim.NodeID) func(*sim.View) bool {
		return func(v *sim.View) bool { d, ok := v.Service(n).(*drawer); return ok && d.Luck == 3 }
	}
	s := opened(t, mdb.Config{System: &sim.System{
		Name: "draws", Nodes: 2, New: func(sim.NodeID) sim.Service { return &drawer{} }, Crashes: 1,
		Actions:    []sim.AnyAction{sim.Action[*drawer]{Name: "draw", Do: (*drawer).draw}},
		Properties: []sim.Property{{Name: "n0 is lucky", Eventually: luck(0)}, {Name: "n1 is lucky", Sometimes: luck(1)}},
	}})
	wants(t, do(t, s, "take 0; step"), "event 0 of 4: ")
	wants(t, do(t, s, "properties"), "  eventually does not hold  from the start   n0 is lucky\n", "  sometimes  not yet                         n1 is lucky\n")
	wants(t, do(t, s, "take 1 3; properties"), "  sometimes  holds          since step 2     n1 is lucky\n")
	wants(t, do(t, s, "take 1 0; properties"), "  sometimes  does not hold  since step 3     n1 is lucky\n")
}

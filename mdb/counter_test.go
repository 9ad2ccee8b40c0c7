package mdb_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// counter counts on two nodes.
type counter struct {
	sim.Nop
	Count int
}

func (c *counter) add(sim.Env) { c.Count++ }

// counted opens a run in which node 0 counts, with the event of index 0 in each step. A count above two violates a property.
func counted(t *testing.T, steps int) *mdb.Session {
	t.Helper()
	sys := &sim.System{
		Name: "counter", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
		Properties: []sim.Property{
			{Name: "all count", Eventually: sim.Each(func(_ sim.NodeID, c *counter) bool { return c.Count > 0 })},
			{Name: "two at most", Always: sim.Each(func(_ sim.NodeID, c *counter) bool { return c.Count <= 2 })},
		},
	}
	return opened(t, mdb.Config{System: sys, Path: make(choose.Path, steps), Name: "error.path"})
}

// The debugger finds the panic of a property in the first state in which it occurs, as a report does. This holds for
// properties of all kinds.
func TestPropertyPanics(t *testing.T) {
	s := opened(t, mdb.Config{Path: make(choose.Path, 3), System: &sim.System{
		Name: "counter", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
		Properties: []sim.Property{{Name: "odd", Eventually: func(v *sim.View) bool {
			if v.Service(0).(*counter).Count == 2 {
				panic("two")
			}
			return true
		}}},
	}})
	if out := do(t, s, "1"); strings.Contains(out, "PANIC") {
		t.Errorf("too early:\n%s", out)
	}
	wants(t, do(t, s, "2"), "PANIC: odd: the property's function panicked: two")
}

// fails executes a line that must fail, and returns the error.
func fails(t *testing.T, s *mdb.Session, line string) string {
	t.Helper()
	var out bytes.Buffer
	err := s.Do(t.Context(), line, &out)
	if err == nil {
		t.Fatalf("%s: no error but\n%s", line, out.String())
	}
	return err.Error()
}

// A state that violates a property is a finding, and is shown wherever findings of steps are. Steps can follow it, but walks cannot: they
// would end at once.
func TestViolatedProperty(t *testing.T) {
	const found = "SAFETY VIOLATION: two at most"
	s := counted(t, 3)
	for _, line := range []string{"end", "info", "runs"} {
		if out := do(t, s, line); !strings.Contains(out, found) {
			t.Errorf("%s does not tell of the violation:\n%s", line, out)
		}
	}
	if p := s.Position(); !strings.Contains(p.Finding, found) {
		t.Errorf("the position tells of %q", p.Finding)
	}
	for _, line := range []string{"walk", "search live", "search violation"} {
		if why := fails(t, s, line); !strings.Contains(why, found) {
			t.Errorf("%s fails because %s", line, why)
		}
	}
	wants(t, do(t, s, "critical; step"), "no step is critical", "step 3 of this one is a "+found, "step 3 of 3")
	if out := do(t, s, "take 0"); strings.Contains(out, found) {
		t.Errorf("the violation is told of once more:\n%s", out)
	}
	if out := do(t, s, "prev"); !strings.Contains(out, found) {
		t.Errorf("the branch does not tell of the violation:\n%s", out)
	}
	if out := do(t, s, "2; take 1; runs"); !strings.Contains(out, "@ branch2    3 steps, at step 3, branched from branch1 at step 2, live in the end") {
		t.Errorf("node 1 counts, and that is too much:\n%s", out)
	}
	do(t, s, "run main")
	if out := do(t, s, "1; search violation"); !strings.Contains(out, found) {
		t.Errorf("from before it nothing is found:\n%s", out)
	}
}

// moody answers one question when it boots, and another one in some moods.
type moody struct {
	counter
	Mood int
}

func (m *moody) Boot(env sim.Env) {
	if m.Mood = env.Choose("mood", 2); m.Mood == 1 {
		m.Mood += env.Choose("how", 2)
	}
}

// Runs share a prefix only if the answers of their first boots are equal.
func TestSharedSteps(t *testing.T) {
	sys := &sim.System{
		Name: "moody", Nodes: 1, New: func(sim.NodeID) sim.Service { return &moody{} },
		Actions: []sim.AnyAction{sim.Action[*moody]{Name: "add", Do: func(m *moody, env sim.Env) { m.add(env) }}},
	}
	for _, c := range []struct {
		path, live choose.Path
		want       string
	}{
		{choose.Path{0, 0, 0}, choose.Path{0, 0, 0, 0}, "branched from main at step 2"},
		{choose.Path{1, 0, 0, 0}, choose.Path{0, 0, 0}, "branched from main at step 0"},
		{choose.Path{0, 0, 0}, choose.Path{1, 0, 0, 0}, "branched from main at step 0"},
		{choose.Path{1, 0, 0, 0}, choose.Path{1, 1, 0, 0}, "branched from main at step 0"},
		{choose.Path{1, 1, 0, 0}, choose.Path{1, 1, 0}, "branched from main at step 1"},
	} {
		s := opened(t, mdb.Config{System: sys, Path: c.path, Live: c.live})
		if out := do(t, s, "runs"); !strings.Contains(out, c.want) {
			t.Errorf("%v and %v, want %q:\n%s", c.path, c.live, c.want, out)
		}
	}
}

// A step that fails leaves the branch unchanged, also for branches of it.
func TestWrongPicks(t *testing.T) {
	s := counted(t, 2)
	do(t, s, "1; take 1; save '"+t.TempDir()+"/one.path'") // branch1: n0, n1
	do(t, s, "1; take 0")                                  // branch2, off branch1
	do(t, s, "run branch1 2")
	before := do(t, s, "runs")
	if why := fails(t, s, "take 0 1"); !strings.Contains(why, "the step has 0 choices, but 1 picks were given") {
		t.Error(why)
	}
	if after := do(t, s, "runs"); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
	if out := do(t, s, "run branch2 2; diff"); !strings.Contains(out, "branch2 after step 2 | branch1 after step 2") {
		t.Errorf("the difference from the branch as it was:\n%s", out)
	}
	do(t, s, "run branch1 2; take 0")
	if out := do(t, s, "runs"); !strings.Contains(out, "@ branch1    3 steps") {
		t.Errorf("the branch does not go on:\n%s", out)
	}
	if out := do(t, s, "run branch2 2; diff branch1 3"); !strings.Contains(out, "branch1 after step 3") {
		t.Error(out)
	}
	if out := do(t, s, "run branch2 2; diff 1; diff match"); !strings.Contains(out, "n1.Count  0 | 1") {
		t.Error(out)
	}
}

func (c *counter) remind(env sim.Env) { env.Send(env.Self(), 5) }

// A line of the event graph belongs to its step, independent of its text.
func TestLanes(t *testing.T) {
	sys := &sim.System{
		Name: "reminder", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counter{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{
			sim.Action[*counter]{Name: "remind", Times: 1, Do: (*counter).remind},
			sim.Action[*counter]{Name: "add", Do: (*counter).add},
		},
	}
	s := opened(t, mdb.Config{System: sys, Path: make(choose.Path, 8)})
	lines, err := s.Lanes(1, 8, 80)
	if err != nil {
		t.Fatal(err)
	}
	var steps []int
	for _, l := range lines {
		steps = append(steps, l.Step)
		if strings.Contains(l.Text, "5 to itself") && l.Step != 1 {
			t.Errorf("step %d: %s", l.Step, l.Text)
		}
	}
	// The first step sends the reminder, which is still in flight at the end.
	if want := []int{0, 1, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(steps, want) {
		t.Errorf("lines are of steps %v, want %v: %+v", steps, want, lines)
	}
}

func (c *counter) tellTwice(env sim.Env) {
	env.Send(1-env.Self(), 7)
	env.Send(1-env.Self(), 8)
}

// Messages that a node had not sent when it crashed are not shown as sent.
func TestMessageOfCrash(t *testing.T) {
	sys := &sim.System{
		Name: "crashing", Nodes: 2, Crashes: 1, New: func(sim.NodeID) sim.Service { return &counter{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "tell twice", Times: 1, Do: (*counter).tellTwice}},
	}
	s := opened(t, mdb.Config{System: sys, Path: choose.Path{0, 2}}) // the crash after one effect
	if out := do(t, s, "step 1"); !strings.Contains(out, "send 7 to n1  [") || !strings.Contains(out, "send 8 to n1 (did not happen)") {
		t.Fatalf("another crash was wanted:\n%s", out)
	}
	do(t, s, "find message 7; start")
	wants(t, do(t, s, "find message 8"), "no step after step 0 matches message 8")
}

// A crash of a process is a step of each of its nodes, and the cause of their boots.
func TestCrashOfProcess(t *testing.T) {
	sys := &sim.System{
		Name: "housed", Nodes: 3, Crashes: 1, New: func(sim.NodeID) sim.Service { return &counter{} }, Containers: [][]sim.NodeID{{0, 2}},
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
	}
	s := opened(t, mdb.Config{System: sys, Path: choose.Path{0, 2, 3, 1, 2}}) // n0 and n2 add, crash, n1 adds, n2 boots
	for _, c := range []struct{ line, want string }{
		{"step 3", "n0 crashes with n2  (live)\n  n0 is down\n  n2 is down\n"},
		{"next n2", "step 2 of 5: n2 add"},
		{"next n2", "step 3 of 5: n0 crashes with n2"},
		{"next n2", "step 5 of 5: n2 boots"},
		{"goto 1", "step 1 of 5"},
		{"find n2.Count changes", "step 2 of 5"},
		{"find n2.Count changes", "step 3 of 5"},
		{"find n2.Count changes", "step 5 of 5"},
	} {
		if out := do(t, s, c.line); !strings.Contains(out, c.want) {
			t.Errorf("%s: %q, want %q", c.line, out, c.want)
		}
	}
}

// Batch mode and "again" repeat the words exactly as they were given.
func TestQuotes(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	s := counted(t, 2)
	lines := []string{`save "it's "'"so"'`, `save '#1'`, `steps '/a/ b/'`, `find event 'n0 add'`, `start; again`, `quit; fly`}
	if err := mdb.Batch(t.Context(), s, lines, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, name := range []string{`it's "so"`, "#1"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(out.String(), "(mdb) steps '/a/ b/'\nno step matches\n") {
		t.Errorf("it was executed otherwise:\n%s", out.String())
	}
	// A search whose text does not survive quoting unchanged is repeated as it was.
	do(t, s, `start; find event "/n0 'add|n0 add/"`)
	if out := do(t, s, "again"); !strings.Contains(out, "step 2 of 2") {
		t.Error(out)
	}
}

// A canceled prompt does not wait for a line.
func TestPromptEnds(t *testing.T) {
	in, keyboard := io.Pipe()
	defer keyboard.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	out, shown := io.Pipe()
	go func() { ended <- mdb.Prompt(ctx, counted(t, 2), in, shown, nil) }()
	if _, err := io.ReadFull(out, make([]byte, len("(mdb) "))); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, out)
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for a line")
	}
}

// Canceled walks end early and leave the session unchanged.
func TestStoppedWalks(t *testing.T) {
	s := opened(t, mdb.Config{System: late(), Path: choose.Path{0}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := do(t, s, "runs")
	if err := s.Do(ctx, "walk steps=5000", io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("walk: %v", err)
	}
	for _, line := range []string{"search live steps=5000", "search violation steps=5000 time=10s"} {
		if err := s.Do(ctx, line, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if after := do(t, s, "runs"); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}

// The causes of a violation include the steps of other nodes whose states its property reads.
func TestWhy_ReadsOfProperty(t *testing.T) {
	s := opened(t, mdb.Config{Path: choose.Path{0, 1}, Name: "error.path", System: &sim.System{
		Name: "counter", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "add", Do: (*counter).add}},
		Properties: []sim.Property{{Name: "one in all", Always: func(v *sim.View) bool {
			return v.Service(0).(*counter).Count+v.Service(1).(*counter).Count <= 1
		}}},
	}})
	wants(t, do(t, s, "end; why"), "    2  n1 add", "the property also reads what step 1 wrote: n0 add")
	if out := do(t, s, "1; why"); strings.Contains(out, "also reads") {
		t.Errorf("the step before:\n%s", out)
	}
	// A step that has written another field of the violating node is one of them.
	s = opened(t, mdb.Config{Path: choose.Path{0, 1}, System: &sim.System{
		Name: "moody", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{} },
		Actions: []sim.AnyAction{
			sim.Action[*drawer]{Name: "luck", Do: func(d *drawer, _ sim.Env) { d.Luck = 1 }},
			sim.Action[*drawer]{Name: "mood", Do: func(d *drawer, _ sim.Env) { d.Mood = 1 }},
		},
		Properties: []sim.Property{{Name: "not both", Always: sim.Each(func(_ sim.NodeID, d *drawer) bool {
			return d.Luck == 0 || d.Mood == 0
		})}},
	}})
	wants(t, do(t, s, "end; why"), "    2  n0 mood", "the property reads n0, and step 1 wrote other fields of it: n0 luck")
}

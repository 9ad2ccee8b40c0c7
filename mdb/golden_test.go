package mdb_test

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
)

func opened(t testing.TB, cfg mdb.Config) *mdb.Session {
	t.Helper()
	s, err := mdb.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open opens the run in a folder of testdata, which is the first 40 steps of a finding of "macemc search", together with its live run.
func open(t testing.TB, folder string) *mdb.Session {
	t.Helper()
	file := filepath.Join("testdata", folder, "error.path")
	l, err := check.Load(t.Context(), systems.All(), file, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	live, err := check.LoadFor(t.Context(), filepath.Join("testdata", folder, "live.path"), &l.System, nil)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, mdb.Config{
		System: &l.System, Header: l.Header, Path: l.Path, Name: "error.path",
		Live: live.Path, LiveName: "live.path", CriticalTransition: mdb.ReadCriticalTransition(file),
	})
}

// do executes a line that must not fail.
func do(t testing.TB, s *mdb.Session, line string) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Do(t.Context(), line, &out); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return out.String()
}

func script(t *testing.T, folder string, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := mdb.Batch(t.Context(), open(t, folder), lines, &out); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, folder+".txt", out.Bytes())
	return out.String()
}

// This session shows the paper's figures 5 and 6. At the critical transition, the sender of two SYNs learns that the newer one was
// received, although the older one has replaced it by then. The live run, after as many steps, still has the timer that sends the newer SYN
// again.
func TestStaleSYN(t *testing.T) {
	script(t, "mt3", "info", "critical", "why", "diff live same", "run live same", "timers",
		"find message /Data.*4001/", "run main match", "graph 8 18", "properties", "choices")
	s := open(t, "mt3")
	do(t, s, "critical")
	out := do(t, s, "diff live same")
	for _, want := range []string{
		"n0.transport.peers[1].out.base  4002 | 4001",
		"n0.(timer retransmit{Peer:1 Seq:4001})  none | armed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the difference lacks %q:\n%s", want, out)
		}
	}
	do(t, s, "run live same")
	if out := do(t, s, "timers n0"); !strings.Contains(out, "n0  retransmit{Peer:1 Seq:4001}  armed, since step 9") {
		t.Errorf("timers of the live run:\n%s", out)
	}
	if out := do(t, s, "field n0.out.packets[0]"); !strings.Contains(out, "body.(Numbered).Number  1") {
		t.Errorf("the packet that is sent again:\n%s", out)
	}
}

// A crashed node receives the answer to a join that it does not remember. The session shows the crash, the answer in state init, and that
// there is no Remove in the end.
func TestForgottenJoin(t *testing.T) {
	script(t, "rt13", "critical", "state n1", "why", "rfind event /crashes/", "next n1", "find n1.State changes",
		"field Children", "messages", "connections", "diff live", "steps kind=deliver n1", "graph 15 22")
}

// "continue" goes to the critical step first, then to the end.
func TestContinue(t *testing.T) {
	s := open(t, "rt13")
	for _, want := range []string{"CRITICAL", "step 40 of 40"} {
		if out := do(t, s, "continue"); !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if err := s.Do(t.Context(), "continue", io.Discard); err == nil {
		t.Error("there are steps after the last one")
	}
}

// Commands that only work in some states return an error with advice. None of them ends the session.
func TestErrors(t *testing.T) {
	s := open(t, "rt13")
	for _, c := range []struct{ line, want string }{
		{"fly", `unknown command "fly"`},
		{"s", ""}, // an alias is unambiguous
		{"ne x", `unknown node "x"; nodes are n0 to n2`},
		{"goto 41", "no step 41; the run has 40"},
		{"goto sometime", "is not a step"},
		{"next .", "no node is selected"},
		{"next 0", "count of at least 1"},
		{"prev 0 n1", "count of at least 1"},
		{"step 1 2", "more than one step"},
		{"why 1 2", "more than one step"},
		{"choices 1 2", "more than one step"},
		{"timers /joinTimer/", "only nodes"},
		{"disk /x/", "only nodes"},
		{"runs live", "takes no arguments"},
		{"find", "find what?"},
		{"finish", "finish is for the goroutines of a test, and this is the run of a system"},
		{"locals", `a debugger executes that test. A bundled system has no test, so use "state", "step" and "list"`},
		{"goroutine x1", "neither a node, such as n1, nor a goroutine, such as g3"},
		{"find event", "a regular expression is missing"},
		{"find event /(/", "missing closing"},
		{"find n7.State", "has a field"},
		{"find n1.Root > many", "is not a number"},
		{"find property /nonsense/", "no property matches"},
		{"field nothing", `no node has a field "nothing"`},
		{"steps kind=dance", "no kind of event"},
		{"diff 99", "no step 99; the run has 40"},
		{"diff nobody", `unknown run "nobody"; the runs are main, live`},
		{"run", "which run?"},
		{"take", "which event?"},
		{"take 99", "there is no event 99"},
		{"take x", `no event contains "x"`},
		{"start; instead 0", "no step to replace"},
		{"walk far", `"far"?`},
		{"walk miles=3", "unknown setting"},
		{"search happiness", "live or violation"},
		{"save", "name of a file is missing"},
		{"graph 1 10 gif x", "neither a step nor a format"},
		{"graph 1 99", "no step 99; the run has 40"},
		{"graph 1 10 svg", "name of a file is missing"},
		{"state 'n1", "is not closed"},
	} {
		var out bytes.Buffer
		err := s.Do(t.Context(), c.line, &out)
		switch {
		case c.want == "" && err != nil && !strings.Contains(err.Error(), "none of"):
			t.Errorf("%s: %v", c.line, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want one with %q", c.line, err, c.want)
		}
	}
	if out := do(t, s, "step 3"); !strings.Contains(out, "step 3 of 40") {
		t.Errorf("after all that:\n%s", out)
	}
}

// The help texts are generated from the table.
func TestReference(t *testing.T) {
	golden.Compare(t, "../../docs/mdb.md", []byte(mdb.Reference()))
	s := open(t, "rt13")
	golden.Compare(t, "help.txt", []byte(do(t, s, "help")))
	seen := map[string]string{}
	words, _ := s.Complete("")
	for _, name := range words {
		out := do(t, s, "help "+name)
		if !strings.HasPrefix(out, name) {
			t.Errorf("help %s:\n%s", name, out)
		}
		_, also, _ := strings.Cut(out, "also: ")
		also, _, _ = strings.Cut(also, "\n")
		for _, alias := range append(strings.Split(also, ", "), name) {
			if other, ok := seen[alias]; ok && alias != "" {
				t.Errorf("%s is %s and %s", alias, other, name)
			}
			seen[alias] = name
		}
	}
}

func TestComplete(t *testing.T) {
	s := open(t, "rt13")
	for _, c := range []struct {
		line  string
		want  string
		begin int
	}{
		{"ne", "next", 0},
		{"critical; pr", "prev print properties", 10},
		{"run l", "live", 4},
		{"find n1.Pe", "n1.Peers", 5},
		{"goto s", "start", 5},
		{"fly ", "", 4},
	} {
		words, begin := s.Complete(c.line)
		if strings.Join(words, " ") != c.want || begin != c.begin {
			t.Errorf("%q: %q at %d, want %q at %d", c.line, words, begin, c.want, c.begin)
		}
	}
}

// The prompt continues after errors and ends at quit.
func TestPrompt(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader("next\n\nfly\nquit\nnext\n")
	if err := mdb.Prompt(t.Context(), open(t, "rt13"), in, &out, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"step 1 of 40", "step 2 of 40", `error: unknown command "fly"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "step 3 of 40") {
		t.Errorf("it went on after quit:\n%s", out.String())
	}
}

// An empty match does not claim that no message is in flight.
func TestNoSuchMessage(t *testing.T) {
	s := open(t, "rt13")
	if out := do(t, s, "start; messages"); !strings.Contains(out, "no message is in flight") {
		t.Errorf("at the start:\n%s", out)
	}
	do(t, s, "find message /Join/")
	for at := 0; strings.Contains(do(t, s, "messages"), "no message"); at++ {
		if at == 10 {
			t.Fatal("no step after which a message is in flight")
		}
		do(t, s, "next")
	}
	if out := do(t, s, "messages /nonsense/"); !strings.Contains(out, "no such message is in flight, but") {
		t.Errorf("with messages in flight:\n%s", out)
	}
}

type slip struct{ Nr int }

// Equal messages in flight are one line. The order of a stream is visible.
func TestMessages_Equal(t *testing.T) {
	send := func(_ *counter, env sim.Env) {
		for _, nr := range []int{1, 2, 1, 1} {
			env.Send(1, slip{nr})
			_ = env.Stream(1).Send(slip{nr})
		}
	}
	s := opened(t, mdb.Config{Path: choose.Path{0, 0}, System: &sim.System{
		Name: "slips", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counter{} },
		Network: netsim.Both{Datagrams: netsim.Datagrams{}, Streams: netsim.Streams{}},
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "send", Do: send, At: func(id sim.NodeID) bool { return id == 0 }}},
	}})
	const first = "  n0->n1  slip{2} (stream)  sent in step 1\n  n0->n1  slip{1} (stream) x"
	wants(t, do(t, s, "1; messages"), "  n0->n1  slip{1} x3  sent in step 1\n  n0->n1  slip{2}  sent in step 1\n", first+"2  sent in step 1\n")
	wants(t, do(t, s, "2; messages n1"), "  n0->n1  slip{1} x6  sent in steps 1 to 2\n", first+"3  sent in steps 1 to 2\n")
	wants(t, fails(t, s, "take 99"), "there is no event 99; \"options\" lists 0 to ")
	idle := opened(t, mdb.Config{System: &sim.System{Name: "idle", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} }}})
	wants(t, do(t, idle, "options")+fails(t, idle, "take 0"), "  nothing can happen\nnothing can happen here")
}

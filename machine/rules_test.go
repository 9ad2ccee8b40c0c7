package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

type (
	A struct{}
	B struct{}
	C struct{}
	N struct{ N int }
)

// log is the variables of most machines here: a record of its actions.
type log struct{ Did string }

func did(s string) func(*log, *machine.Ctx) { return func(l *log, _ *machine.Ctx) { l.Did += s } }

func on[E any](s string, then ...func(*machine.Ctx)) func(*log, *machine.Ctx, E) {
	return func(l *log, x *machine.Ctx, _ E) {
		l.Did += s
		for _, f := range then {
			f(x)
		}
	}
}

// sends is a machine that sends events to machine 0 when it starts.
type sends struct{ What string }

func (s *sends) start(x *machine.Ctx) {
	for _, c := range s.What {
		x.Send(0, map[rune]any{'a': A{}, 'b': B{}, 'c': C{}, 'h': machine.Halt{}}[c])
	}
}

var sender = machine.Define[sends]("sender", machine.In("only", machine.Entry((*sends).start)))

// outcome is the result of an exploration by both engines.
type outcome struct {
	states, transitions int
	finding             string
	ends                map[string]int // record of machine 0 in states without successors
}

func run(t testing.TB, ms *machine.System, change ...func(*sim.System)) outcome {
	t.Helper()
	sys := ms.Sim("test")
	for _, f := range change {
		f(&sys)
	}
	g, graphErr := bruteforce.Explore(&sys)
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{states: x.States, transitions: x.Transitions, ends: map[string]int{}}
	if x.Finding != nil {
		o.finding = x.Finding.Error()
	}
	if (graphErr != nil) != (x.Finding != nil) {
		t.Fatalf("replay: %v; table: %v", graphErr, x.Finding)
	}
	if graphErr != nil {
		return o
	}
	if len(g.States) != x.States || g.Transitions() != x.Transitions {
		t.Fatalf("replay: %d states, %d transitions; table: %d, %d", len(g.States), g.Transitions(), x.States, x.Transitions)
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.States {
		if len(g.States[i].Steps) > 0 {
			continue
		}
		visit(t, w, g.States[i].Path)
		h := w.Service(0).(*machine.Host)
		end := fmt.Sprintf("%s%v", h.State(), queued(h))
		if l, ok := h.Vars.(*log); ok {
			end = l.Did + " in " + end
		}
		o.ends[end]++
	}
	return o
}

// endsOf returns the records of the machines in states without successors.
func endsOf(t testing.TB, ms *machine.System, ids ...machine.ID) map[string]int {
	t.Helper()
	sys := ms.Sim("test")
	g, err := bruteforce.Explore(&sys)
	if err != nil {
		t.Fatal(err)
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	for i := range g.States {
		if len(g.States[i].Steps) == 0 {
			visit(t, w, g.States[i].Path)
			end := ""
			for _, id := range ids {
				end += w.Service(id).(*machine.Host).Vars.(*log).Did + "; "
			}
			ends[end]++
		}
	}
	return ends
}

func queued(h *machine.Host) string {
	var s []string
	for _, ev := range h.Queue {
		s = append(s, strings.TrimPrefix(fmt.Sprintf("%T", ev), "machine_test."))
	}
	if len(s) == 0 {
		return ""
	}
	return " with " + strings.Join(s, ",")
}

// one returns a system of a machine with these states to which another sends events.
func one(what string, states ...machine.StateDef) *machine.System {
	ms := &machine.System{}
	ms.Add(machine.Define[log]("tested", states...), log{})
	ms.Add(sender, sends{what})
	return ms
}

func TestRules(t *testing.T) {
	in, entry, exit := machine.In, machine.Entry[log], machine.Exit[log]
	for _, test := range []struct {
		name    string
		sys     *machine.System
		states  int
		end     string // the only one
		finding string
	}{
		{"on", one("a", in("s", machine.On(on[A]("a")))), 2, "a in s", ""},
		{"entry and exit around goto", one("a", in("s", entry(did("<s ")), exit(did("s> ")), machine.OnGotoWith("t", on[A]("a "))),
			in("t", entry(did("<t ")))), 2, "<s s> a <t  in t", ""},
		{"handler goes to", one("a", in("s", exit(did("s> ")), machine.On(on[A]("a ", func(x *machine.Ctx) { x.Goto("t") }), "t")),
			in("t", entry(did("<t ")))), 2, "a s> <t  in t", ""},
		{"goto itself", one("a", in("s", entry(did("<s ")), exit(did("s> ")), machine.OnGoto[A]("s"))), 2, "<s s> <s  in s", ""},
		{"SEM_OneMachine_11: implicit pop", one("ab", in("s", machine.OnPush[A]("t"), machine.OnGoto[B]("u"), exit(did("s> "))),
			in("t", entry(did("<t ")), exit(did("t> "))), in("u", entry(did("<u ")))), 3, "<t t> s> <u  in u", ""},
		{"handled below the top", one("ab", in("s", machine.OnPush[A]("t"), machine.On(on[B]("b"))), in("t")), 3, "b in t", ""},
		{"SEM_OneMachine_16: exit on pop", one("abb", in("s", machine.OnPush[A]("t"), machine.On(on[B]("b"))),
			in("t", exit(did("t> ")), machine.On(on[B]("pop ", func(x *machine.Ctx) { x.Pop() })))), 4, "pop t> b in s", ""},
		{"SEM_OneMachine_28: defer and ignore", one("abc", in("s", machine.Defer(A{}), machine.Ignore(B{}), machine.OnGoto[C]("t")),
			in("t", machine.On(on[A]("a")), machine.On(on[B]("b")))), 5, "a in t", ""},
		{"deferred forever", one("a", in("s", machine.Defer(A{}))), 2, " in s with A", ""},
		{"DeferAll", one("ab", in("s", machine.DeferAll(), machine.OnGoto[B]("t")), in("t", machine.On(on[A]("a")))), 4, "a in t", ""},
		{"DeferAll does not defer Halt", one("ah", in("s", machine.DeferAll())), 3, "", ""},
		{"SEM_OneMachine_36: null", one("", in("s", machine.Null(func(l *log, x *machine.Ctx) { l.Did += "n"; x.Goto("t") }, "t")), in("t")), 2, "n in t", ""},
		{"SEM_OneMachine_37: null waits for the queue", one("a", in("s", machine.Defer(A{}), machine.OnGoto[B]("s"),
			machine.Null(func(l *log, x *machine.Ctx) { l.Did += "n"; x.Goto("t") }, "t")), in("t", machine.On(on[A]("a")))), 5, "na in t", ""},
		{"SEM_OneMachine_32: raised halt handled", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Raise(machine.Halt{}) })),
			machine.On(on[machine.Halt]("h")))), 2, "ah in s", ""},
		{"raised halt", one("aa", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Raise(machine.Halt{}) })))), 3, "", ""},
		{"halt", one("aa", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Halt() })))), 3, "", ""},
		{"raise is handled first", one("ab", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Raise(C{}) })),
			machine.On(on[B]("b")), machine.On(on[C]("c")))), 3, "acb in s", ""},
		{"raise an ignored event", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Raise(C{}) })), machine.Ignore(C{}))), 2, "a in s", ""},
		{"a send to itself comes after", one("ab", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Send(x.Self(), C{}); x.Raise(B{}) })),
			machine.On(on[B]("b")), machine.On(on[C]("c")))), 6, "", ""},
		{"unhandled", one("b", in("s", machine.On(on[A]("a")))), 2, "", "safety: every event is handled: unhandled event: tested0 in state s gets B{}"},
		{"pop of the last state", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Pop() })))), 2, "",
			"safety: machines keep to their rules: tested0 pops its last state s"},
		{"effect after transfer", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Goto("s"); x.Send(1, B{}) }), "s"))), 2, "",
			"tested0 in state s calls Send after its handler has transferred control"},
		{"a state that the rule does not name", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Goto("t") })), machine.OnGoto[B]("t")), in("t")), 2, "",
			`tested0 in state s goes to state t, which its rule does not name: On(f, "t")`},
		{"a state that there is none of", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Goto("t") })))), 2, "",
			`tested0 in state s goes to the unknown state "t"`},
		{"a state without a name", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Push("") })))), 2, "",
			`tested0 in state s goes to the unknown state ""`},
		{"entry to a state that it does not name", one("a", in("s", machine.OnGoto[A]("t")), in("t", entry(func(_ *log, x *machine.Ctx) { x.Goto("s") }))), 2, "",
			`tested0 in state t goes to state s, which its rule does not name: Entry(f, "s")`},
		{"exit that transfers", one("a", in("s", exit(func(_ *log, x *machine.Ctx) { x.Raise(A{}) }), machine.OnGoto[A]("s"))), 2, "",
			"tested0 in state s transfers control in an exit action"},
		{"exit that goes elsewhere", one("a", in("s", exit(func(_ *log, x *machine.Ctx) { x.Goto("s") }), machine.OnGoto[A]("s"))), 2, "",
			"tested0 in state s transfers control in an exit action"},
		{"goto with a handler that transfers", one("a", in("s", machine.OnGotoWith("s", on[A]("a", func(x *machine.Ctx) { x.Halt() })))), 2, "",
			"transfers control in a rule that goes elsewhere already"},
		{"divergence", one("a", in("s", machine.OnGoto[A]("t")), in("t", entry(func(_ *log, x *machine.Ctx) { x.Goto("t") }, "t"))), 2, "",
			"divergence: tested0 in state t transferred control 1000 times without an event"},
		{"payload of the wrong type", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.GotoWith("t", B{}) }), "t")),
			in("t", machine.EntryWith(func(*log, *machine.Ctx, C) {}))), 2, "", "enters state t with a machine_test.B, which takes a machine_test.C"},
		{"no pool", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { machine.New[sends](x, nil) })))), 2, "",
			"safety: machine bound: tested0 in state s creates a machine with variables machine_test.sends, for which it has no pool"},
		{"a node is there", one("a", in("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Send(7, B{}) })))), 2, "", "there is no node 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := run(t, test.sys)
			if !strings.Contains(o.finding, test.finding) || (o.finding != "") != (test.finding != "") {
				t.Fatalf("finding %q, want %q", o.finding, test.finding)
			}
			if test.finding == "" && (o.states != test.states || test.end != "" && (len(o.ends) != 1 || o.ends[test.end] != 1)) {
				t.Errorf("%d states, ends %v; want %d, %q", o.states, o.ends, test.states, test.end)
			}
		})
	}
}

// A trace shows the machines' own code: lanes, fields and source lines.
func TestWhatPeopleSee(t *testing.T) {
	sys := asking(1, false).Sim("asking")
	w, err := kernel.NewWorld(&sys, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(w.Enabled()[0], choose.First); err != nil {
		t.Fatal(err)
	}
	last := w.Last()
	if f := last.Effects[len(last.Effects)-1]; f.Kind != stepinfo.SendEffect || !strings.Contains(f.From, "monitor_test.go:") ||
		!strings.Contains(last.Source, "monitor_test.go:") {
		t.Errorf("%v from %s, inside %s", f.Kind, f.From, last.Source)
	}
	found := false
	for _, f := range w.NodeFields(1) {
		found = found || f.Path == "Open" && f.Value == "1"
	}
	if name, _, _ := w.Service(1).(simext.Hosting).Hosted(); name != "asker" || !found {
		t.Errorf("%s: %v", name, w.NodeFields(1))
	}
}

// A step is shown where the machine handles its event, also without effects, at a failed assertion, and nowhere if no
// code of the machine runs.
func TestSourceOfSteps(t *testing.T) {
	sys := one("abcb",
		machine.In("s",
			machine.Exit(func(*log, *machine.Ctx) {}),
			machine.On(func(l *log, _ *machine.Ctx, _ A) { l.Did += "a" }),               // gets A
			machine.OnGotoWith("t", func(l *log, _ *machine.Ctx, _ B) { l.Did += "b" })), // gets B in s
		machine.In("t", machine.Ignore(C{}), machine.On(func(_ *log, x *machine.Ctx, _ B) {
			x.Self()
			x.Assert(false, "no") // gets B in t
		}))).Sim("sources")
	trace, err := replay.Record(&sys, choose.Path{0, 0, 0, 0}, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"gets A", "gets B in s", "", "gets B in t"} {
		s := &trace.Steps[i]
		_, code, _ := s.Code(0)
		if text := strings.Join(code, ""); (s.Source == "") != (want == "") || !strings.HasSuffix(text, want) {
			t.Errorf("step %d (%s): %s: %s; want %q", s.Number, s.Key, s.Source, text, want)
		}
	}
}

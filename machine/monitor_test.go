package machine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/machine"
)

type (
	Ask    struct{ ID int }
	Answer struct{ ID int }
	told   struct{ Text string } // announced
)

// asker asks some questions, and announces that all were answered. If it is Lazy, the server forgets the second.
type asker struct {
	Server machine.ID
	Open   int
}

var askerKind = machine.Define[asker]("asker", machine.In("asking",
	machine.Entry(func(a *asker, x *machine.Ctx) {
		for i := range a.Open {
			machine.Watch[owed](x, i)
			x.Send(a.Server, Ask{i})
		}
	}),
	machine.On(func(a *asker, x *machine.Ctx, _ Answer) {
		if a.Open--; a.Open == 0 {
			x.Announce(told{"done"})
		}
	})))

type server struct {
	Lazy bool
	To   machine.ID
}

var serverKind = machine.Define[server]("server", machine.In("serving",
	machine.On(func(s *server, x *machine.Ctx, a Ask) {
		if !s.Lazy || a.ID != 1 {
			x.Send(s.To, Answer{a.ID})
		}
	})))

// ordered is a monitor of sends: answers are sent in the order of questions.
type ordered struct{ Last int }

var orderedKind = machine.Define[ordered]("answers in order", machine.In("s",
	machine.On(func(o *ordered, x *machine.Ctx, s machine.Sent[Answer]) {
		x.Assert(s.Event.ID == o.Last, "machine %d answers %d to %d, %d is next", s.From, s.Event.ID, s.To, o.Last)
		o.Last++
	})))

// owed is a monitor for each question, which ends with the answer.
type owed struct{ ID int }

var owedKind = machine.Define[owed]("answered",
	machine.In("start", machine.EntryWith(func(o *owed, x *machine.Ctx, id int) { o.ID = id; x.Goto("owed") }, "owed")),
	machine.In("owed", machine.Hot,
		machine.On(func(o *owed, x *machine.Ctx, s machine.Sent[Answer]) {
			if s.Event.ID == o.ID {
				x.Halt()
			}
		}),
		machine.On(func(o *owed, x *machine.Ctx, t told) { x.Assert(false, "%s, but %d was not answered", t.Text, o.ID) })))

func asking(questions int, lazy bool) *machine.System {
	ms := &machine.System{}
	s := ms.Add(serverKind, server{Lazy: lazy, To: 1})
	ms.Add(askerKind, asker{s, questions})
	ms.Monitor(orderedKind, ordered{})
	ms.Each(owedKind)
	return ms
}

func TestMonitors(t *testing.T) {
	if o := run(t, asking(3, false)); o.finding != "" {
		t.Error(o.finding)
	}
	if o := run(t, asking(3, true)); !strings.Contains(o.finding, "safety: monitor answers in order: machine 0 answers 2 to 1, 1 is next") {
		t.Error(o.finding)
	}
}

// A monitor must have a rule for each event that it receives, and must not send or defer.
func TestMonitorsThatAreWrong(t *testing.T) {
	ms := asking(1, false)
	ms.Monitor(machine.Define[log]("deaf", machine.In("s", machine.OnGoto[machine.Sent[Ask]]("t")), machine.In("t", machine.Ignore(machine.Sent[Answer]{}), machine.OnGoto[told]("s"))), log{})
	ms.Monitor(machine.Define[log]("stern", machine.In("s", machine.OnGoto[machine.Sent[Ask]]("t")), machine.In("t", machine.OnGoto[told]("u")), machine.In("u", machine.OnGoto[machine.Sent[Answer]]("u"))), log{})
	if o := run(t, ms); !strings.Contains(o.finding, "unhandled event: stern in state t gets Sent[Answer]") {
		t.Error(o.finding)
	}
	ms = asking(1, false)
	ms.Monitor(machine.Define[log]("loud", machine.In("s", machine.On(func(_ *log, x *machine.Ctx, _ told) { x.Send(0, A{}) }))), log{})
	if o := run(t, ms); !strings.Contains(o.finding, "monitor loud in state s calls Send; monitors only observe") {
		t.Error(o.finding)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "monitor late: state s defers told") {
			t.Errorf("%q", text)
		}
	}()
	new(machine.System).Monitor(machine.Define[log]("late", machine.In("s", machine.Defer(told{}))), log{})
}

// Payloads of created machines travel over the network, too.
func TestEventsHavePayloads(t *testing.T) {
	if events := machine.Events(childKind); !slices.Contains(events, any(N{})) {
		t.Errorf("%#v", events)
	}
}

// Kinds created at run time are distinguished by their variables, so two kinds need different ones.
func TestKindsThatCannotBeToldApart(t *testing.T) {
	other := machine.Define[owed]("another", machine.In("s", machine.OnGoto[told]("s")))
	sameName := machine.Define[log]("answered", machine.In("s", machine.OnGoto[told]("s")))
	for want, f := range map[string]func(*machine.System){
		"monitor another: machines also create monitor answered":  func(ms *machine.System) { ms.Each(owedKind); ms.Each(other) },
		"monitor answered: machines also create monitor answered": func(ms *machine.System) { ms.Each(owedKind); ms.Each(sameName) },
		"machine 0: its pool has two kinds with variables machine_test.owed": func(ms *machine.System) {
			ms.Pool(ms.Add(childKind, child{}), 2, other, owedKind)
		},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("%q, want %q", text, want)
				}
			}()
			f(&machine.System{})
		}()
	}
}

// spawner creates machines, which send it their number.
type spawner struct{ N, Heard int }

var spawnerKind = machine.Define[spawner]("spawner", machine.In("s",
	machine.Entry(func(s *spawner, x *machine.Ctx) {
		for i := range s.N {
			x.Send(machine.New[child](x, N{i}), A{})
		}
	}),
	machine.On(func(s *spawner, x *machine.Ctx, n N) { s.Heard += n.N })))

type child struct{ Number int }

var childKind = machine.Define[child]("child",
	machine.In("born", machine.EntryWith(func(c *child, x *machine.Ctx, n N) { c.Number = n.N + 1 }),
		machine.On(func(c *child, x *machine.Ctx, _ A) { x.Send(0, N{c.Number}); x.Halt() })))

func TestPools(t *testing.T) {
	spawn := func(n, size int) *machine.System {
		ms := &machine.System{}
		ms.Pool(ms.Add(spawnerKind, spawner{N: n}), size, childKind)
		return ms
	}
	// Two children that are not born, born, or have answered, with the answer received or not; each independently.
	if o := run(t, spawn(2, 2)); o.states != 16 || o.finding != "" {
		t.Errorf("got %+v, want 16 states", o)
	}
	if o := run(t, spawn(3, 2)); !strings.Contains(o.finding, "machine bound: spawner0 in state s creates more than 2 machines") {
		t.Error(o.finding)
	}
}

// An assertion at the start of a monitor depends on no event, and is not skipped.
func TestMonitorThatIsViolatedAtItsStart(t *testing.T) {
	kind := machine.Define[log]("hopeless", machine.In("s", machine.Entry(func(l *log, x *machine.Ctx) { x.Assert(l.Did != "", "nothing was given") }), machine.OnGoto[told]("s")))
	var ms machine.System
	ms.Monitor(kind, log{"something"})
	ms.Sim("test").Monitors[0]()
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "monitor hopeless is violated before anything happens: nothing was given") {
			t.Errorf("%q", text)
		}
	}()
	ms = machine.System{}
	ms.Monitor(kind, log{})
	ms.Sim("test").Monitors[0]()
}

package observe_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/sim"
)

type (
	said struct{ By machine.ID }
	poke struct{}
	// talker announces an event when it starts or is poked, and then pokes another node.
	talker struct {
		Waits bool
		Pokes machine.ID // -1: nobody
	}
	// order wants machine 0 to speak first.
	order struct{ First bool }
)

var (
	talkerKind = machine.Define[talker]("talker",
		machine.In("silent", machine.Entry((*talker).begin, "ready", "waiting")),
		machine.In("ready", machine.Null((*talker).speak, "done"), machine.On((*talker).poked, "done")),
		machine.In("waiting", machine.On((*talker).poked, "done")),
		machine.In("done", machine.Ignore(poke{})))
	orderKind = machine.Define[order]("machine 0 is first", machine.In("watching", machine.On(func(o *order, x *machine.Ctx, s said) {
		x.Assert(s.By == 0 || o.First, "machine %d is first", s.By)
		o.First = true
	})))
)

func (k *talker) begin(x *machine.Ctx) {
	if k.Waits {
		x.Goto("waiting")
		return
	}
	x.Goto("ready")
}

func (k *talker) poked(x *machine.Ctx, _ poke) { k.speak(x) }

func (k *talker) speak(x *machine.Ctx) {
	x.Announce(said{x.Self()})
	if k.Pokes >= 0 {
		x.Send(k.Pokes, poke{})
	}
	x.Goto("done")
}

// Only events connected by messages are ordered, independently of the order of the run.
func TestCausesOfRun(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b talker
		want observe.Verdict
	}{
		{"nobody knows of the other", talker{false, -1}, talker{false, -1}, observe.Some},
		{"the first one's message comes first", talker{false, 1}, talker{true, -1}, observe.None},
		{"the second one's message comes first", talker{true, -1}, talker{false, 0}, observe.Every},
	} {
		var ms machine.System
		ms.Add(talkerKind, c.a)
		ms.Add(talkerKind, c.b)
		ms.Monitor(orderKind, order{})
		sys := ms.Sim("talkers")
		for _, last := range []bool{false, true} {
			h, err := observe.Of(&sys, runOf(t, sys, last))
			if err != nil || h.Len() != 2 {
				t.Fatalf("%s: %v, %v", c.name, h, err)
			}
			j, err := observe.Judge(t.Context(), h, sys.Monitors[0], sys.State, 100)
			if err != nil || j.Verdict != c.want || !j.All {
				t.Errorf("%s, last event first %v: %+v, %v", c.name, last, j, err)
			}
		}
	}
}

// runOf returns a complete run that always executes the first, or the last, event.
func runOf(t *testing.T, sys sim.System, last bool) choose.Path {
	sys.Monitors = nil
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	first := choose.SourceFunc(func(choose.Point) int { return 0 })
	if err := r.Start(first); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		events := w.Enabled()
		if len(events) == 0 {
			break
		}
		at := 0
		if last {
			at = len(events) - 1
		}
		if err := r.Step(at, first); err != nil {
			t.Fatal(err)
		}
	}
	return r.Path.Clone()
}

type (
	ask    struct{ Key string }
	answer struct{ Key string }
	asker  struct{ Left []string }
	// expects is a monitor for each request.
	expects struct{ Key string }
)

var (
	askerKind = machine.Define[asker]("asker",
		machine.In("asking", machine.Entry((*asker).ask)))
	expectsKind = machine.Define[expects]("each is answered once",
		machine.In("waiting", machine.EntryWith(func(e *expects, x *machine.Ctx, a ask) { e.Key = a.Key }), machine.On((*expects).answered, "done")),
		machine.In("done", machine.On(func(e *expects, x *machine.Ctx, a answer) { x.Assert(a.Key != e.Key, "%s is answered twice", e.Key) })))
)

func (k *asker) ask(x *machine.Ctx) {
	for _, key := range k.Left {
		machine.Watch[expects](x, ask{key})
	}
	x.Announce(answer{"a"})
	x.Announce(answer{"b"})
	x.Announce(answer{"a"})
}

func (e *expects) answered(x *machine.Ctx, a answer) {
	if a.Key == e.Key {
		x.Goto("done")
	}
}

// Monitors created at run time are also created from logs, with the same arguments.
func TestLogOfCreatedMonitors(t *testing.T) {
	for _, c := range []struct {
		asked []string
		want  string
	}{{[]string{"b"}, ""}, {[]string{"b", "a"}, "a is answered twice"}, {nil, ""}} {
		var ms machine.System
		ms.Add(askerKind, asker{c.asked})
		ms.Each(expectsKind)
		sys := ms.Sim("asker")
		h, err := observe.Of(&sys, runOf(t, sys, false))
		if err != nil || h.Len() != len(c.asked)+3 {
			t.Fatal(h, err)
		}
		var out bytes.Buffer
		log := slog.New(observe.NewHandler(slog.NewJSONHandler(&out, nil)))
		for _, a := range h[0] {
			log.Info("announce", "node", 0, "event", a.Event)
		}
		l := observe.NewLog(1)
		if err := l.Read("log", &out); err != nil {
			t.Fatal(err)
		}
		back, err := l.History(sys.Monitors[0]())
		if err != nil || back.Len() != h.Len() {
			t.Fatal(back, err)
		}
		j, err := observe.Judge(t.Context(), back, sys.Monitors[0], sys.State, 100)
		if err != nil || j.Message != c.want || (c.want != "") != (j.Verdict == observe.Every) {
			t.Errorf("%v: %+v, %v", c.asked, j, err)
		}
	}
}

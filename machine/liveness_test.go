package machine_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// judged explores a system with every state store, which must all agree.
func judged(t *testing.T, sys sim.System) *table.Exploration {
	t.Helper()
	var first *table.Exploration
	for _, frontier := range explore.Frontiers {
		for _, visited := range stateset.Kinds {
			x, err := table.Explore(t.Context(), &sys, options.Options{Frontier: frontier, Visited: visited})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = x
			}
			a, b := first.Fairness, x.Fairness
			if (a == nil) != (b == nil) || a != nil && (a.Judged != b.Judged || (a.Starvation == nil) != (b.Starvation == nil)) {
				t.Errorf("%s, %s: %+v, else %+v", frontier.Name, visited.Name, b, a)
			}
		}
	}
	if first.Fairness != nil && first.Fairness.Starvation != nil {
		comesRound(t, &sys, first.Fairness.Starvation)
	}
	return first
}

// comesRound executes a cycle twice on the replay engine: each time it must end in its initial state.
func comesRound(t *testing.T, sys *sim.System, s *fairness.Starvation) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, src := replay.NewRun(w), &choose.Prefix{Path: s.Path}
	if err := run.Start(src); err != nil {
		t.Fatal(err)
	}
	begin := 0
	var first encoding.Fingerprint
	for n := range s.Steps + 2*s.Round + 1 {
		switch {
		case n == s.Steps:
			begin, first = src.Pos(), w.Fingerprint()
		case n == s.Steps+s.Round:
			if src.Pos() != len(s.Path) {
				t.Errorf("the path has %d picks, of which %d are for prefix and round", len(s.Path), src.Pos())
			}
			src = &choose.Prefix{Path: s.Path[begin:]}
		}
		if n >= s.Steps && (n-s.Steps)%max(1, s.Round) == 0 && w.Fingerprint() != first {
			t.Errorf("after step %d it is not where the round began", n)
		}
		if n == s.Steps+2*s.Round {
			break
		}
		index, ok := src.Take()
		if !ok {
			t.Fatalf("the path ends after step %d of %d and %d", n, s.Steps, s.Round)
		}
		if err := run.Step(index, src); err != nil {
			t.Fatal(err)
		}
	}
}

// The events of P's liveness tests.
type (
	userEvent      struct{}
	done           struct{}
	loop           struct{}
	waiting        struct{}
	computing      struct{}
	query          struct{ N int }
	searchStarted  struct{}
	searchFinished struct{}
)

// handler is the machine that waits for a user and then computes.
type handler struct{ Count int }

func handling(entry func(*handler, *machine.Ctx), rules ...machine.Rule) *machine.Kind {
	return machine.Define[handler]("handler",
		machine.In("waiting for user", machine.Entry(func(_ *handler, x *machine.Ctx) {
			x.Announce(waiting{})
			x.Send(x.Self(), userEvent{})
		}), machine.OnGoto[userEvent]("handling")),
		machine.In("handling", append(rules, machine.Entry(entry))...))
}

// watchdog is hot while the machine computes.
func watchdog(first, second machine.Rule) *machine.Kind {
	return machine.Define[struct{}]("watchdog",
		machine.In("can get input", first, machine.OnGoto[waiting]("can get input"), machine.OnGoto[computing]("cannot get input")),
		machine.In("cannot get input", second, machine.OnGoto[waiting]("can get input"), machine.OnGoto[computing]("cannot get input")))
}

func neither() machine.Rule { return machine.Ignore(loop{}) }

var looper = machine.Define[struct{}]("looper", machine.In("looping",
	machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Send(x.Self(), done{}) }), machine.OnGoto[done]("looping")))

// TestLivenessOfP reimplements P's regression tests for liveness, and checks which of them violate their monitor.
func TestLivenessOfP(t *testing.T) {
	computes := func(x *machine.Ctx) { x.Announce(computing{}) }
	sends := func(ev any) func(*handler, *machine.Ctx) {
		return func(_ *handler, x *machine.Ctx) {
			computes(x)
			x.Send(x.Self(), ev)
		}
	}
	nothing := func(_ *handler, x *machine.Ctx) { computes(x) }
	flips := func(flip func(*machine.Ctx, string) bool, swapped bool) func(*handler, *machine.Ctx) {
		return func(_ *handler, x *machine.Ctx) {
			computes(x)
			if flip(x, "go on") != swapped {
				x.Send(x.Self(), done{})
			} else {
				x.Send(x.Self(), loop{})
			}
		}
	}
	fairly, unfairly := (*machine.Ctx).FairFlip, (*machine.Ctx).Flip
	back, again, round := machine.OnGoto[done]("waiting for user"), machine.OnGoto[done]("handling"), machine.OnGoto[loop]("handling")
	tenTimes := func(h *handler, x *machine.Ctx) {
		if h.Count++; h.Count == 10 {
			x.Halt()
			return
		}
		computes(x)
		x.Send(x.Self(), done{})
	}
	for _, c := range []struct {
		name       string
		kind       *machine.Kind
		warm, cool bool // the first state of the monitor is not cold; the second is not hot
		looper     bool
		violated   bool
	}{
		{name: "1", kind: handling(sends(done{}), back)},
		{name: "1 false pass, with its monitor", kind: handling(sends(done{}), again), violated: true},
		{name: "FAIRNONDET", kind: handling(flips(fairly, false), back, round)},
		{name: "FAIRNONDET2", kind: handling(flips(fairly, true), back, round)},
		{name: "WarmState 1", kind: handling(nothing, back), cool: true},
		{name: "NONDET", kind: handling(flips(unfairly, false), back, round), violated: true},
		{name: "NONDET2", kind: handling(flips(unfairly, true), back, round), violated: true},
		{name: "1 WarmState", kind: handling(sends(done{}), back), warm: true, violated: true},
		{name: "2", kind: handling(sends(done{}), again), violated: true},
		{name: "2 LoopMachineAdded", kind: handling(nothing), looper: true, violated: true},
		{name: "2 bugFound", kind: handling(nothing, back), violated: true},
		{name: "3", kind: handling(nothing, again), looper: true, violated: true},
		{name: "4", kind: handling(sends(loop{}), round), looper: true, violated: true},
		{name: "7", kind: handling(sends(loop{}), round), looper: true, violated: true},
		{name: "9", kind: handling(tenTimes, again), violated: true},
		{name: "10", kind: handling(sends(done{}), again), violated: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := machine.Rule(machine.Cold), machine.Rule(machine.Hot)
			if c.warm {
				first = neither()
			}
			if c.cool {
				second = neither()
			}
			var ms machine.System
			ms.Add(c.kind, handler{})
			if c.looper {
				ms.Add(looper, struct{}{})
			}
			ms.Monitor(watchdog(first, second), struct{}{})
			x := judged(t, ms.Sim("liveness"))
			switch {
			case c.cool:
				if x.Fairness != nil {
					t.Errorf("there is nothing to judge: %+v", x.Fairness)
				}
			case x.Finding != nil || !x.Fairness.Judged || (x.Fairness.Starvation != nil) != c.violated:
				t.Errorf("%d states, %v, %+v", x.States, x.Finding, x.Fairness)
			case x.Fairness.Hot[0].States == 0:
				t.Error("no state is hot")
			}
		})
	}
}

// server is the machine of P's tests 5 and 6: it searches a number that it does not have.
type server5 struct{}

type client5 struct{ Server machine.ID }

func TestSearchesOfP(t *testing.T) {
	client := machine.Define[client5]("client", machine.In("start", machine.Entry(func(c *client5, x *machine.Ctx) { x.Send(c.Server, query{30}) })))
	serving := func(repeats bool) *machine.Kind {
		return machine.Define[server5]("server", machine.In("serving", machine.On(func(_ *server5, x *machine.Ctx, q query) {
			x.Announce(searchStarted{})
			for _, n := range []int{8, 18, 28} {
				if q.N == n {
					x.Announce(searchFinished{})
					x.Halt()
					return
				}
			}
			if repeats {
				x.Send(x.Self(), q)
			}
		})))
	}
	searched := machine.In("searched", machine.Cold, machine.OnGoto[searchStarted]("searching"))
	searching := machine.In("searching", machine.Hot, machine.OnGoto[searchFinished]("searched"), machine.OnGoto[searchStarted]("searching"))
	start := machine.In("start", machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Goto("searched") }, "searched"))
	for name, c := range map[string]struct {
		server  *machine.Kind
		monitor *machine.Kind
		round   int
	}{
		"5":          {serving(true), machine.Define[struct{}]("liveness", start, searched, searching), 1},
		"5 deadlock": {serving(false), machine.Define[struct{}]("liveness", start, searched, searching), 0},
		"6":          {serving(true), machine.Define[struct{}]("liveness", searched, searching), 1},
	} {
		var ms machine.System
		s := ms.Add(c.server, server5{})
		ms.Add(client, client5{s})
		ms.Monitor(c.monitor, struct{}{})
		f := judged(t, ms.Sim("search")).Fairness
		if f.Starvation == nil || f.Starvation.Round != c.round || f.Starvation.Recovers {
			t.Errorf("%s: %+v", name, f.Starvation)
		}
	}
	// A machine that waits for an event that never comes; the monitor observes the events that it sends to itself.
	var ms machine.System
	ms.Add(machine.Define[struct{}]("main",
		machine.In("start", machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Send(x.Self(), searchStarted{}) }),
			machine.Ignore(searchStarted{}), machine.On(func(*struct{}, *machine.Ctx, query) {}))), struct{}{})
	ms.Monitor(machine.Define[struct{}]("liveness",
		machine.In("searched", machine.Cold, machine.OnGoto[machine.Sent[searchStarted]]("searching")),
		machine.In("searching", machine.Hot, machine.OnGoto[machine.Sent[searchFinished]]("searched"))), struct{}{})
	if f := judged(t, ms.Sim("6 deadlock")).Fairness; f.Starvation == nil || f.Starvation.Round != 0 {
		t.Errorf("6 deadlock: %+v", f.Starvation)
	}
	// A loop inside one step is a divergence.
	var endless machine.System
	endless.Add(machine.Define[struct{}]("main", machine.In("start",
		machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Raise(machine.Halt{}) }), machine.OnGoto[machine.Halt]("start"))), struct{}{})
	var found *sim.Finding
	if x := judged(t, endless.Sim("infinite loop in atomic block")); !errors.As(x.Finding, &found) || found.Kind != sim.Divergence {
		t.Errorf("infinite loop in atomic block: %v", x.Finding)
	}
}

// TestColdInsideAStep checks that a monitor that visits its cold state inside a step has settled its obligation.
func TestColdInsideAStep(t *testing.T) {
	for _, passesCold := range []bool{true, false} {
		kind := machine.Define[struct{}]("main", machine.In("start",
			machine.Entry(func(_ *struct{}, x *machine.Ctx) {
				if passesCold {
					x.Announce(waiting{})
				}
				x.Announce(computing{})
				x.Send(x.Self(), loop{})
			}), machine.OnGoto[loop]("start")))
		var ms machine.System
		ms.Add(kind, struct{}{})
		ms.Monitor(watchdog(machine.Cold, machine.Hot), struct{}{})
		if f := judged(t, ms.Sim("cold inside a step")).Fairness; !f.Judged || (f.Starvation == nil) != passesCold {
			t.Errorf("passes cold %v: %+v", passesCold, f)
		}
	}
	// Also if that happens within one event.
	brief := machine.Define[struct{}]("brief",
		machine.In("owed", machine.Hot, machine.OnGoto[computing]("settled")),
		machine.In("settled", machine.Cold, machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Goto("owed") }, "owed")))
	var ms machine.System
	ms.Add(machine.Define[struct{}]("main", machine.In("start",
		machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Announce(computing{}); x.Send(x.Self(), loop{}) }), machine.OnGoto[loop]("start"))), struct{}{})
	ms.Monitor(brief, struct{}{})
	if f := judged(t, ms.Sim("cold inside an observation")).Fairness; !f.Judged || f.Starvation != nil {
		t.Errorf("got %+v, want no starvation", f.Starvation)
	}
}

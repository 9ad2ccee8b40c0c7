package machine_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// never is a monitor that is hot until computing is announced.
var never = machine.Define[struct{}]("never",
	machine.In("owed", machine.Hot, machine.OnGoto[computing]("settled")),
	machine.In("settled", machine.Cold, machine.OnGoto[computing]("settled")))

// starves reports whether the monitor never starves in a system.
func starves(t *testing.T, ms *machine.System, edit func(*sim.System)) bool {
	t.Helper()
	ms.Monitor(never, struct{}{})
	sys := ms.Sim("fairness")
	if edit != nil {
		edit(&sys)
	}
	x := judged(t, sys)
	if x.Finding != nil || !x.Fairness.Judged {
		t.Fatalf("%v, %+v", x.Finding, x.Fairness)
	}
	return x.Fairness.Starvation != nil
}

// TestTimers checks that a timer without effect does not hide starvation although it fires forever, and that an enabled
// timer must fire.
func TestTimers(t *testing.T) {
	ticks := func(does func(x *machine.Ctx)) *machine.Kind {
		return machine.Define[struct{}]("ticker", machine.In("ticking",
			machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.SetTimer(loop{}, time.Second) }),
			machine.On(func(_ *struct{}, x *machine.Ctx, _ loop) {
				does(x)
				x.SetTimer(loop{}, time.Second)
			})))
	}
	talks := machine.Define[peer]("talker",
		machine.In("talking", machine.Null(func(p *peer, x *machine.Ctx) { x.Send(p.Other, done{}); x.Goto("waiting") }, "waiting")),
		machine.In("waiting", machine.OnGoto[done]("talking")))
	echoes := machine.Define[peer]("echo", machine.In("echoing", machine.On(func(p *peer, x *machine.Ctx, d done) { x.Send(p.Other, d) })))
	for _, timing := range []sim.Timing{sim.AnyOrder, sim.Prompt} {
		set := func(sys *sim.System) { sys.Timing = timing }
		var idle, busy machine.System
		idle.Add(ticks(func(*machine.Ctx) {}), struct{}{})
		if !starves(t, &idle, set) {
			t.Errorf("%v: a timer that changes nothing settles what is owed", timing)
		}
		// Under Prompt it can fire only if no message is in flight, which is the case infinitely often.
		busy.Add(ticks(func(x *machine.Ctx) { x.Announce(computing{}) }), struct{}{})
		busy.Add(talks, peer{2})
		busy.Add(echoes, peer{1})
		if starves(t, &busy, set) {
			t.Errorf("%v: a timer never fires that can again and again", timing)
		}
	}
}

// TestDisturbingTimers checks that disturbing timers need not fire, and do not settle obligations.
func TestDisturbingTimers(t *testing.T) {
	kind := machine.Define[struct{}]("ticker", machine.In("ticking",
		machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.SetTimer(loop{}, time.Second) }),
		machine.On(func(_ *struct{}, x *machine.Ctx, _ loop) { x.Announce(computing{}) })))
	for _, disturbing := range []bool{false, true} {
		var ms machine.System
		ms.Add(kind, struct{}{})
		ms.Monitor(never, struct{}{})
		sys := ms.Sim("disturbing")
		if disturbing {
			sys.Disturbing = []sim.Disturbance{sim.DisturbingTimers[loop]()}
		}
		s := judged(t, sys).Fairness.Starvation
		if (s != nil) != disturbing || s != nil && s.Recovers {
			t.Errorf("disturbing %v: %+v", disturbing, s)
		}
	}
}

type peer struct{ Other machine.ID }

// TestLinks checks that sent messages arrive, whatever others do.
func TestLinks(t *testing.T) {
	sends := machine.Define[peer]("sender", machine.In("sending", machine.Entry(func(p *peer, x *machine.Ctx) { x.Send(p.Other, userEvent{}) })))
	repeats := machine.Define[peer]("repeater", machine.In("repeating",
		machine.Entry(func(p *peer, x *machine.Ctx) { x.Send(p.Other, done{}) }), machine.OnGoto[loop]("repeating")))
	hears := machine.Define[struct{}]("hearer", machine.In("hearing",
		machine.On(func(_ *struct{}, x *machine.Ctx, _ userEvent) { x.Announce(computing{}) }),
		machine.On(func(_ *struct{}, x *machine.Ctx, _ done) { x.Send(1, loop{}) })))
	var ms machine.System
	ms.Add(sends, peer{2})
	ms.Add(repeats, peer{2})
	ms.Add(hears, struct{}{})
	if starves(t, &ms, nil) {
		t.Error("a message never arrives because of others from elsewhere")
	}
}

// TestActionsAreNoProcess checks that only fair actions must happen, that a crash need not happen, and that the boot
// after one must.
func TestActionsAreNoProcess(t *testing.T) {
	waits := machine.Define[struct{}]("waiter", machine.In("waiting", machine.On(func(_ *struct{}, x *machine.Ctx, _ done) { x.Announce(computing{}) })))
	for _, fair := range []bool{false, true} {
		var ms machine.System
		ms.Add(waits, struct{}{})
		starved := starves(t, &ms, func(sys *sim.System) {
			sys.Actions = []sim.AnyAction{sim.Action[*machine.Host]{Name: "settle", Fair: fair, Do: func(h *machine.Host, env sim.Env) { h.Receive(env, 0, done{}) }}}
		})
		if starved == fair {
			t.Errorf("an action that is fair (%v): starved %v", fair, starved)
		}
	}
	says := machine.Define[struct{}]("sayer", machine.In("start", machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.SetTimer(done{}, time.Second) }),
		machine.On(func(_ *struct{}, x *machine.Ctx, _ done) { x.Announce(computing{}) })))
	var ms machine.System
	ms.Add(says, struct{}{})
	if starves(t, &ms, func(sys *sim.System) { sys.Crashes = 2 }) {
		t.Error("a node never starts again")
	}
}

// TestCrashesInsideStepsAreNoAnswers checks that effects of a crash inside a step do not count as the step's own. A
// timer that changes nothing, except that a crash may strike it, does not replace one that has an effect, and is not a
// way to recover.
func TestCrashesInsideStepsAreNoAnswers(t *testing.T) {
	ticker := machine.Define[struct{}]("ticker",
		machine.In("idle", machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.SetTimer(loop{}, time.Second) }),
			machine.On(func(_ *struct{}, x *machine.Ctx, _ loop) { x.Announce(loop{}); x.SetTimer(loop{}, time.Second) }),
			machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Goto("ready") }, "ready")),
		machine.In("ready",
			machine.On(func(_ *struct{}, x *machine.Ctx, _ loop) { x.Announce(computing{}) }),
			machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Goto("idle") }, "idle")))
	for crashes := range 2 {
		var ticks machine.System
		ticks.Add(ticker, struct{}{})
		if starves(t, &ticks, func(sys *sim.System) { sys.Timing, sys.Crashes = sim.Prompt, crashes }) {
			t.Errorf("%d crashes: a timer need not fire where it does something", crashes)
		}
	}
	var ms machine.System
	ms.Add(machine.Define[struct{}]("sticker",
		machine.In("fresh", machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Goto("stuck") }, "stuck")),
		machine.In("stuck", machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Announce(loop{}) }))), struct{}{})
	sys := ms.Sim("sticker")
	sys.Crashes = 1
	sys.Properties = []sim.Property{{Name: "fresh", Inevitably: func(v *sim.View) bool { return machine.StateOf(v, 0) == "fresh" }}}
	if s := judged(t, sys).Fairness.Starvation; s == nil || s.Recovers {
		t.Errorf("a crash inside a step is a way to recover: %+v", s)
	}
}

// TestInevitably checks that luck does not make a property inevitable, and a fair choice does.
func TestInevitably(t *testing.T) {
	for _, fair := range []bool{true, false} {
		var ms machine.System
		ms.Add(machine.Define[struct{}]("flipper",
			machine.In("flipping", machine.Null(func(_ *struct{}, x *machine.Ctx) {
				flip := x.Flip
				if fair {
					flip = x.FairFlip
				}
				if flip("heads") {
					x.Goto("heads")
				}
			}, "heads")),
			machine.In("heads", machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Goto("flipping") }, "flipping"))), struct{}{})
		sys := ms.Sim("flips")
		holds := func(v *sim.View) bool { return machine.StateOf(v, 0) == "heads" }
		sys.Properties = []sim.Property{{Name: "can be heads", Eventually: holds}, {Name: "heads", Inevitably: holds}}
		x := judged(t, sys)
		s := x.Fairness.Starvation
		if x.Dead != 0 || !x.LivenessChecked || (s == nil) != fair {
			t.Errorf("fair %v: %d dead, %+v", fair, x.Dead, s)
		}
		if s != nil && (s.Property != "heads" || !s.Recovers || len(s.OneWay) != 1 || s.OneWay[0].Choice != "heads at flipper0" || !s.OneWay[0].Removes) {
			t.Errorf("got %+v, want heads starved by one choice: heads at flipper0", s)
		}
	}
}

type (
	begins  struct{}
	blinks  struct{}
	darkens struct{}
)

// Monitors with equal payloads settle their obligation together: it is not settled if one was cold before the other, in
// the same event.
func TestSettledTogether(t *testing.T) {
	kind := machine.Define[owed]("together",
		machine.In("hot", machine.Hot, machine.OnGoto[blinks]("cold"), machine.OnGoto[begins]("blinking"), machine.Ignore(darkens{})),
		machine.In("cold", machine.Cold, machine.OnGoto[darkens]("hot"), machine.Ignore(blinks{})),
		machine.In("blinking", machine.Hot, machine.OnGoto[blinks]("for a moment"), machine.Ignore(darkens{})),
		machine.In("for a moment", machine.Cold, machine.Entry(func(_ *owed, x *machine.Ctx) { x.Goto("blinking") }, "blinking")))
	for _, two := range []bool{true, false} {
		var ms machine.System
		ms.Add(machine.Define[struct{}]("blinker",
			machine.In("start", machine.Entry(func(_ *struct{}, x *machine.Ctx) {
				machine.Watch[owed](x, nil)
				x.Announce(begins{})
				if two {
					machine.Watch[owed](x, nil)
				}
				x.Goto("light")
			}, "light")),
			machine.In("light", machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Announce(blinks{}); x.Goto("dark") }, "dark")),
			machine.In("dark", machine.Null(func(_ *struct{}, x *machine.Ctx) { x.Announce(darkens{}); x.Goto("light") }, "light"))), struct{}{})
		ms.Each(kind)
		if s := judged(t, ms.Sim("blinks")).Fairness.Starvation; (s != nil) != two {
			t.Errorf("two monitors (%v): %+v", two, s)
		}
	}
}

// Choices of one name with different numbers of alternatives are reported separately.
func TestChoicesOfOneName(t *testing.T) {
	draw := func(n int, other machine.State) machine.Rule {
		return machine.Null(func(_ *struct{}, x *machine.Ctx) {
			if x.Choose("way", n) == 0 {
				x.Goto(other)
			} else {
				x.Goto("out")
			}
		}, other, "out")
	}
	var ms machine.System
	ms.Add(machine.Define[struct{}]("walker", machine.In("two", draw(2, "three")), machine.In("three", draw(3, "two")), machine.In("out")), struct{}{})
	sys := ms.Sim("ways")
	sys.Properties = []sim.Property{{Name: "out", Inevitably: func(v *sim.View) bool { return machine.StateOf(v, 0) == "out" }}}
	s := judged(t, sys).Fairness.Starvation
	want := []fairness.OneWay{{Choice: "way at walker0", Picks: []int{0}, Of: 2, Removes: true}, {Choice: "way at walker0", Picks: []int{0}, Of: 3, Removes: true}}
	if s == nil || !reflect.DeepEqual(s.OneWay, want) {
		t.Errorf("got %+v, want the choices %+v", s, want)
	}
}

type (
	ask    struct{ Key int }
	answer struct{ Key int }
)

// The monitor of EachAnswered passes exactly its keys.
func TestEachAnsweredPassesKeys(t *testing.T) {
	var ms machine.System
	machine.EachAnswered(&ms, "answered", func(a ask) int { return a.Key }, func(a answer) int { return a.Key })
	m := ms.Sim("answered").Monitors[0]().(sim.Obliged)
	for _, event := range []any{machine.Sent[ask]{Event: ask{7}}, machine.Sent[answer]{Event: answer{7}}} {
		if err := m.Observe(0, event); err != nil {
			t.Fatal(err)
		}
		if hot, settled := m.Passed(); slices.Contains(hot, "") || slices.Contains(settled, "") {
			t.Errorf("%T: hot %q, settled %q", event, hot, settled)
		}
	}
}

// keeps requests two keys, and each one again after its answer.
type keeps struct{ Server machine.ID }

// TestEachAnswered checks that each key is a separate obligation, so that one answer does not settle another, and that
// nothing stays open if each key is eventually answered.
func TestEachAnswered(t *testing.T) {
	asks := machine.Define[keeps]("asker", machine.In("asking",
		machine.Entry(func(k *keeps, x *machine.Ctx) { x.Send(k.Server, ask{0}); x.Send(k.Server, ask{1}) }),
		machine.On(func(k *keeps, x *machine.Ctx, a answer) { x.Send(k.Server, ask(a)) })))
	for _, lazy := range []bool{false, true} {
		serves := machine.Define[struct{}]("server", machine.In("serving", machine.On(func(_ *struct{}, x *machine.Ctx, a ask) {
			if !lazy || a.Key == 0 {
				x.Send(0, answer(a))
			}
		})))
		var ms machine.System
		ms.Add(asks, keeps{Server: 1})
		ms.Add(serves, struct{}{})
		machine.EachAnswered(&ms, "answers", func(a ask) int { return a.Key }, func(a answer) int { return a.Key })
		x := judged(t, ms.Sim("each"))
		s := x.Fairness.Starvation
		if x.Finding != nil || !x.Fairness.Judged || (s != nil) != lazy || s != nil && s.Obligation != "1" {
			t.Errorf("lazy %v: %v, %+v", lazy, x.Finding, x.Fairness)
		}
	}
}

// expects is a monitor created for each request.
type expects struct{ Key int }

// TestMonitorsOfRequests checks that monitors created at run time are obligations by their payloads.
func TestMonitorsOfRequests(t *testing.T) {
	kind := machine.Define[expects]("expects",
		machine.In("start", machine.EntryWith(func(e *expects, x *machine.Ctx, a ask) { e.Key = a.Key; x.Goto("owed") }, "owed")),
		machine.In("owed", machine.Hot, machine.On(func(e *expects, x *machine.Ctx, s machine.Sent[answer]) {
			if s.Event.Key == e.Key {
				x.Halt()
			}
		})))
	asks := machine.Define[keeps]("asker", machine.In("asking",
		machine.Entry(func(k *keeps, x *machine.Ctx) {
			for key := range 2 {
				machine.Watch[expects](x, ask{key})
				x.Send(k.Server, ask{key})
			}
		}),
		machine.On(func(k *keeps, x *machine.Ctx, a answer) {
			machine.Watch[expects](x, ask(a))
			x.Send(k.Server, ask(a))
		})))
	for _, lazy := range []bool{false, true} {
		serves := machine.Define[struct{}]("server", machine.In("serving", machine.On(func(_ *struct{}, x *machine.Ctx, a ask) {
			if !lazy || a.Key == 0 {
				x.Send(0, answer(a))
			}
		})))
		var ms machine.System
		ms.Add(asks, keeps{Server: 1})
		ms.Add(serves, struct{}{})
		ms.Each(kind)
		s := judged(t, ms.Sim("each request")).Fairness.Starvation
		if (s != nil) != lazy || s != nil && s.Obligation != "ask{Key:1}" {
			t.Errorf("lazy %v: %+v", lazy, s)
		}
	}
}

package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
)

type other struct{ X int }

// Define reports all errors of a table, by machine and state.
func TestTablesThatAreWrong(t *testing.T) {
	for want, define := range map[string]func(){
		"it has no states": func() { machine.Define[log]("m") },
		"state s: it occurs twice": func() {
			machine.Define[log]("m", machine.In("s"),
				machine.In("s", machine.OnGoto[A]("s")))
		},
		"state s: there are two rules for machine_test.A": func() {
			machine.Define[log]("m",
				machine.In("s", machine.Defer(A{}), machine.Ignore(A{})))
		},
		"state s: A leads to the unknown state t":     func() { machine.Define[log]("m", machine.In("s", machine.OnGoto[A]("t"))) },
		"state s: entry leads to the unknown state t": func() { machine.Define[log]("m", machine.In("s", machine.Entry(did(""), "t"))) },
		"state s: A leads to a state without a name":  func() { machine.Define[log]("m", machine.In("s", machine.OnGoto[A](""))) },
		"state s: B leads to a state without a name":  func() { machine.Define[log]("m", machine.In("s", machine.OnPush[B](""))) },
		"state s: C leads to a state without a name":  func() { machine.Define[log]("m", machine.In("s", machine.On(on[C](""), ""))) },
		"state t is unreachable":                      func() { machine.Define[log]("m", machine.In("s"), machine.In("t")) },
		"the action for A is for machine_test.other, not machine_test.log": func() {
			machine.Define[log]("m", machine.In("s", machine.On(func(*other, *machine.Ctx, A) {})))
		},
		"state s: it has two actions for entry": func() { machine.Define[log]("m", machine.In("s", machine.Entry(did("")), machine.Entry(did("")))) },
		"A leads to state t with an entry action for machine_test.B": func() {
			machine.Define[log]("m", machine.In("s", machine.OnGoto[A]("t")), machine.In("t", machine.EntryWith(func(*log, *machine.Ctx, B) {})))
		},
		"a rule is for no type of events":    func() { machine.Define[log]("m", machine.In("s", machine.On(func(*log, *machine.Ctx, any) {}))) },
		"state s: it has a rule that is nil": func() { machine.Define[log]("m", machine.In("s", nil)) },
		"state s: it is hot and cold":        func() { machine.Define[log]("m", machine.In("s", machine.Hot, machine.Cold)) },
		"state s: the action for A is nil":   func() { machine.Define[log]("m", machine.In("s", machine.On[log, A](nil))) },
		"a rule is for no type of events; events ": func() {
			machine.Define[log]("m", machine.In("s", machine.On(func(*log, *machine.Ctx, machine.Sent[any]) {})))
		},
		"Sent[*github.com/macemc/macemc/machine_t": func() {
			machine.Define[log]("m",
				machine.In("s", machine.Ignore(machine.Sent[*A]{})))
		},
		"there is a rule for *machine_test.A, a po":       func() { machine.Define[log]("m", machine.In("s", machine.Ignore(&A{}))) },
		"its variables are of type int, must be a struct": func() { machine.Define[int]("m", machine.In("s")) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "machine m:") || !strings.Contains(text, want) {
					t.Errorf("%q, want %q", text, want)
				}
			}()
			define()
		}()
	}
}

var phone = machine.Define[log]("phone",
	machine.In("idle", machine.On(on[A]("ring"), "talking"), machine.Ignore(B{})),
	machine.In("talking", machine.DeferAll(), machine.OnPush[B]("on hold"), machine.OnGoto[C]("idle")),
	machine.In("on hold", machine.On(on[B]("back", func(x *machine.Ctx) { x.Pop() })), machine.Hot))

func TestMermaid(t *testing.T) {
	want := `stateDiagram-v2
  s0: idle
  s1: talking
  s2: on hold
  [*] --> s0
  s0 --> s1: A
  s1 --> s2: push B
  s1 --> s0: C
  note right of s0: ignores B
  note right of s1: defers all else
  note right of s2: handles B; hot
`
	if got := phone.Mermaid(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestCoverage(t *testing.T) {
	ms := one("ac", machine.In("s", machine.OnGoto[A]("t"), machine.Defer(C{}), machine.On(on[B]("b"))), machine.In("t", machine.Ignore(C{}), machine.On(on[B]("b"))))
	ms.Cover = &machine.Coverage{}
	sys := ms.Sim("covered")
	if x, err := table.Explore(t.Context(), &sys, options.Options{}); err != nil || x.Finding != nil {
		t.Fatal(err, x.Finding)
	}
	if got := new(machine.Coverage).Table(ms.Kinds()...); !strings.HasPrefix(got, "nothing was recorded") {
		t.Error(got)
	}
	want := "tested: 2 of 4\n  never: B in state s\n  never: B in state t\n"
	if got := ms.Cover.Table(ms.Kinds()[0]); got != want {
		t.Errorf("got\n%s", got)
	}
}

// Coverage includes rules of monitors.
func TestCoverageOfMonitors(t *testing.T) {
	kind := machine.Define[log]("watcher", machine.In("s", machine.OnGoto[machine.Sent[A]]("t"), machine.Ignore(machine.Sent[B]{})), machine.In("t", machine.Ignore(machine.Sent[B]{}, machine.Sent[A]{})))
	ms := one("ab", machine.In("s", machine.Ignore(A{}, B{})))
	ms.Monitor(kind, log{})
	ms.Cover = &machine.Coverage{}
	run(t, ms)
	if got := ms.Cover.Table(kind); got != "watcher: 2 of 4\n  never: Sent[B] in state s\n  never: Sent[A] in state t\n" {
		t.Errorf("got\n%s", got)
	}
}

// A rule that ignores an event raised by the machine itself counts as used.
func TestCoverageOfWhatIsRaised(t *testing.T) {
	ms := one("a", machine.In("s", machine.On(on[A]("a", func(x *machine.Ctx) { x.Raise(B{}) })), machine.Ignore(B{})))
	ms.Cover = &machine.Coverage{}
	run(t, ms)
	if !ms.Cover.Used(ms.Kinds()[0], "s", B{}) {
		t.Error(ms.Cover.Table(ms.Kinds()...))
	}
}

package kernel_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

type tick struct{ N int }

// counter counts timer firings and stores its draws.
type counter struct {
	sim.Nop
	Fired, Drawn int
}

func (c *counter) Boot(env sim.Env) { env.SetTimer(tick{1}, time.Second) }

func (c *counter) Timer(env sim.Env, t any) {
	c.Fired++
	c.Drawn = env.Choose("draw", 3)
	if c.Fired < 2 {
		env.SetTimer(t, time.Second)
		env.SetTimer(tick{2}, 2*time.Second)
	}
}

func counterSystem() *sim.System {
	return &sim.System{
		Name:  "counter",
		Nodes: 2,
		New:   func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{sim.Action[*counter]{Name: "reset", Times: 1,
			When: func(c *counter) bool { return c.Fired > 0 }, Do: func(c *counter, _ sim.Env) { c.Fired = 0 }}},
		Properties: []sim.Property{
			{Name: "few", Always: sim.Each(func(_ sim.NodeID, c *counter) bool { return c.Fired < 3 })},
			{Name: "fired", Eventually: sim.Each(func(_ sim.NodeID, c *counter) bool { return c.Fired > 0 })},
		},
	}
}

func start(t *testing.T, sys *sim.System) kernel.World {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	return w
}

func keys(w kernel.World) []string {
	var out []string
	for _, ev := range w.Injections(append([]netmodel.Event(nil), w.Enabled()...)) {
		out = append(out, w.Key(ev))
	}
	return out
}

func wantKeys(t *testing.T, w kernel.World, want ...string) {
	t.Helper()
	got := keys(w)
	if len(got) != len(want) {
		t.Fatalf("enabled: %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("enabled: %q, want %q", got, want)
		}
	}
}

// do executes the event of a key.
func do(t *testing.T, w kernel.World, key string) {
	t.Helper()
	for _, ev := range w.Injections(append([]netmodel.Event(nil), w.Enabled()...)) {
		if w.Key(ev) == key {
			if err := w.Step(ev, choose.First); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			return
		}
	}
	t.Fatalf("%q is not enabled; %q are", key, keys(w))
}

func TestTimersAndActions(t *testing.T) {
	w := start(t, counterSystem())
	wantKeys(t, w, "timer n0 tick{N:1}", "timer n1 tick{N:1}")
	first := w.Fingerprint()
	if w.Live() {
		t.Error("live before any timer has fired")
	}
	do(t, w, "timer n0 tick{N:1}")
	// tick 2 has the later deadline, so it must wait.
	wantKeys(t, w, "action n0 reset", "timer n0 tick{N:1}", "timer n1 tick{N:1}")
	do(t, w, "timer n1 tick{N:1}")
	if !w.Live() {
		t.Error("not live though both have fired")
	}
	do(t, w, "timer n0 tick{N:1}")
	do(t, w, "action n0 reset")
	wantKeys(t, w, "timer n0 tick{N:2}", "action n1 reset", "timer n1 tick{N:1}")
	if w.Live() {
		t.Error("live after a reset")
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	if w.Fingerprint() != first {
		t.Error("the first state differs after starting again")
	}
}

func TestMachine_RemembersSafety(t *testing.T) {
	w := start(t, counterSystem())
	do(t, w, "timer n0 tick{N:1}")
	do(t, w, "timer n0 tick{N:1}")
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	do(t, w, "timer n0 tick{N:2}")
	for range 2 {
		if err := w.Check(); err == nil {
			t.Fatal("a third firing was not noticed")
		}
	}
}

// A property that panics, for example because it ignores that a node can be down, is a finding with the name of the
// property.
func TestPropertyPanics(t *testing.T) {
	for _, p := range []sim.Property{
		{Name: "never up", Eventually: func(*sim.View) bool { panic("down") }},
		{Name: "never up", Sometimes: func(*sim.View) bool { panic("down") }},
	} {
		sys := counterSystem()
		sys.Properties = []sim.Property{p}
		w := start(t, sys)
		ask := func(f func()) (err error) {
			defer contain.CatchState(&err)
			f()
			return nil
		}
		for name, err := range map[string]error{"Holds": ask(func() { w.Holds(&p) }), "Live": ask(func() { w.Live() })} {
			var f *sim.Finding
			if name == "Live" && p.Eventually == nil {
				if err != nil {
					t.Errorf("Live: %v", err)
				}
				continue
			}
			if !errors.As(err, &f) || f.Kind != sim.Panic || f.Property != p.Name || f.Stack == "" ||
				f.Message != "the property's function panicked: down" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// An action's When that panics is a finding of the step that led to the state, or of the start.
func TestWhenPanics(t *testing.T) {
	sys := counterSystem()
	at := 1
	sys.Actions = []sim.AnyAction{sim.Action[*counter]{Name: "reset", Do: func(*counter, sim.Env) {},
		When: func(c *counter) bool { return c.Fired == at && []bool{true}[c.Fired+1] }}}
	w := start(t, sys)
	demand := func(err error) {
		t.Helper()
		var f *sim.Finding
		if !errors.As(err, &f) || f.Kind != sim.Panic || f.Node != sim.NodeID(at) || f.Stack == "" ||
			!strings.HasPrefix(f.Message, `the When of action "reset" panicked: runtime error: index out of range`) {
			t.Errorf("%v", err)
		}
		if events := w.Enabled(); len(events) > 0 {
			t.Errorf("enabled: %v", events)
		}
	}
	demand(w.Step(w.Enabled()[1], choose.First)) // the timer of node 1
	at = 0
	demand(w.Start(choose.First))
	at = 5
	if err := w.Start(choose.First); err != nil || len(w.Enabled()) != 2 {
		t.Errorf("%v, enabled: %v", err, w.Enabled())
	}
}

// hasty sets a timer for a past time.
type hasty struct{ sim.Nop }

func (hasty) Boot(env sim.Env) {
	env.SetTimer("past", -5*time.Second)
	env.SetTimer("later", 2*time.Second)
}

// A timer for the past fires at once, and does not set the node's time back.
func TestTimersForThePast(t *testing.T) {
	w := start(t, &sim.System{Name: "hasty", Nodes: 1, New: func(sim.NodeID) sim.Service { return hasty{} }})
	if got := keys(w); !slices.Equal(got, []string{`timer n0 "past"`}) {
		t.Fatalf("enabled: %v", got)
	}
	if err := w.Step(w.Enabled()[0], choose.First); err != nil {
		t.Fatal(err)
	}
	if got := w.NodeFields(0); len(got) != 1 || got[0].Value != "in 2s" {
		t.Errorf("got %+v, want one field: in 2s", got)
	}
}

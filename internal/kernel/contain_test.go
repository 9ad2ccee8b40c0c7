package kernel_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// Guard also returns if the goroutine of f is ended, and names the function that ended it.
func TestGuard(t *testing.T) {
	if f := contain.Guard(func() {}); f != nil {
		t.Error(f)
	}
	f := contain.Guard(func() { endsGoroutine() })
	if f == nil || f.Kind != sim.Panic || !strings.Contains(f.Message, "runtime.Goexit") || !strings.Contains(f.Stack, "endsGoroutine") {
		t.Errorf("got %+v, want a panic in endsGoroutine", f)
	}
}

func endsGoroutine() { runtime.Goexit() }

// A world contains checked code that ends its goroutine, and names that code.
func TestContained(t *testing.T) {
	for _, c := range []struct{ where, want, property string }{
		{"Boot", "the code of the node ended its goroutine", ""},
		{"When", `the When of action "act" ended its goroutine`, ""},
		{"Do", "the code of the node ended its goroutine", ""},
		{"property", "the property's function ended its goroutine", "p"},
		{"monitor", "the code of the node ended its goroutine", ""},
	} {
		sys := exitSystem(c.where)
		w, err := kernel.NewWorld(&sys, kernel.Options{Contain: true})
		if err != nil {
			t.Fatal(err)
		}
		if err = w.Start(choose.First); err == nil {
			if err = w.Check(); err == nil {
				err = w.Step(w.Enabled()[0], choose.First)
			}
		}
		var f *sim.Finding
		if !errors.As(err, &f) || !contain.Exited(f) || f.Kind != sim.Panic || f.Property != c.property ||
			!strings.HasPrefix(f.Message, c.want) ||
			!strings.Contains(f.Stack, "endsGoroutine") {
			t.Errorf("%s: %+v", c.where, err)
		}
	}
}

// A failing Explain does not replace the violation.
func TestExplain_Fails(t *testing.T) {
	for _, c := range []struct {
		name, want string
		explain    func()
	}{
		{"panics", "does not hold (its Explain panicked: oh)", func() { panic("oh") }},
		{"exits", "does not hold (its Explain " + contain.EndedText + ")", endsGoroutine},
		{"blocks", "does not hold (its Explain did not return)", func() { select {} }},
	} {
		for _, opts := range []kernel.Options{{}, {Contain: true}, {Contain: true, Overdue: func(int) bool { return false }}} {
			sys := exitSystem("Explain")
			sys.Properties[0].Name = c.name
			sys.Properties[0].Explain = func(*sim.View) string { c.explain(); return "" }
			w, err := kernel.NewWorld(&sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Start(choose.First); err != nil {
				t.Fatal(err)
			}
			var f *sim.Finding
			if !errors.As(w.Check(), &f) || f.Kind != sim.Safety || f.Property != c.name || f.Message != c.want {
				t.Errorf("%s: got %+v, want %q", c.name, f, c.want)
			}
		}
	}
}

type exiter struct{ where string }

func (e *exiter) at(where string) {
	if e.where == where {
		endsGoroutine()
	}
}

func (e *exiter) Boot(sim.Env)                     { e.at("Boot") }
func (e *exiter) Receive(sim.Env, sim.NodeID, any) {}
func (e *exiter) Timer(sim.Env, any)               {}
func (e *exiter) Observe(sim.NodeID, any) error    { e.at("monitor"); return nil }

func exitSystem(where string) sim.System {
	e := &exiter{where}
	return sim.System{
		Name: "exiter", Nodes: 1,
		New:      func(sim.NodeID) sim.Service { return &exiter{where} },
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &exiter{where} }},
		Actions: []sim.AnyAction{sim.Action[*exiter]{
			Name: "act", When: func(e *exiter) bool { e.at("When"); return true },
			Do: func(e *exiter, env sim.Env) { e.at("Do"); env.Announce(1) },
		}},
		Properties: []sim.Property{{
			Name:    "p",
			Always:  func(*sim.View) bool { e.at("property"); return where != "Explain" },
			Explain: func(*sim.View) string { e.at("Explain"); return "" },
		}},
	}
}

// A property that makes its predicate anew each time is not cached, so that it is as fast in its last state as in its
// first.
func TestEach_MadeAnew(t *testing.T) {
	asked := 0
	sys := exitSystem("")
	sys.Properties = []sim.Property{
		{Name: "anew", Always: func(v *sim.View) bool { return sim.Each(func(sim.NodeID, *exiter) bool { return true })(v) }},
		{Name: "once", Always: sim.Each(func(sim.NodeID, *exiter) bool { asked++; return true })},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{Contain: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	const states = 50_000
	for range states {
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if kept := heap() - before; kept > states {
		t.Errorf("%d bytes are kept after %d states", kept, states)
	}
	if asked != 2 { // its value is cached the second time
		t.Errorf("a predicate that is made once was asked %d times, want 2", asked)
	}
	runtime.KeepAlive(w)
}

// pending is a monitor with an obligation from the start.
type pending struct{}

func (pending) Observe(sim.NodeID, any) error { return nil }
func (pending) Obliges() bool                 { return true }
func (pending) Obligations() []sim.Obligation { return nil }
func (pending) Passed() (_, _ []string)       { return nil, nil }

// Asking reports the code that no system can be made without: a process that such code ends could not even describe the
// system.
func TestGuard_Asked(t *testing.T) {
	var making, other []string
	opts := kernel.Options{Contain: true, Asking: func(a kernel.Asked) {
		switch {
		case a.Making:
			making = append(making, a.Name)
		case a.Name != "":
			other = append(other, a.Name)
		}
	}}
	sys := sim.System{
		Name: "asked", Nodes: 2, New: func(sim.NodeID) sim.Service { return new(sim.Nop) },
		Late:       func(sim.NodeID) bool { return false },
		Monitors:   []func() sim.Monitor{func() sim.Monitor { return pending{} }},
		Containers: [][]sim.NodeID{{0, 1}}, Crashes: 1, MayCrash: func(sim.NodeID) bool { return true },
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
	if _, err := kernel.NewWorld(&sys, opts); err != nil {
		t.Fatal(err)
	}
	slices.Sort(making)
	want := []string{"Late(0)", "Late(1)", "New(0)", "New(1)", "Obligations() of monitor 0", "the function that makes monitor 0"}
	if making = slices.Compact(making); !slices.Equal(making, want) || !slices.Equal(slices.Compact(other), []string{"MayCrash"}) {
		t.Errorf("making calls %q, want %q; other calls are %q", making, want, other)
	}
}

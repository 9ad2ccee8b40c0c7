package kernel_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// ticking counts down by its own steps.
type ticking struct {
	sim.Nop
	Left  int
	Noted bool
}

func (c *ticking) Boot(env sim.Env) { c.Left = 2; env.SetTimer("alarm", 1) }

func (c *ticking) Ready() bool {
	if c.Noted && c.Left == 0 {
		panic("asked once too often")
	}
	return c.Left > 0
}

func (c *ticking) Step(env sim.Env) { c.Left--; env.Announce(c.Left) }

func (c *ticking) Note(sim.Env) { c.Noted = true }

// A step of a node's own is an event between actions and timers, while the service is ready for one. A Ready that
// panics is a finding.
func TestStepper(t *testing.T) {
	sys := sim.System{
		Name: "counting", Nodes: 1, Timing: sim.AnyOrder,
		New:     func(sim.NodeID) sim.Service { return &ticking{} },
		Actions: []sim.AnyAction{sim.Action[*ticking]{Name: "note", Times: 1, Do: (*ticking).Note}},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	none := choose.First
	if err := w.Start(none); err != nil {
		t.Fatal(err)
	}
	keys := func() (keys []string) {
		for _, ev := range w.Enabled() {
			keys = append(keys, w.Key(ev))
		}
		return keys
	}
	take := func(i int) error { return w.Step(w.Enabled()[i], none) }
	if got, want := keys(), []string{"action n0 note", "internal n0", `timer n0 "alarm"`}; !slices.Equal(got, want) {
		t.Fatalf("enabled: %q, want %q", got, want)
	}
	if err := take(1); err != nil || !strings.Contains(w.Last().Source, "stepper_test.go") || len(w.Last().Effects) != 1 {
		t.Fatalf("first step: %v, %+v", err, w.Last())
	}
	if err := take(0); err != nil {
		t.Fatal(err)
	}
	if got, want := keys(), []string{"internal n0", `timer n0 "alarm"`}; !slices.Equal(got, want) {
		t.Fatalf("after one step: %q, want %q", got, want)
	}
	err = take(0)
	f := new(sim.Finding)
	if !errors.As(err, &f) || f.Kind != sim.Panic || !strings.Contains(f.Message, "Ready of the service panicked: asked once too often") {
		t.Fatalf("a Ready that panics: %v", err)
	}
}

type restless struct{ ticking }

func (c *restless) Ready() bool { c.Left++; return true }

// A Ready that changes the service is reported by name.
func TestReadyOnlyLooks(t *testing.T) {
	sys := sim.System{Name: "restless", Nodes: 1, New: func(sim.NodeID) sim.Service { return &restless{} }}
	w, err := kernel.NewWorld(&sys, kernel.Options{CheckMessages: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err == nil || !strings.Contains(err.Error(), "Ready of the service changed the state of the service *kernel_test.restless") {
		t.Fatalf("a Ready that changes the service: %v", err)
	}
}

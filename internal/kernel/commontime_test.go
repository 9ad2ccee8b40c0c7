package kernel_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// wakeful has a timer that fires every Period, and one that is due at 10s.
type wakeful struct {
	Period time.Duration
	Times  string
}

func (s *wakeful) Boot(env sim.Env) {
	env.SetTimer("late", 10*time.Second)
	s.note(env, "boot")
}

func (s *wakeful) Timer(env sim.Env, t any) { s.note(env, fmt.Sprint(t)) }

func (s *wakeful) Receive(sim.Env, sim.NodeID, any) {}

func (s *wakeful) note(env sim.Env, what string) {
	now, _, _ := env.(simext.Timekeeper).Time()
	s.Times += fmt.Sprintf("%s@%v ", what, now)
	if what != "late" {
		env.SetTimer("next", s.Period)
	}
}

// Common time advances, on all nodes, to a timer that is due later. A timer that is due before is late.
func TestClocks_CommonTime(t *testing.T) {
	for _, c := range []struct {
		clocks *sim.Clocks
		n0, n1 string
	}{
		{nil, "boot@0s next@0s late@0s next@0s ", "boot@0s next@0s late@0s "},
		{&sim.Clocks{}, "boot@0s next@7s late@10s next@12s ", "boot@0s next@7s late@12s "},
	} {
		var made [2]*wakeful
		sys := sim.System{Name: "wakeful", Nodes: 2, Clocks: c.clocks, New: func(id sim.NodeID) sim.Service {
			made[id] = &wakeful{Period: []time.Duration{5 * time.Second, 7 * time.Second}[id]}
			return made[id]
		}}
		w, err := kernel.NewWorld(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		src := choose.SourceFunc(func(choose.Point) int { return 0 })
		if err := w.Start(src); err != nil {
			t.Fatal(err)
		}
		for _, id := range []sim.NodeID{1, 0, 0, 0, 1} {
			at := slices.IndexFunc(w.Enabled(), func(ev netmodel.Event) bool { return ev.Node == id })
			if err := w.Step(w.Enabled()[at], src); err != nil {
				t.Fatal(err)
			}
		}
		if made[0].Times != c.n0 || made[1].Times != c.n1 {
			t.Errorf("%v: got %q and %q, want %q and %q", c.clocks, made[0].Times, made[1].Times, c.n0, c.n1)
		}
	}
}

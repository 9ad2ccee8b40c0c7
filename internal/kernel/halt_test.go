package kernel_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// halting is voting in which one node may halt, and none may crash.
func halting(who sim.NodeID) *sim.System {
	sys := voting(true)
	sys.Crashes, sys.Halts = 0, 1
	sys.MayHalt = func(id sim.NodeID) bool { return id == who }
	sys.Properties = nil
	return sys
}

// started returns a started world with tracing, and a function that executes the event with a key, its questions
// answered by picks.
func started(t *testing.T, sys *sim.System) (w kernel.World, step func(key string, picks ...int)) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	return w, func(key string, picks ...int) {
		t.Helper()
		for _, ev := range all(w) {
			if w.Key(ev) != key {
				continue
			}
			src := choose.SourceFunc(func(p choose.Point) int {
				if len(picks) == 0 {
					return 0
				}
				pick := picks[0]
				picks = picks[1:]
				return pick
			})
			if err := w.Step(ev, src); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Fatalf("%s cannot happen, but %v", key, keys(w))
	}
}

func all(w kernel.World) []netmodel.Event { return w.Injections(slices.Clone(w.Enabled())) }

// A halted node takes no more steps, does not boot, and keeps no state.
func TestHalt(t *testing.T) {
	w, step := started(t, halting(0))
	if got, want := keys(w), []string{"action n0 vote", "halt n0"}; !slices.Equal(got, want) {
		t.Errorf("at first %q can happen, want %q", got, want)
	}
	step("action n0 vote")
	step("halt n0")
	if got, want := keys(w), []string{"deliver n1<-n0 vote{Round:1}"}; !slices.Equal(got, want) {
		t.Errorf("then %q can happen, want %q", got, want)
	}
	if f := w.NodeFields(0); w.Service(0) != nil || len(f) != 1 || f[0].Value != "halted" {
		t.Errorf("what is left is %v", f)
	}
	step("deliver n1<-n0 vote{Round:1}")
	if got := keys(w); len(got) > 0 {
		t.Errorf("at last %q can happen", got)
	}
}

// A node may halt inside a step at points that others can distinguish. Changes to its disk do not count.
func TestHaltInside(t *testing.T) {
	between, step := started(t, halting(0))
	step("action n0 vote")
	step("halt n0")
	for pick, sent := range map[int]bool{1: false, 2: true} { // before the vote is sent, and before it is announced
		w, step := started(t, halting(0))
		step("action n0 vote", pick)
		last := w.Last()
		if a := last.Answers; len(a) != 1 || a[0].Label != choose.HaltInside.Label() || a[0].Arity != 3 || !last.Halted || !last.Crashed {
			t.Errorf("pick %d: asked %v, halted %v", pick, a, last.Halted)
		}
		if (last.Applied == 3) != sent || (len(w.Enabled()) == 1) != sent || (w.Fingerprint() == between.Fingerprint()) != sent {
			t.Errorf("pick %d: %d effects happened, then %v can", pick, last.Applied, keys(w))
		}
	}
}

// Messages in flight to a node that halts are lost, and so are those sent to it later.
func TestHaltedReceiver(t *testing.T) {
	w, step := started(t, halting(1))
	step("action n0 vote")
	step("halt n1")
	if f := w.Last().Fates; len(f) != 1 || f[0].Fate != netmodel.DroppedCrash || len(keys(w)) > 0 {
		t.Errorf("fates %v, then %q can happen", f, keys(w))
	}
	later, step := started(t, halting(1))
	step("halt n1")
	step("action n0 vote")
	if f := later.Last().Fates; len(f) != 1 || f[0].Fate != netmodel.DroppedDown || w.Fingerprint() != later.Fingerprint() {
		t.Errorf("sent later: fates %v", f)
	}
}

// Crashes and halts have separate limits, and separate questions inside a step.
func TestCrashesAndHalts(t *testing.T) {
	sys := voting(true)
	sys.Halts = 5 // more than there are nodes
	w, step := started(t, sys)
	step("action n0 vote", 0, 1)
	if a := w.Last().Answers; len(a) != 2 || a[0].Label != choose.CrashInside.Label() || a[1].Label != choose.HaltInside.Label() || a[1].Pick != 1 {
		t.Errorf("asked %v", a)
	}
	if got := keys(w); len(got) > 0 {
		t.Errorf("then %q can happen", got)
	}
	if f := w.NetFields(); !slices.Contains(f, diff.Field{Path: "crashes left", Value: "1"}) || !slices.Contains(f, diff.Field{Path: "halts left", Value: "1"}) {
		t.Errorf("%v", f)
	}
}

// Without a MayHalt a node may halt if it may crash.
func TestHalt_MayCrash(t *testing.T) {
	sys := halting(0)
	sys.MayHalt = nil
	w, _ := started(t, sys)
	if got, want := keys(w), []string{"action n0 vote", "halt n0"}; !slices.Equal(got, want) {
		t.Errorf("%q can happen, want %q", got, want)
	}
}

// Properties can distinguish halted nodes from nodes that are down.
func TestViewHalted(t *testing.T) {
	sys := voting(true)
	sys.Halts = 1
	sys.Properties = []sim.Property{{Name: "gone", Sometimes: func(v *sim.View) bool { return v.Halted(0) }}}
	for key, want := range map[string]bool{"crash n0": false, "halt n0": true} {
		w, step := started(t, sys)
		step(key)
		if got := w.Holds(&sys.Properties[0]); got != want {
			t.Errorf("after %s: halted %v", key, got)
		}
	}
}

// A checkpoint records which nodes have halted.
func TestHaltInCheckpoint(t *testing.T) {
	w, step := started(t, halting(0))
	step("halt n0")
	c, err := w.(kernel.Checkpointer).Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	other, _ := started(t, halting(0))
	if err := other.(kernel.Checkpointer).Resume(c); err != nil {
		t.Fatal(err)
	}
	if w.Fingerprint() != other.Fingerprint() || len(keys(other)) > 0 {
		t.Errorf("after resuming %q can happen", keys(other))
	}
}

package shrink_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// pairStore writes two halves of a pair whenever it boots, and in an action. A crash may leave halves that differ.
type pairStore struct {
	sim.Nop
	Torn bool
}

func (s *pairStore) Boot(env sim.Env) {
	left, _ := env.Disk().Get("left")
	right, _ := env.Disk().Get("right")
	s.Torn = !slices.Equal(left, right)
	s.write(env)
}

func (s *pairStore) write(env sim.Env) {
	left, _ := env.Disk().Get("left")
	next := []byte{byte(len(left)) + 1}
	if len(left) > 0 {
		next[0] = left[0] + 1
	}
	env.Disk().Put("left", next)
	env.Disk().Put("right", next)
	env.Disk().Sync()
}

// A crash inside the first action needs one step less, and one crash less, than a crash inside the boot after a crash. No step of
// that run can be dropped.
func TestShrink_CrashInsideEarlierStep(t *testing.T) {
	sys := sim.System{
		Name: "pair", Nodes: 1, Crashes: 2,
		New: func(sim.NodeID) sim.Service { return &pairStore{} },
		Actions: []sim.AnyAction{sim.Action[*pairStore]{Name: "write", Do: (*pairStore).write,
			When: func(*pairStore) bool { return true }}},
		Properties: []sim.Property{{Name: "safe", Always: func(v *sim.View) bool {
			s, up := v.Service(0).(*pairStore)
			return !up || !s.Torn
		}}},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	crashes := choose.SourceFunc(func(p choose.Point) int {
		switch p.Kind {
		case choose.CrashInside:
			return 2 // after the first half
		case choose.Outcome:
			return p.Arity - 1
		}
		return 0
	})
	if err := r.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		kind eventkind.Kind
		src  choose.Source
	}{{eventkind.Crash, choose.First}, {eventkind.Boot, crashes}, {eventkind.Boot, choose.First}} {
		index := -1
		for i := 0; index < 0; i++ {
			ev, ok := r.Event(i)
			if !ok {
				t.Fatalf("no %v is enabled", step.kind)
			}
			if ev.Kind == step.kind {
				index = i
			}
		}
		if err := r.Step(index, step.src); err != nil {
			t.Fatal(err)
		}
	}
	if w.Check() == nil {
		t.Fatal("the run does not violate")
	}
	want(t, &sys, shrunk(t, sys, r.Path.Clone(), safe), "action n0 write 2 1", "boot n0")
}

package kernel_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// hoarder uses an Env that was passed to an earlier handler.
type hoarder struct {
	sim.Nop
	kept []sim.Env
}

// A kept Env is noticed by the next handlers of its node, even in a world without close checks.
func TestKeptEnv(t *testing.T) {
	for ago := 1; ago < 4; ago++ {
		sys := sim.System{
			Name: "hoarder", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(hoarder) },
			State: []sim.StateRule{sim.IgnoreField[hoarder]("kept")},
			Actions: []sim.AnyAction{sim.Action[*hoarder]{Name: "act", Do: func(k *hoarder, env sim.Env) {
				if k.kept = append(k.kept, env); len(k.kept) > ago {
					k.kept[0].Announce(1)
				}
			}}},
			Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
		}
		w, err := kernel.NewWorld(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		src := &choose.Prefix{}
		err = w.Start(src)
		for range ago {
			if err == nil {
				err = w.Step(w.Enabled()[0], src)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var f *sim.Finding
		if err := w.Step(w.Enabled()[0], src); !errors.As(err, &f) || !contain.IsUseAfterReturn(f) {
			t.Errorf("%d handlers ago: %v", ago, err)
		}
	}
}

package table_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// crier announces a lot in one step.
type crier struct {
	sim.Nop
	N int
}

// heard counts announcements, up to a maximum.
type heard struct{ N int }

func (h *heard) Observe(sim.NodeID, any) error {
	h.N = min(h.N+1, 3)
	return nil
}

// A step may have more effects than a transition counts.
func TestOperations_Many(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, many := range []int{2, 1<<16 - 4, 1<<16 - 2, 1<<16 - 1, 1 << 16, 1<<16 + 5} {
		sys := sim.System{
			Name: "crier", Nodes: 1, New: func(sim.NodeID) sim.Service { return &crier{} },
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &heard{} }},
			Actions: []sim.AnyAction{sim.Action[*crier]{Name: "cry", Times: 1, Do: func(c *crier, env sim.Env) {
				c.N++
				for range many {
					env.Announce(1)
				}
			}}},
			Properties: []sim.Property{{Name: "none", Always: func(*sim.View) bool { return true }}},
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%d announced: %v", many, r)
				}
			}()
			x, err := table.Explore(context.Background(), &sys, options.Options{})
			if err != nil || x.Finding != nil || x.States != 2 {
				t.Errorf("%d announced: %+v, %v", many, x, err)
			}
		}()
	}
}

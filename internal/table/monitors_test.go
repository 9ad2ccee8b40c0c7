package table_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// teller announces its word once.
type teller struct {
	sim.Nop
	Word string
}

func (t *teller) Boot(env sim.Env) { env.SetTimer("tell", 1) }

func (t *teller) Timer(env sim.Env, _ any) { env.Announce(t.Word) }

// gate is closed until it is opened; knocking at an open gate is a violation.
type gate struct{ Open bool }

func (g *gate) Observe(_ sim.NodeID, event any) error {
	switch {
	case event == "open":
		g.Open = true
	case g.Open:
		return errors.New("somebody knocked at an open gate")
	}
	return nil
}

// The reaction of a monitor to an announcement depends on its state. The state stayed the same in the first
// execution of the step, which says nothing about other states.
func TestMonitors_ObserveInEveryState(t *testing.T) {
	for _, order := range [][]string{{"knock", "open"}, {"open", "knock"}} {
		sys := &sim.System{Name: "gate", Nodes: 2, New: func(id sim.NodeID) sim.Service { return &teller{Word: order[id]} },
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &gate{} }}}
		for _, visited := range visitedSets {
			for _, do := range []func(tester, *sim.System, options.Options) *table.Exploration{breadth, dive} {
				x := do(t, sys, options.Options{Visited: visited})
				var f *sim.Finding
				if !errors.As(x.Finding, &f) || f.Kind != sim.Safety {
					t.Errorf("%v: %+v", order, x)
				} else if steps := leadsTo(t, sys, x.Path, x.Finding); steps != 2 {
					t.Errorf("%v: %d steps, want 2", order, steps)
				}
			}
		}
	}
}

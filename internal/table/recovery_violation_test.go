package table_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// goer waits until the other node lets it go.
type goer struct {
	sim.Nop
	N int
}

// turnstile is a monitor that requires one announcement before the other.
type turnstile struct{ Open bool }

func (g *turnstile) Observe(node sim.NodeID, _ any) error {
	if node == 0 && !g.Open {
		return errors.New("it is shut")
	}
	g.Open = true
	return nil
}

// The first execution of a step fails. Elsewhere the step does not fail, and leads to a state that violates an
// Always property. Behind that state there is no recovery.
func TestRecover_NotBehindViolation(t *testing.T) {
	sys := &sim.System{
		Name: "turnstile", Nodes: 2, New: func(sim.NodeID) sim.Service { return &goer{} },
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &turnstile{} }},
		Actions: []sim.AnyAction{
			sim.Action[*goer]{Name: "go", Times: 1, Do: func(g *goer, env sim.Env) {
				g.N = 1
				env.Announce("go")
			}},
			sim.Action[*goer]{Name: "on", When: func(g *goer) bool { return g.N == 1 }, Do: func(g *goer, _ sim.Env) { g.N = 2 }},
		},
		Properties: []sim.Property{
			{Name: "stays", Always: func(v *sim.View) bool { return v.Service(0).(*goer).N != 1 }},
			{Name: "there", Eventually: func(v *sim.View) bool { return v.Service(0).(*goer).N == 2 }},
		},
	}
	r, err := table.Recover(t.Context(), sys, choose.Path{}, options.Options{})
	if err != nil || r.Live != nil || r.Stopped != "violation" {
		t.Errorf("%+v, %v", r, err)
	}
}

package task

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// The debugger reads why a run ends before the end of its path: the path does not fit. A run that fits leaves no reason.
func TestExecuteInspected(t *testing.T) {
	sys := &sim.System{Name: "timers", Nodes: 1, New: func(sim.NodeID) sim.Service { return &alarm{} }}
	for _, c := range []struct {
		path   choose.Path
		states uint64
		unfit  string
	}{
		{choose.Path{0}, 2, ""},
		{choose.Path{0, 7}, 2, "picks event 7"},
	} {
		executeInspected(sys, c.path)
		if reached != c.states || c.unfit == "" && unfit != "" || !strings.Contains(unfit, c.unfit) {
			t.Errorf("path %v: %d states, %q, want %d, %q", c.path, reached, unfit, c.states, c.unfit)
		}
	}
}

// alarm sets a timer whenever one fires.
type alarm struct{ sim.Nop }

func (*alarm) Boot(env sim.Env)         { env.SetTimer("alarm", 1) }
func (*alarm) Timer(env sim.Env, _ any) { env.SetTimer("alarm", 1) }

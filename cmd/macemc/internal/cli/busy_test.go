package cli

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// sign is a file in which a process records its progress.
const sign = "begun"

// await waits until a file exists.
func await(t *testing.T, file string) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Errorf("there is no %s", file)
			return
		}
	}
}

// busy is a system without end. It writes the file sign after enough steps for a search to be past its preliminary phases.
var busy = spec.Entry{
	Name: "busy", Summary: "internal step", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
	Build: func(spec.Config) (sim.System, error) {
		var steps atomic.Int64
		return sim.System{
			Name: "busy", Nodes: 1, New: func(sim.NodeID) sim.Service { return &labourer{} },
			Actions: []sim.AnyAction{
				sim.Action[*labourer]{Name: "count", Do: func(s *labourer, _ sim.Env) {
					if s.Count++; steps.Add(1) == 40_000 {
						_ = os.WriteFile(sign, nil, 0o600)
					}
				}},
				sim.Action[*labourer]{Name: "waste", Do: func(s *labourer, _ sim.Env) { s.Wasted += s.Count }},
			},
			Properties: []sim.Property{{Name: "positive", Always: sim.Each(func(_ sim.NodeID, s *labourer) bool { return s.Count >= 0 })}},
		}, nil
	},
}

type labourer struct {
	sim.Nop
	Count, Wasted int
}

package search_test

import (
	"testing"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type stamp struct{ At macetime.Time }

// stamper compares the time that its peer sends with its own.
type stamper struct {
	sim.Nop
	Later bool
}

func (s *stamper) Boot(env sim.Env) { env.Send(1-env.Self(), stamp{env.Clock().Now()}) }

func (s *stamper) Receive(env sim.Env, _ sim.NodeID, msg any) {
	s.Later = env.Clock().Before(env.Clock().Now(), msg.(stamp).At)
}

// Comparisons of times of different nodes are reported, because the search then tries more orders than are real.
func TestForeignTimes_Reported(t *testing.T) {
	for sends, want := range map[bool]bool{true: true, false: false} {
		sys := sim.System{Name: "stamps", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service {
			if sends {
				return &stamper{}
			}
			return &collector{}
		}}
		if res := run(t, search.Config{System: sys, MaxPaths: 100}); res.Stats.ForeignTimes != want {
			t.Errorf("compared: %v, reported: %v", sends, res.Stats.ForeignTimes)
		}
	}
}

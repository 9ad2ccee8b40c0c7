package search

import (
	"testing"

	"github.com/macemc/macemc/sim"
)

// A round of fault-free walks, which may be long, takes no more events than the work before it, if that was much.
func TestRoundsOfWalks(t *testing.T) {
	cfg := Config{Workers: 1, System: sim.System{Name: "rearming", Nodes: 1, New: func(sim.NodeID) sim.Service { return &rearming{} }}}
	s, err := newSearcher(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		phase        phase
		before, want int // events of a unit
	}{
		{walkPhase, 0, 2048}, {walkPhase, 320_000, 20_000}, {walkPhase, 1 << 30, 32_768}, {faultyPhase, 0, 32_768},
	} {
		s.tallies = tallies{}
		s.tallies.of(walkPhase).Events = c.before
		for _, u := range s.take(&walkSeries{phase: c.phase}) {
			if u.events != c.want {
				t.Errorf("phase %s, after %d events: a unit may take %d, want %d", c.phase, c.before, u.events, c.want)
			}
		}
	}
}

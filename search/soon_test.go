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
		strategy     Name
		before, want int // events of a unit
	}{
		{Walk, 0, 2048}, {Walk, 320_000, 20_000}, {Walk, 1 << 30, 32_768}, {Faulty, 0, 32_768},
	} {
		s.totals.tallies = tallies{}
		s.totals.tallies.of(startPhase).Events = c.before
		for _, u := range s.take(s.cfg.walks(c.strategy)) {
			if u.events != c.want {
				t.Errorf("strategy %s, after %d events: a unit may take %d, want %d", c.strategy, c.before, u.events, c.want)
			}
		}
	}
}

package search

import (
	"testing"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// In the first runs of a row faults strike after a few steps, later ones after up to 23.
func TestGapsBetweenFaults(t *testing.T) {
	for _, c := range []struct{ number, least, most int }{{0, 6, 11}, {127, 6, 11}, {128, 18, 23}} {
		s := &faulty{rowRuns: rowRuns{number: c.number}}
		s.random.Seed(1, 1)
		at, longest := &runloop.Node{}, 0
		for range 500 {
			s.drawGap(at)
			longest = max(longest, s.gap)
		}
		if longest < c.least || longest > c.most {
			t.Errorf("run %d: the longest of 500 gaps is %d steps, want %d to %d", c.number, longest, c.least, c.most)
		}
	}
}

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
		s.tallies.of(walkPhase).events = c.before
		for _, u := range s.take(&row{phase: c.phase}) {
			if u.events != c.want {
				t.Errorf("phase %s, after %d events: a unit may take %d, want %d", c.phase, c.before, u.events, c.want)
			}
		}
	}
}

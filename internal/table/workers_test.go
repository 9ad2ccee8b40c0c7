package table_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/sim"
)

// A second worker that reads edges changes neither findings, nor counts, nor executed steps.
func TestWorkers_TwoReadEdges(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		nodes int
		most  sim.Limits
		depth int
	}{
		{7, sim.Limits{}, 12},
		{6, sim.Limits{sim.Crashes: 1}, 10},
		{6, sim.Limits{sim.Loss: 1, sim.Dup: 1}, 9},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			sys := bundled.System(t, "paxos", c.nodes, c.most)
			for _, set := range stateset.Kinds {
				opts := options.Options{MaxDepth: c.depth, Visited: set}
				want := breadth(t, sys, opts)
				opts.Go = workers[1]
				got := breadth(t, sys, opts)
				sameExploration(t, "two workers", got, want)
				if got.Stats != want.Stats {
					t.Errorf("%+v, with one worker %+v", got.Stats, want.Stats)
				}
				if want.States < 20_000 {
					t.Errorf("only %d states: nothing was read", want.States)
				}
			}
		})
	}
}

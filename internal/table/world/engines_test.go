package world_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/lockstep"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/sim"
)

// Every bundled system, without bugs and with known ones.
func TestEngines_AllBundledSystems(t *testing.T) {
	bundled.Each(t, func(t *testing.T, i int, sys *sim.System) {
		steps := 100
		if i > 0 { // bugs change little
			steps = 50
		}
		if testing.Short() {
			steps /= 3
		}
		lockstep.New(t, sys, uint64(i)).Walk(steps, 100)
	})
}

func TestEngines_LongWalks(t *testing.T) {
	for _, test := range []struct {
		name   string
		nodes  int
		limits sim.Limits
	}{
		{"pingack", 2, sim.Limits{sim.Loss: 1}},
		{"pingack", 2, sim.Limits{sim.Loss: 3, sim.Dup: 3, sim.Crashes: 2, sim.Partitions: 2}},
		{"randtree", 2, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
		{"randtree", 3, sim.Limits{sim.Crashes: 3, sim.NetErrors: 3, sim.Partitions: 3}},
		{"randtree", 5, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
	} {
		t.Run(fmt.Sprintf("%s %d %+v", test.name, test.nodes, test.limits), func(t *testing.T) {
			d := lockstep.New(t, bundled.System(t, test.name, test.nodes, test.limits), 1)
			steps := 1000
			if testing.Short() {
				steps = 100
			}
			d.Walk(steps, 150)
			t.Logf("%+v", d.Table.(*world.World).Stats())
		})
	}
}

func TestEngines_RandomSystems(t *testing.T) {
	stats := steptree.Stats{}
	rapid.Check(t, func(t *rapid.T) {
		d := lockstep.New(t, script.Draw(t).System(), rapid.Uint64().Draw(t, "seed"))
		d.Walk(60, 40)
		s := d.Table.(*world.World).Stats()
		stats.Steps += s.Steps
		stats.Misses += s.Misses
		stats.Verified += s.Verified
	})
	t.Logf("%+v", stats)
}

package symmetry_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/sim"
)

var (
	symmetries    = flag.Int("symmetries", 50, "compare what is left of this many random systems by symmetry with the whole graph")
	firstSymmetry = flag.Uint64("first-symmetry", 0, "the number of the first of these systems")
)

// symmetric counts the comparisons.
type symmetric struct {
	reductions.Tally
	merged, refuted atomic.Int64 // systems in which states were merged; in which that was refuted
}

// compareSymmetric compares a random system with merged states with all of its states.
func compareSymmetric(number uint64, only twist, without options.Mutation, t *symmetric) (err error) {
	defer func() {
		if failed := recover(); failed != nil && without != "" {
			err = fmt.Errorf("panicked: %v", failed)
		} else if failed != nil {
			panic(failed)
		}
	}()
	r := rand.New(rand.NewPCG(3, number))
	how := only
	if how < 0 {
		how = max(straight, twist(r.IntN(2*int(twists)))-twists)
	}
	sys := drawSociety(r, how)
	for k, names := range [][]string{{"live", "seen"}, {"safe"}, {"safe too"}, {"each", sim.AssertionProperty}, {"seen"}} {
		if k > 0 && k != 1+int(number)%4 {
			continue
		}
		if len(sys.Monitors) > 0 {
			names = append(names, sys.MonitorNames()...)
		}
		some, full, err := t.Explore(&sys, names, k == 0)
		if full == nil {
			return err
		}
		for n, w := range append([]options.Rules{{}}, reductions.Rules...) {
			if n > 0 && n != int(number)%(len(reductions.Rules)+1) && n != len(reductions.Rules) {
				continue
			}
			w.Mutation = without
			opts := options.Options{Reduce: options.ReduceFull, Rules: &w, Symmetry: true, MaxStates: 2 * reductions.MostStates,
				Frontier: explore.Frontiers[number/3%2], Visited: stateset.Kinds[number%3]}
			less, err := reductions.Explore(&some, opts)
			if err == nil {
				err = reductions.Same(&some, full, less)
			}
			merged := less != nil && less.Reduced.Permutations > 0
			if err == nil && merged && n == 0 && full.Finding == nil && less.States != len(full.Orbits) {
				err = fmt.Errorf("%d states, of %d that are different", less.States, len(full.Orbits))
			}
			if err != nil {
				return fmt.Errorf("system %d, twist %d, %v, %+v, asymmetry %q: %w", number, how, names, w, less.Reduced.Asymmetry, err)
			}
			switch {
			case k > 0 || n > 0:
			case merged:
				t.merged.Add(1)
				t.Kept.Add(int64(less.States))
			default:
				t.refuted.Add(1)
			}
			if how == straight && sys.Crashes == 0 && !merged {
				return fmt.Errorf("system %d: nodes are interchangeable, but: %s", number, less.Reduced.Asymmetry)
			}
		}
	}
	return nil
}

// Merging changes no finding, and merges no states that differ.
func TestSymmetry_RandomSystems(t *testing.T) {
	n := *symmetries
	if testing.Short() {
		n = 5
	}
	var c symmetric
	if err := c.CompareEach(*firstSymmetry, n, func(k uint64) error { return compareSymmetric(k, -1, "", &c) }); err != nil {
		t.Error(err)
	}
	t.Logf("%d systems (%d with faults, %d with quorums), %d merged, %d refuted, %d too large, %d violations, %d with dead states; %d states, %d kept",
		c.Systems.Load(), c.Faulty.Load(), c.Votes.Load(), c.merged.Load(), c.refuted.Load(), c.Large.Load(), c.Violated.Load(), c.Dead.Load(),
		c.States.Load(), c.Kept.Load())
}

// Each part of what shows that nodes are interchangeable is needed. The first numbers keep the test short.
func TestSymmetry_FlawsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("compares some hundred systems")
	}
	for _, f := range []struct {
		without options.Mutation
		twist   twist
		from    uint64
	}{
		{por.NoSameSteps, keepsSender, 0}, {por.NoSameSteps, keepsMask, 0}, {por.NoSameSteps, sendsToFirst, 0}, {por.NoSameSteps, looksWhoIsLess, 80},
		{por.NoSameSteps, tellsName, 0}, {por.NoSameStart, beginsOtherwise, 0}, {por.NoSameSteps, keepsOnDisk, 0}, {por.NoSameEvents, crashesOne, 0},
		{por.NoSameSteps, namesTimer, 60}, {por.NoSameView, readsOne, 60}, {por.NoSameHearing, monitorsOne, 0}, {por.NoSameCover, straight, 70},
	} {
		t.Run(fmt.Sprintf("%s, twist %d", f.without, f.twist), func(t *testing.T) {
			var c symmetric
			err := c.CompareEach(f.from, 250, func(k uint64) error { return compareSymmetric(k, f.twist, f.without, &c) })
			if err == nil {
				t.Fatalf("in %d systems, %d of which were merged, nobody noticed that %s", c.Systems.Load(), c.merged.Load(), f.without)
			}
			t.Logf("after %d systems: %v", c.Systems.Load(), err)
		})
	}
}

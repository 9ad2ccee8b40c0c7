package por_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/sim"
)

var (
	toCompare      = flag.Int("reductions", 100, "compare reductions of this many random systems with the whole graph")
	firstReduction = flag.Uint64("first-reduction", 0, "the number of the first of these systems")
)

// compare compares the graph of a random system with reductions of it. The error describes a difference.
func compare(number uint64, without options.Mutation, t *reductions.Tally) error {
	sys := reductions.System(rand.New(rand.NewPCG(1, number)), reductions.Usual)
	sys.CrashCut = sim.CrashCut(number % 3)
	return compareSystem(sys, number, without, t)
}

func compareSystem(sys sim.System, number uint64, without options.Mutation, t *reductions.Tally) error {
	frontier := explore.Frontiers[number/3%2]
	visited := stateset.Kinds[number%3]
	all := []string{"safe", "safe too", "each", "live", "seen"}
	variants := [][]string{{"live", "seen"}, {"safe"}, {"safe too"}, {"each"}, {sim.AssertionProperty}, all}
	if len(sys.Monitors) > 0 {
		variants = append(variants, []string{sys.MonitorNames()[0]})
	}
	for k, names := range variants {
		if k > 0 && k != 1+int(number/5)%(len(variants)-1) {
			continue
		}
		some, full, err := t.Explore(&sys, names, k == 0)
		if full == nil {
			return err
		}
		for n, w := range reductions.Rules {
			if k > 0 && n != int(number)%len(reductions.Rules) && n != len(reductions.Rules)-1 {
				continue
			}
			w.Mutation = without
			opts := options.Options{Reduce: options.ReduceFull, Rules: &w, Frontier: frontier, Visited: visited,
				MaxStates: 2 * reductions.MostStates}
			less, err := reductions.Explore(&some, opts)
			if err == nil {
				err = reductions.Same(&some, full, less)
			}
			if err != nil {
				return fmt.Errorf("system %d, %v, %+v, frontier %s, visited set %s: %w", number, names, w, frontier.Name, visited.Name, err)
			}
			if k == 0 && n == len(reductions.Rules)-1 {
				t.Kept.Add(int64(less.States))
			}
		}
	}
	return nil
}

// compareAll compares systems, from a number on, until one differs or n were compared.
func compareAll(from uint64, n int, without options.Mutation, t *reductions.Tally) error {
	return t.CompareEach(from, n, func(number uint64) error { return compare(number, without, t) })
}

// reductionFlaws holds each condition of reductions, and a system that shows when the condition is omitted.
var reductionFlaws = []struct {
	without options.Mutation
	shows   uint64
}{
	{por.NoVisibility, 970}, {por.NoRecheck, 2}, {por.NoFixpoint, 364}, {por.NoLoss, 23}, {por.NoCrashes, 309}, {por.NoHalts, 9},
	{por.NoReceivers, 3124}, {por.NoCommuting, 22}, {por.NoClosure, 296}, {por.NoProviso, 670}, {por.NoDeliveries, 99}, {por.NoSets, 171},
	{por.NoRivals, 401}, {por.NoMonitors, 116},
}

// TestReductions compares some systems, and those that need one of the conditions of reductions.
func TestReductions(t *testing.T) {
	n := *toCompare
	if testing.Short() {
		n = 6
	}
	var c reductions.Tally
	c.StopAtInterrupt(t)
	for _, f := range reductionFlaws {
		if err := compare(f.shows, "", &reductions.Tally{}); err != nil {
			t.Errorf("the system that needs %q: %v", f.without, err)
		}
	}
	if err := compareAll(*firstReduction, n, "", &c); err != nil {
		t.Error(err)
	}
	t.Logf("%d systems (%d with faults, %d with quorums), %d too large, %d violations, %d with dead states, %d without terminal states; %d states, %d kept",
		c.Systems.Load(), c.Faulty.Load(), c.Votes.Load(), c.Large.Load(), c.Violated.Load(), c.Dead.Load(), c.Endless.Load(), c.States.Load(), c.Kept.Load())
}

// Systems for which reductions once did not terminate.
func TestReductions_Terminate(t *testing.T) {
	for _, test := range []struct {
		name   string
		number uint64
	}{
		{"a walk through the states of a node, whose unsynced writes grow without end", 2_170_469},
		{"several states to be expanded in full are found in one exploration, where they were not", 2_308_604},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := compare(test.number, "", &reductions.Tally{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each omitted condition is detected.
func TestReductions_FlawsFound(t *testing.T) {
	for _, f := range reductionFlaws {
		t.Run(string(f.without), func(t *testing.T) {
			if err := compare(f.shows, f.without, &reductions.Tally{}); err == nil {
				t.Errorf("in system %d nobody noticed that %s", f.shows, f.without)
			}
		})
	}
}

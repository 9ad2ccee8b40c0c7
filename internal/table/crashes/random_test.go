package crashes_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/sim"
)

var (
	crashings     = flag.Int("crashings", 40, "compare this many random systems whose nodes do not crash with the whole graph")
	firstCrashing = flag.Uint64("first-crashing", 0, "the number of the first of these systems")
)

// mostCrashing is how many states such a system may have.
const mostCrashing = 1500

// crashingTally counts the comparisons.
type crashingTally struct {
	reductions.Tally
	proven, partly, sensitive int
}

// compareCrashing compares a random system with itself without crashes.
func compareCrashing(number uint64, without options.Mutation, t *crashingTally) error {
	r := rand.New(rand.NewPCG(2, number))
	sys := reductions.System(r, reductions.Usual)
	reductions.Crashing(r, &sys)
	variants := [][]string{{"safe", "seen"}, {"safe", "safe too", "each"}, {"down"}, {"each", sim.AssertionProperty}, {"flight"}}
	if len(sys.Monitors) > 0 {
		variants = append(variants, []string{sys.MonitorNames()[0]}, []string{sys.MonitorNames()[0], "safe"})
	}
	names := variants[r.IntN(len(variants))]
	sys.CrashCut = sim.CrashCut(r.IntN(3))
	some, err := sys.Only(names...)
	if err != nil {
		return err
	}
	full, err := reductions.Explore(&some, options.Options{MaxStates: mostCrashing})
	if err != nil {
		return err
	}
	if full.Stopped != "" && full.Stopped != "finding" {
		t.Large.Add(1)
		return nil
	}
	t.Systems.Add(1)
	if full.Finding != nil {
		t.Violated.Add(1)
	}
	for _, model := range []options.CrashModel{options.CrashImplicit, options.CrashAuto} {
		w := []options.Rules{{}, {DeadMessages: true}, {DeadMessages: true, SingletonAmple: true, Chains: true}}[r.IntN(3)]
		w.Mutation = without
		less, err := reductions.Explore(&some, options.Options{
			Crashes: model, Reduce: options.ReduceFull, Rules: &w, MaxStates: mostCrashing, MaxBytes: 64 << 20,
		})
		if err == nil {
			err = sameCrashing(&some, full, less, model, t)
		}
		if err != nil {
			return fmt.Errorf("system %d, %v, crash model %s, crash cut %v, %+v: %w", number, names, model, sys.CrashCut, w, err)
		}
	}
	return nil
}

func sameCrashing(sys *sim.System, full, less *reductions.States, model options.CrashModel, t *crashingTally) error {
	c := less.Crashes
	switch {
	case c == nil:
		return fmt.Errorf("no report about crashes")
	case less.Finding != nil:
		return reductions.Same(sys, full, less)
	case less.Stopped == "memory", less.Stopped == "states":
		t.Endless.Add(1) // no verdict: the states without crashes, or the compared local states, may be infinite
		return nil
	case model == options.CrashImplicit && !c.Proven:
		if less.Complete || less.Stopped != crashes.StoppedCrashes || len(c.CrashSensitive) == 0 && c.Why == "" {
			return fmt.Errorf("stopped by %q, %+v", less.Stopped, c)
		}
		t.sensitive++
		return nil
	case full.Finding != nil:
		return fmt.Errorf("found nothing, with crashes %v; %+v", full.Finding, c)
	case !less.Complete:
		return fmt.Errorf("stopped by %q", less.Stopped)
	case !slices.Equal(less.Coverage.Sometimes, full.Coverage.Sometimes):
		return fmt.Errorf("sometimes %v, with crashes %v", less.Coverage.Sometimes, full.Coverage.Sometimes)
	}
	if c.Proven != (len(c.Implicit) > 0) {
		return fmt.Errorf("reported %+v", c)
	}
	if model == options.CrashImplicit {
		t.proven++
	} else if c.Proven && len(c.CrashSensitive) > 0 {
		t.partly++
	}
	return nil
}

// The path to a violation ends there, although only one step could follow it.
func TestImplicitCrashes_ViolationWithinChain(t *testing.T) {
	if err := compareCrashing(3_082_153, "", &crashingTally{}); err != nil {
		t.Error(err)
	}
}

// Where crashes are left out the verdict is as with them.
func TestImplicitCrashes_RandomSystems(t *testing.T) {
	var c crashingTally
	n := *crashings
	if testing.Short() {
		n = 5
	}
	c.StopAtInterrupt(t)
	number := *firstCrashing
	for ; c.Systems.Load() < int64(n) && !c.Stop.Load(); number++ {
		if err := compareCrashing(number, "", &c); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d systems, %d too large, %d endless, %d violations; without crashes: %d proven, %d not, %d in part; up to number %d",
		c.Systems.Load(), c.Large.Load(), c.Endless.Load(), c.Violated.Load(),
		c.proven, c.sensitive, c.partly, number)
}

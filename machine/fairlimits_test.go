package machine_test

import (
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
)

// Fair runs of random machines are judged as defined, or not at all with a reason, in every order, with every state
// store, one worker or two, and any amount of memory.
func TestFairRunsWithinLimits(t *testing.T) {
	t.Parallel()
	systems, most, judged, why := 0, *endlessSystems/12, 0, map[string]int{}
	if testing.Short() {
		most = 2
	}
	for seed := uint64(300_000); systems < most; seed++ {
		g := endlessGraphOf(t, seed)
		if g == nil {
			continue
		}
		systems++
		want := g.violated("")
		for k := range 24 {
			sys := endlessSystem(seed)
			opts := options.Options{Frontier: explore.Frontiers[k%2], Visited: stateset.Kinds[k/2%3]}
			if k/6%2 == 1 {
				opts.Go = func(f func()) { go f() }
			}
			if k >= 12 {
				opts.MaxBytes = int(seed*2_654_435_761%60_000) + 2000*k
			}
			x, err := table.Explore(t.Context(), &sys, opts)
			if err != nil || x.Finding != nil {
				t.Fatalf("seed %d, %d: %v, %+v", seed, k, err, x)
			}
			f := x.Fairness
			if f.Judged {
				judged++
			} else {
				why[x.Stopped+": "+f.Why]++
			}
			switch s := f.Starvation; {
			case !f.Judged && k < 12, f.Judged && (s != nil) != want, s != nil && !want:
				t.Fatalf("seed %d, %d: %+v, by the definition %v", seed, k, f, want)
			case !f.Judged && (f.Why == "" || x.Complete && f.Why == "not all states were visited"):
				t.Fatalf("seed %d, %d: all of %d states were visited, and nothing was judged: %q", seed, k, x.States, f.Why)
			case s != nil:
				comesRound(t, &sys, s)
			}
		}
	}
	if t.Logf("%d systems: judged %d times, not %v", systems, judged, why); len(why) < 2 {
		t.Errorf("not judged: %v", why)
	}
}

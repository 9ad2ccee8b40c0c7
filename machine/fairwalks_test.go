package machine_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table/fairness"
)

// Starvation that walks find in random machines, in some or all of their states, agrees with the definition. Each cycle
// returns to its start.
func TestFairWalksOfRandomMachines(t *testing.T) {
	t.Parallel()
	systems, violated, found, most := 0, 0, 0, *endlessSystems/2
	if testing.Short() {
		most = 50
	}
	for seed := uint64(0); systems < most; seed++ {
		g := endlessGraphOf(t, seed)
		if g == nil {
			continue
		}
		systems++
		want := g.violated("")
		if want {
			violated++
		}
		sys := endlessSystem(seed)
		f, err := fairness.WalkFair(t.Context(), &sys, fairness.FairWalkOptions{Seed: seed + 1, States: 1 + int(seed)%12})
		if err != nil || f.Why != "" {
			t.Fatalf("seed %d: %+v, %v", seed, f, err)
		}
		if f.Starvation != nil {
			found++
			if comesRound(t, &sys, f.Starvation); !want {
				t.Fatalf("seed %d: %+v is no violation", seed, f.Starvation)
			}
		}
	}
	if t.Logf("%d systems, %d of them violated, walks found %d", systems, violated, found); found < violated/3 {
		t.Errorf("walks found %d of %d", found, violated)
	}
}

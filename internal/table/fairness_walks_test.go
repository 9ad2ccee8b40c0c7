package table_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/macemc/macemc/internal/table/fairness"
)

// Findings of walks are violations by the definition and by full exploration, their cycles close, and walks find
// most violations.
func TestFairWalks_RandomSystems(t *testing.T) {
	t.Parallel()
	count := uint64(150)
	if testing.Short() {
		count = 80
	}
	systems, starved, found, part := 0, 0, 0, 0
	for seed := range count {
		j, ok := judge(t, seed)
		if !ok {
			continue
		}
		sys := players(seed)
		systems++
		if j.starvation {
			starved++
		}
		opts := fairness.FairWalkOptions{Seed: seed + 1, States: 1 + int(seed)%mostFair}
		f, err := fairness.WalkFair(context.Background(), sys, opts)
		if err != nil || f.Why != "" || f.States == 0 || f.Walks == 0 {
			t.Fatalf("seed %d: %+v, %v", seed, f, err)
		}
		again, err := fairness.WalkFair(context.Background(), players(seed), opts)
		if err != nil || !reflect.DeepEqual(f, again) {
			t.Fatalf("seed %d: %+v, then %+v", seed, f, again)
		}
		if f.Starvation == nil {
			continue
		}
		if found++; opts.States < len(j.goal) {
			part++
		}
		j.define("")
		states, steps := j.roundOf(t, sys, f.Starvation)
		var edges []fairEdge
		for _, i := range steps {
			edges = append(edges, j.edges[i])
		}
		if !j.starvation || !f.Starvation.Walked || !j.starves(states, edges) {
			t.Fatalf("seed %d: %+v is no violation", seed, f.Starvation)
		}
	}
	t.Logf("%d systems, %d of them starve, walks found %d, %d of them in a part of the states", systems, starved, found, part)
	if found < starved/2 || part < found/10 {
		t.Errorf("walks found %d of %d, %d in a part of the states", found, starved, part)
	}
}

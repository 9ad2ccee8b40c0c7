package replay_test

import (
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// BenchmarkRecord records runs of 2,000 steps of randtree with 5 nodes.
func BenchmarkRecord(b *testing.B) {
	sys := randTree(b, 5, sim.Limits{})
	path := walk(b, sys, 1, 2000).Path
	for b.Loop() {
		if _, err := replay.Record(sys, path, kernel.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

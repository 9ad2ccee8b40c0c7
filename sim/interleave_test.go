package sim_test

import (
	"testing"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

func TestParseInterleave(t *testing.T) {
	for _, i := range []sim.Interleave{sim.Rotate, sim.FIFO, sim.Random, 1, 3, 1000} {
		if got, err := simext.ParseInterleave(i.String()); err != nil || got != i {
			t.Errorf("%v is parsed as %v, %v", i, got, err)
		}
	}
	for _, s := range []string{"", "FIFO", "pct", "pct:", "pct:0", "pct:-1", "pct:1001", "pct:x", "pct:1x"} {
		if got, err := simext.ParseInterleave(s); err == nil {
			t.Errorf("%q is parsed as %v", s, got)
		}
	}
}

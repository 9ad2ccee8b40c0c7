package sim_test

import (
	"testing"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

func TestParseCrashCut(t *testing.T) {
	for _, c := range []sim.CrashCut{sim.CutPrefix, sim.CutNone, sim.CutSubset} {
		if got, err := simext.ParseCrashCut(c.String()); err != nil || got != c {
			t.Errorf("%v is parsed as %v, %v", c, got, err)
		}
	}
	for _, s := range []string{"", "Prefix", "all"} {
		if got, err := simext.ParseCrashCut(s); err == nil {
			t.Errorf("%q is parsed as %v", s, got)
		}
	}
}

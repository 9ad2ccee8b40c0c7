package mctest_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// TestAlike checks two systems with equal descriptions. Only the second one has a defect.
func TestAlike(t *testing.T) {
	onlyInside(t)
	for _, other := range []func() sim.Service{
		func() sim.Service { return &answering{} },
		func() sim.Service { return &Ponger{} },
	} {
		mctest.Check(t, pairing(other))
	}
}

// Each check of a test uses its own system, however often the test runs.
func TestAlikeSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	out, passed := run(t, t.TempDir(), "TestAlike", "-test.count=2", "-macemc.max-paths=500")
	if passed {
		t.Error("passed")
	}
	if ok, bad := strings.Count(out, "nothing found"), strings.Count(out, "LIVENESS VIOLATION"); ok != 2 || bad != 2 {
		t.Errorf("%d without and %d with a finding, want 2 and 2:\n%s", ok, bad, out)
	}
}

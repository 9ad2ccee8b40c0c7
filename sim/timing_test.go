package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
)

func TestTiming_Bounds(t *testing.T) {
	if delay, ok := sim.Bounded(time.Second).MaxDelay(); delay != time.Second || !ok {
		t.Errorf("Bounded(1s) has the bound %v, %v", delay, ok)
	}
	if delay, ok := sim.BoundedLiveness(time.Second).MaxDelay(); delay != time.Second || !ok {
		t.Errorf("BoundedLiveness(1s) has the bound %v, %v", delay, ok)
	}
	if delay, _ := sim.BoundedLiveness(math.MaxInt64).MaxDelay(); delay != 10_000*time.Hour {
		t.Errorf("the longest delay for liveness has the bound %v", delay)
	}
	if delay, _ := sim.Bounded(math.MaxInt64).MaxDelay(); delay != 10_000*time.Hour {
		t.Errorf("the longest delay has the bound %v", delay)
	}
	if delay, ok := sim.SometimesBounded(math.MaxInt64).MaxDelay(); delay != 10_000*time.Hour || !ok {
		t.Errorf("the longest delay of some runs has the bound %v, %v", delay, ok)
	}
	for timing, want := range map[sim.Timing]bool{
		sim.ByDeadline: false, sim.Prompt: false, sim.Bounded(1): false, sim.SometimesBounded(0): true, sim.BoundedLiveness(0): true,
	} {
		if timing.Sometimes() != want || timing.LivenessOnly() != (timing == sim.BoundedLiveness(0)) {
			t.Errorf("%v: bounded in some runs %v, only liveness %v", timing, timing.Sometimes(), timing.LivenessOnly())
		}
	}
	if delay, ok := sim.Prompt.MaxDelay(); delay != 0 || ok {
		t.Errorf("Prompt has the bound %v, %v", delay, ok)
	}
}

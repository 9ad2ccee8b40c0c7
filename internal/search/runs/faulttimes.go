package runs

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

const (
	// faultyGap bounds the number of fault-free steps after a fault, and at the start of a part. In the first soonRuns
	// runs the bound is soonGap, and smaller numbers are more probable, because runs may be short. Later runs
	// find defects that need many steps before a fault.
	faultyGap = 24
	soonGap   = 12
	soonRuns  = 128
	// Odds of crashes inside a step, see crashOdds. Stores crash more often, and most often while they recover from a crash.
	insideOdds   = 24
	storingOdds  = 8
	recoveryOdds = 3
	// recoverySteps is the number of steps after a crash in which a store recovers: its boot, and the first step of its program.
	recoverySteps = 2
)

// faultTimes determines when faults may strike in a faulty walk.
type faultTimes struct {
	gap        int  // steps until faults may strike again
	used       int  // faults when the gap was drawn
	storing    bool // a node has a data directory
	recovering int  // steps left in which a store recovers from a crash
}

// beginRun begins a run in its initial state.
func (f *faultTimes) beginRun(w kernel.World) {
	*f = faultTimes{}
	for id := range sim.NodeID(w.System().Nodes) {
		if s, ok := w.Service(id).(simext.Storing); ok && s.Storage() != nil {
			f.storing = true
		}
	}
}

// drawGap draws a gap. used is the number of faults so far, run the number of the run.
func (f *faultTimes) drawGap(used, run int, r *choose.Random) {
	f.used, f.gap = used, 0
	switch {
	case r.IntN(3) == 0:
	case run < soonRuns:
		f.gap = length(r, 1, soonGap) - 1
	default:
		f.gap = r.IntN(faultyGap)
	}
}

// step begins a step, after which a new gap is drawn if a fault has struck.
func (f *faultTimes) step(used, run int, r *choose.Random) {
	f.recovering = max(f.recovering-1, 0)
	if used == f.used {
		return
	}
	f.drawGap(used, run, r)
	if f.storing && r.IntN(2) == 0 {
		f.gap, f.recovering = 0, recoverySteps
	}
}

// crashOdds returns the odds of a crash inside a step: one in that many points is answered with a crash.
func (f *faultTimes) crashOdds() int {
	switch {
	case f.recovering > 0:
		return recoveryOdds
	case f.storing:
		return storingOdds
	}
	return insideOdds
}

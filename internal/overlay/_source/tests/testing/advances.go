// The advances of a test's clock after which its run has no end.

package testing

import (
	"slices"
	testsched "testing/internal"
	"time"
)

const (
	macemcSteps       = 100_000 // maximum number of advances of the clock in a run
	macemcStepsGrowth = 10      // maximum multiple of that of the first run, if this passes
	macemcProbe       = 256     // number of these after which macemcStalled is called first
	macemcProbeGrowth = 4       // factor by which that number grows
	macemcLateness    = 2       // multiple of -timeout that the clock may pass
)

// macemcAdvances counts the advances of the clock of a run.
type macemcAdvances struct {
	begun    int64
	n, probe int
}

// exceed counts an advance, and reports whether the run has no end: its clock has advanced too often or too far, or nothing can wake the
// test.
func (a *macemcAdvances) exceed(x *macemcExplorer, o *testsched.Outcome, done, hurried bool) bool {
	passed := time.Duration(macemcNow() - a.begun)
	if limit := macemcLateness * macemcTimeout(); limit > 0 && !done && !hurried && !x.r.outside && passed > limit {
		o.Clock = limit // go test would have ended the test
	}
	a.n++
	stalled := false
	if a.n == a.probe {
		a.probe *= macemcProbeGrowth
		stalled = !done && macemcStalled(x)
	}
	most := max(macemcSteps, macemcStepsGrowth*x.pace.steps)
	if a.n <= most && o.Clock == 0 && !stalled {
		return false
	}
	o.Advances = min(a.n, most)
	return true
}

// macemcTimeout returns the time limit of the test binary. If the run executes TestMain, that parses the flag meanwhile.
//
//go:norace
func macemcTimeout() time.Duration { return testsched.Timeout(*timeout) }

// macemcStalled reports whether nothing can wake the goroutine of the test. Others may go on, such as those of tickers.
func macemcStalled(x *macemcExplorer) bool {
	return slices.ContainsFunc(x.goroutines(true), func(g testsched.Goroutine) bool { return g.Unwakable && macemcIsTest(g) })
}

// macemcIsTest reports whether a goroutine executes the test.
func macemcIsTest(g testsched.Goroutine) bool { return g.Number == max(1, macemcTest.number) }

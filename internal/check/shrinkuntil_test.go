package check

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A finding of a search that continues is shrunk until the time of the search is over, or for a short time.
func TestShrinkingEndsWithTheTime(t *testing.T) {
	for _, c := range []struct{ limit, passed, want time.Duration }{
		{time.Minute, 10 * time.Second, 50 * time.Second},
		{time.Minute, 59 * time.Second, leastShrinking},
		{time.Minute, time.Minute - 1, leastShrinking},
	} {
		k := (&checker{Options: Options{Search: search.Config{Time: c.limit}}}).keeper(nil)
		k.until -= c.passed
		ctx, cancel := k.whileShrinking(t.Context())
		at, ok := budget.Deadline(ctx)
		cancel()
		if left := at - budget.Now(); !ok || left > c.want || left < c.want-10*time.Second {
			t.Errorf("of %v, after %v: %v is left, want %v", c.limit, c.passed, left, c.want)
		}
	}
	k := new(checker).keeper(nil)
	ctx, cancel := k.whileShrinking(t.Context())
	if ctx.Err() != nil {
		t.Error("without a limit nothing ends")
	}
	cancel()
}

// Shrinking and what follows it take no more processor time than the check has taken, or than leastShrinkTime. A request for a
// number of steps has no limit of time.
func TestShrinkTime(t *testing.T) {
	if budget.ProcessTime() == 0 {
		t.Skip("the processor time is unknown")
	}
	for _, c := range []struct{ taken, want time.Duration }{{0, leastShrinkTime}, {4 * leastShrinkTime, 4 * leastShrinkTime}} {
		o := checker{used: budget.ProcessTime() - c.taken}
		if got := o.shrinkTime(); got >= c.want || got < c.want/10*9 {
			t.Errorf("after %v: %v, want somewhat less than %v", c.taken, got, c.want)
		}
	}
	for _, c := range []struct{ took, want time.Duration }{{time.Second, leastShrinkTime - time.Second}, {time.Hour, leastShrinkTime / 2}} {
		o := checker{used: budget.ProcessTime(), asFound: described{took: c.took}}
		if got := o.shrinkTime(); got != c.want {
			t.Errorf("%v to describe the run: %v, want %v", c.took, got, c.want)
		}
	}
	if got := (&checker{Options: Options{ShrinkSteps: 1}}).shrinkTime(); got != 0 {
		t.Errorf("with a number of steps: %v, want no limit", got)
	}
}

// booting counts its boots.
type booting struct {
	sim.Nop
	boots *int `macemc:"-"`
}

func (b *booting) Boot(sim.Env) { *b.boots++ }

// A finding whose run cannot be executed again in time is reported as it was described, or else with the steps that are known.
func TestComplete_TooLate(t *testing.T) {
	boots := 0
	sys := sim.System{Name: "late", Nodes: 1, New: func(sim.NodeID) sim.Service { return &booting{boots: &boots} }}
	sus := &search.Suspect{Finding: sim.Finding{Kind: sim.Safety, Property: "safe", Message: "does not hold"}, Path: []int32{0}, Steps: 1}
	c := &checker{Options: Options{Search: search.Config{System: sys, Time: time.Second}}, sys: sys, start: budget.Now(),
		asFound: described{executing: time.Hour}}
	c.suspectFile = &suspectFile{c: c, of: sus, outline: &pathfile.File{Steps: []pathfile.Step{{Key: "action n0 add"}}}}
	r, f, notShrunk, err := c.complete(t.Context(), &search.Result{Verdict: search.Violation, Finding: sus})
	if err != nil || notShrunk != nil || r.Property != "safe" || r.Steps != 1 || r.NotShrunk == "" || f.error == nil {
		t.Fatalf("%+v, %v, %v, %v", r, f, notShrunk, err)
	}
	if h := f.error.Header; h.System != "late" || h.Property != "safe" || len(f.error.Steps) != 1 || boots > 0 {
		t.Errorf("%+v, %d boots", f.error, boots)
	}
	full := &report.Report{Property: "described"}
	c.asFound.report, c.asFound.files = full, files{error: new(pathfile.File)}
	r, f, _, err = c.complete(t.Context(), &search.Result{Verdict: search.Violation, Finding: sus})
	if err != nil || r != full || r.NotShrunk == "" || f.error != c.asFound.files.error || boots > 0 {
		t.Errorf("got a report of %q, %v, %d boots; want that of \"described\", and no boot", r.Property, err, boots)
	}
}

// A dead run that is described already is not executed again to find the property that it violates.
func TestViolated_Described(t *testing.T) {
	c := checker{asFound: described{report: &report.Report{Property: "described"}}}
	if got, err := c.violated(nil, "suspected"); got != "described" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

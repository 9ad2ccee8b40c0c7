package check

import (
	"context"
	"hash/fnv"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/sim"
)

// Limits for comparing a used abstraction with its implementation, which is done after the search.
const (
	mostCompared = 200_000          // states
	comparing    = 10 * time.Second // of processor time
)

// assumptions compares the abstractions that the system uses with their implementations.
func (c *checker) assumptions(ctx context.Context) (all []report.Assumption) {
	for i := range c.Search.System.Abstractions {
		if a := &c.Search.System.Abstractions[i]; a.Used {
			all = append(all, assumption(ctx, c, a))
		}
	}
	return all
}

func assumption(ctx context.Context, c *checker, a *sim.Abstraction) report.Assumption {
	if a.Impl == nil || a.Abs == nil {
		return report.Assumption{Name: a.Name, What: "the system defines no comparison"}
	}
	over, skipped := c.compares(comparison(a.Name))
	if skipped {
		return report.Assumption{Name: a.Name, Verdict: string(refine.Undecided), What: "the comparison terminated the process"}
	}
	impl, abs := a.Impl(), a.Abs()
	within, cancel := budget.WithProcessorTime(ctx, comparing)
	r, err := refine.Compare(within, &impl, &abs, refine.Options{Clients: a.Clients, Faults: true, MaxStates: mostCompared})
	cancel()
	over() // not after a panic, of which the call is the cause
	if err != nil {
		return report.Assumption{Name: a.Name, Verdict: string(refine.Undecided), What: err.Error()}
	}
	return report.Assumption{Name: a.Name, Verdict: string(r.Verdict), What: r.What, Trace: r.Trace, States: r.States, Abstract: r.Abstract}
}

// comparison returns the call number of the comparison of the named abstraction.
func comparison(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte("comparison of " + name))
	return h.Sum64() | 1
}

// compares records a comparison as the current call until over is called. skipped reports that the comparison has
// ended a process before.
func (c *checker) compares(call uint64) (over func(), skipped bool) {
	if c.calls == nil {
		return func() {}, false
	}
	if slices.Contains(c.calls.Skipped, call) {
		return nil, true
	}
	*c.calls.At = call
	return func() { *c.calls.At = 0 }, false
}

// comparesLater removes the skipped calls of comparisons from those of the search. Comparisons run after the search.
func (c *checker) comparesLater() {
	c.calls = c.Search.Calls
	if !c.calls.HasSkipped() {
		return
	}
	own := slices.Clone(c.calls.Skipped)
	for _, a := range c.Search.System.Abstractions {
		own = slices.DeleteFunc(own, func(call uint64) bool { return call == comparison(a.Name) })
	}
	calls := *c.calls
	calls.Skipped = own
	c.Search.Calls = &calls
}

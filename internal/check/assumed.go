package check

import (
	"context"
	"hash/fnv"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/report"
)

// Limits for comparing a used abstraction with its implementation, which is done after the search.
const (
	mostCompared = 200_000          // states
	comparing    = 10 * time.Second // of processor time
)

// assumptions compares the abstractions that the system uses with their implementations.
func (o *Options) assumptions(ctx context.Context) (all []report.Assumption) {
	for _, a := range o.Search.System.Abstractions {
		if !a.Used {
			continue
		}
		said := report.Assumption{Name: a.Name}
		if a.Impl == nil || a.Abs == nil {
			said.What = "the system defines no comparison"
			all = append(all, said)
			continue
		}
		over, skipped := o.compares(comparison(a.Name))
		if skipped {
			said.Verdict, said.What = string(refine.Undecided), "the comparison terminated the process"
			all = append(all, said)
			continue
		}
		impl, abs := a.Impl(), a.Abs()
		within, cancel := budget.WithProcessorTime(ctx, comparing)
		r, err := refine.Compare(within, &impl, &abs, refine.Options{Clients: a.Clients, Faults: true, MaxStates: mostCompared})
		cancel()
		over()
		if err != nil {
			said.Verdict, said.What = string(refine.Undecided), err.Error()
		} else {
			said.Verdict, said.What, said.Trace, said.States, said.Abstract = string(r.Verdict), r.What, r.Trace, r.States, r.Abstract
		}
		all = append(all, said)
	}
	return all
}

// comparison returns the call number of the comparison of the named abstraction.
func comparison(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte("comparison of " + name))
	return h.Sum64() | 1
}

// compares records a comparison as the current call until over is called. skipped reports that the comparison has
// ended a process before.
func (o *Options) compares(call uint64) (over func(), skipped bool) {
	c := o.calls
	if c == nil {
		return func() {}, false
	}
	if slices.Contains(c.Skipped, call) {
		return nil, true
	}
	*c.At = call
	return func() { *c.At = 0 }, false
}

// comparesLater removes the skipped calls of comparisons from those of the search. Comparisons run after the search.
func (o *Options) comparesLater() {
	o.calls = o.Search.Calls
	if !o.calls.HasSkipped() {
		return
	}
	own := slices.Clone(o.calls.Skipped)
	for _, a := range o.Search.System.Abstractions {
		own = slices.DeleteFunc(own, func(call uint64) bool { return call == comparison(a.Name) })
	}
	calls := *o.calls
	calls.Skipped = own
	o.Search.Calls = &calls
}

package check

import (
	"context"
	"time"

	"github.com/macemc/macemc/refine"
	"github.com/macemc/macemc/report"
)

// Bounds of comparing an abstraction in use, which a search does when it is over.
const (
	mostCompared = 200_000 // states
	comparing    = 10 * time.Second
)

// assumptions compares the abstractions that the system has in the place of what ships.
func (o *Options) assumptions(ctx context.Context) (all []report.Assumption) {
	for _, a := range o.Search.System.Abstractions {
		if !a.Used {
			continue
		}
		said := report.Assumption{Name: a.Name}
		if a.Impl == nil || a.Abs == nil {
			said.What = "the system does not say how"
			all = append(all, said)
			continue
		}
		impl, abs := a.Impl(), a.Abs()
		within, cancel := context.WithTimeout(ctx, comparing)
		r, err := refine.Compare(within, &impl, &abs, refine.Options{Clients: a.Clients, Faults: true, MaxStates: mostCompared})
		cancel()
		if err != nil {
			said.Verdict, said.What = string(refine.Undecided), err.Error()
		} else {
			said.Verdict, said.What, said.Trace, said.States, said.Abstract = string(r.Verdict), r.What, r.Trace, r.States, r.Abstract
		}
		all = append(all, said)
	}
	return all
}

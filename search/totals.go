package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/sim"
)

// totals holds the counts of the runs of a unit, or of all units.
type totals struct {
	runs        int
	tallies     tallies
	sometimes   []int // by Sometimes property: number of runs in which it held
	walked      []int // as sometimes, of walks alone
	usedActions []int // by slot of the action: number of runs that recovered with it
	activity    coverage.Activity
	orders      *coverage.Orders // nil if no walk was counted
	used        sim.Limits       // largest number of faults of a run
	foreign     bool             // times of different nodes were compared
	sampled     choose.Samples
	prefixes    []choose.Path // of runs that reached a live state without faults
}

// newTotals returns the totals of no runs.
func newTotals(sys *sim.System) totals {
	n := 0
	for i := range sys.Properties {
		if sys.Properties[i].Sometimes != nil {
			n++
		}
	}
	t := totals{sometimes: make([]int, n), walked: make([]int, n), usedActions: make([]int, len(sys.Actions))}
	t.activity.Reset()
	return t
}

// add adds the totals of later runs.
func (t *totals) add(u *totals) {
	t.runs += u.runs
	t.tallies.add(u.tallies)
	for i, n := range u.sometimes {
		t.sometimes[i] += n
		t.walked[i] += u.walked[i]
	}
	for i, n := range u.usedActions {
		t.usedActions[i] += n
	}
	t.activity.Merge(&u.activity)
	if u.orders != nil {
		t.counted(u.orders.Nodes()).Merge(u.orders)
	}
	t.used = t.used.Max(u.used)
	t.foreign = t.foreign || u.foreign
	t.sampled.Merge(u.sampled)
	t.prefixes = append(t.prefixes, u.prefixes...)
}

// counted returns the orders of events, of no walks at first.
func (t *totals) counted(nodes int) *coverage.Orders {
	if t.orders == nil {
		t.orders = coverage.NewOrders(nodes)
	}
	return t.orders
}

// ordersOf begins to count the orders of a walk if it is in the sample; otherwise it returns nil.
func (t *totals) ordersOf(sampled bool, nodes int) *coverage.Orders {
	if !sampled {
		return nil
	}
	o := t.counted(nodes)
	o.Begin()
	return o
}

// sampledWalks returns the coverage of sampled walks for reports.
func (t *totals) sampledWalks(c *coverage.Set) stats.SampledWalks {
	s := stats.SampledWalks{AfterLiveWalks: t.activity.Runs, AfterLive: t.activity.List(c)}
	if t.orders == nil {
		return s
	}
	pairs, both, missing := t.orders.Count(c)
	s.Orders = stats.Orders{Walks: t.orders.Walks, Pairs: pairs, Both: both, Missing: missing[:min(len(missing), stats.MostMissing)]}
	return s
}

// Package schedules provides the orders of events in random walks.
//
// A [Scheduler] decides which ordinary event is next in a part of a walk. Package runs calls it, and walks by weights
// elsewhere in the run. [All] lists the schedules, with their shares of the runs. Package search documents each one. A
// scheduler depends only on its [Base], its random stream, the world and the enabled events. It never takes an event of
// weight 0.
//
// # Files
//
//	schedulers.go  Scheduler; the table of schedules
//	weighted.go    events by their weights, which a run may change
//	phases.go      speeds of nodes, links and timers that change from phase to phase
//	pct.go         priorities, which change a few times
//	pos.go         partial-order sampling
//	surw.go        selectively uniform random walks
//	scale.go       weights of events
//	sendorder.go   which of the datagrams of a link was sent first
package schedules

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Scheduler selects the next ordinary event in a part of a walk. It need not be fair, because weighted walks find
// states that no live state follows.
type Scheduler interface {
	// Begin prepares for a part of at most so many steps. It draws from r, and may keep r until the next Begin.
	Begin(r *choose.Random, w kernel.World, steps int)
	// Next returns the index of the event to execute, or -1 if none may be. It is called in each state of the part,
	// with its ordinary events.
	Next(w kernel.World, enabled []sim.Event) int
}

// Weighted is the name of the schedule that continues like a plain weighted walk.
const Weighted = "weighted"

// All lists the schedules, in the order in which they are rotated. A new one is a file and a line here.
var All = []struct {
	Name string // the name in package search, which documents each schedule
	// Initial shares of the runs, before results are available. Which schedules find known defects soonest differs. A
	// schedule without shares is used only on request.
	Walks, Faulty float64
	New           func(*Base) Scheduler
}{
	{Weighted, 2, 8, func(b *Base) Scheduler { return &weighted{Base: b} }},
	{"phases", 6, 1, func(b *Base) Scheduler { return &phases{Base: b} }},
	{"pos-weighted", 2, 3, func(b *Base) Scheduler { return &pos{Base: b, weighted: true} }},
	{"pos", 1, 0.5, func(b *Base) Scheduler { return &pos{Base: b} }},
	{"pct", 1, 5, func(b *Base) Scheduler { return &pct{Base: b} }},
	{"surw", 0, 0, func(b *Base) Scheduler { return &surw{Base: b} }},
}

// Base is the common part of all schedules.
type Base struct {
	Scale      // events of weight 0 do not happen
	Given bool // the weights are not the defaults
	Plain bool // the run is one of the first
}

// Package schedules has the ways to order the events of random walks.
package schedules

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Scheduler decides which of the ordinary events comes next in a part of a walk. It need not be fair: what no live state follows is
// found out by weighted walks.
type Scheduler interface {
	// Begin prepares for a part that may take so many steps. It draws from r, which it may keep until the next Begin.
	Begin(r *choose.Random, w kernel.World, steps int)
	// Next returns the index of the event that is to happen, -1 when none may. It is called in each state of the part, with its
	// ordinary events.
	Next(w kernel.World, enabled []sim.Event) int
}

// All are all ways to schedule, in the order in which they are rotated. A new one is a file and a line here.
var All = []struct {
	Name string // that of the schedule in package search, where each is explained
	// Shares of the runs, before it is known what finds what is new. Which schedules find known defects soonest differs.
	Walks, Faulty float64
	New           func(*Base) Scheduler
}{
	{"weighted", 2, 8, func(b *Base) Scheduler { return &weighted{Base: b} }},
	{"phases", 6, 1, func(b *Base) Scheduler { return &phased{Base: b} }},
	{"pos-weighted", 2, 3, func(b *Base) Scheduler { return &pos{Base: b, weighted: true} }},
	{"pos", 1, 0.5, func(b *Base) Scheduler { return &pos{Base: b} }},
	{"pct", 1, 5, func(b *Base) Scheduler { return &pct{Base: b} }},
}

// Base is what all schedules are made from.
type Base struct {
	Scale      // what has weight 0 does not happen
	Given bool // the weights are not the defaults
	Plain bool // the run is one of the first
}

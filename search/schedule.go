package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
)

// Schedule names a way to order the events of random walks. No single one finds everything: see [Config.Schedules].
type Schedule string

const (
	// Weighted draws each event by its weight. When the weights were not given, a third of its parts draw some of their own, so that
	// actions are not always done as soon as they can be.
	Weighted Schedule = "weighted"
	// Phases draws how probable each action, the timers of each node and the messages of each link are, and a quarter of that anew every 5
	// to 44 steps. Of a link the oldest message comes first, mostly. So a message may be held back for long while all others come in order.
	Phases Schedule = "phases"
	// POSWeighted is partial order sampling with rates by weight: each event that is possible has an exponential clock, the first to
	// ring happens, and the clocks at its node are wound up anew. See Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling"
	// (CAV 2018), where all rates are equal.
	POSWeighted Schedule = "pos-weighted"
	// POS is partial order sampling with equal rates.
	POS Schedule = "pos"
	// PCT gives each source of events (a link, a node's timers, an action) a random priority and follows these, but for two moments at
	// which the highest becomes the lowest. See Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding
	// Bugs" (ASPLOS 2010); the depth is 3.
	PCT Schedule = "pct"
)

// scheduler decides which of the ordinary events comes next in a part of a walk. It need not be fair: what no live state follows is
// found out by weighted walks.
type scheduler interface {
	// begin prepares for a part that may take so many steps. It draws from r, which it may keep until the next begin.
	begin(r *choose.Random, at *Node, steps int)
	// next returns the index of the event that is to happen, -1 when none may. It is called in each state of the part.
	next(at *Node) int
}

// schedulers are all ways to schedule, in the order in which they are rotated. A new one is a file and a line here.
var schedulers = []struct {
	name Schedule
	// Shares of the runs, before it is known what finds what is new. Which schedules find known defects soonest differs.
	walks, faulty float64
	make          func(*base) scheduler
}{
	{Weighted, 2, 8, func(b *base) scheduler { return &weighted{base: b} }},
	{Phases, 6, 1, func(b *base) scheduler { return &phased{base: b} }},
	{POSWeighted, 2, 3, func(b *base) scheduler { return &pos{base: b, weighted: true} }},
	{POS, 1, 0.5, func(b *base) scheduler { return &pos{base: b} }},
	{PCT, 1, 5, func(b *base) scheduler { return &pct{base: b} }},
}

// base is what all schedules are made from.
type base struct {
	scale      // what has weight 0 does not happen
	given bool // somebody asked for these weights
	plain bool // the run is one of the first
}

// Schedules are the names of all schedules, in the order in which they take turns.
func Schedules() []Schedule {
	names := make([]Schedule, len(schedulers))
	for i := range schedulers {
		names[i] = schedulers[i].name
	}
	return names
}

// ParseSchedules reads a list as in "weighted,pos".
func ParseSchedules(text string) ([]Schedule, error) {
	var list []Schedule
	for name := range strings.SplitSeq(text, ",") {
		list = append(list, Schedule(strings.TrimSpace(name)))
	}
	return list, validSchedules(list)
}

// validSchedules tells what is wrong with a list of schedules.
func validSchedules(list []Schedule) error {
	for i, name := range list {
		switch {
		case !slices.Contains(Schedules(), name):
			return fmt.Errorf("schedule %q is not one of %s", name, scheduleList())
		case slices.Contains(list[:i], name):
			return fmt.Errorf("schedule %q is listed twice", name)
		}
	}
	return nil
}

// scheduleList is the names of all schedules, for people.
func scheduleList() string {
	var names []string
	for _, s := range Schedules() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

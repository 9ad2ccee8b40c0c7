package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/search/schedules"
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

// Schedules are the names of all schedules, in the order in which they take turns.
func Schedules() []Schedule {
	names := make([]Schedule, len(schedules.All))
	for i := range schedules.All {
		names[i] = Schedule(schedules.All[i].Name)
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

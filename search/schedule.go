package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/search/schedules"
)

// Schedule names a way to order the events of random walks. No single one finds everything, see [Config.Schedules].
type Schedule string

const (
	// Weighted draws each event by its weight. With default weights, a third of its parts use randomly drawn weights,
	// so that actions are not always done as soon as possible.
	Weighted Schedule = "weighted"
	// Phases draws random weights for each action, the timers of each node and the messages of each link, and redraws a
	// quarter of them every 5 to 44 steps. The oldest message of a link mostly comes first. One message may therefore
	// be delayed for long while all others are delivered in order.
	Phases Schedule = "phases"
	// POSWeighted is partial order sampling with rates by weight. Each enabled event has an exponential clock, the
	// first to ring happens, and the clocks at its node are reset. See Yuan, Yang, Gu, "Partial Order Aware Concurrency
	// Sampling" (CAV 2018), where all rates are equal.
	POSWeighted Schedule = "pos-weighted"
	// POS is partial order sampling with equal rates.
	POS Schedule = "pos"
	// PCT gives each source of events (a link, a node's timers, an action) a random priority and follows the
	// priorities. At two moments the highest becomes the lowest. See Burckhardt et al., "A Randomized Scheduler with
	// Probabilistic Guarantees of Finding Bugs" (ASPLOS 2010); the depth is 3.
	PCT Schedule = "pct"
	// SURW is selectively uniform random walk. Some sources of events are selected, and their next event is drawn in
	// proportion to the events that each has left. Other events happen independently. See Zhao et al., "Selectively
	// Uniform Concurrency Testing" (ASPLOS 2025), where the numbers of events are known. It is used only on request.
	SURW Schedule = "surw"
)

// Schedules returns the names of all schedules, in the order in which they take turns.
func Schedules() []Schedule {
	names := make([]Schedule, len(schedules.All))
	for i := range schedules.All {
		names[i] = Schedule(schedules.All[i].Name)
	}
	return names
}

// defaultSchedules returns the schedules that are used without a request.
func defaultSchedules() []Schedule {
	return slices.DeleteFunc(Schedules(), func(name Schedule) bool {
		s := schedules.All[slices.Index(Schedules(), name)]
		return s.Walks == 0 && s.Faulty == 0
	})
}

// ParseSchedules parses a list such as "weighted,pos".
func ParseSchedules(text string) ([]Schedule, error) {
	var list []Schedule
	for name := range strings.SplitSeq(text, ",") {
		list = append(list, Schedule(strings.TrimSpace(name)))
	}
	return list, validSchedules(list)
}

// validSchedules returns an error if a list of schedules is invalid.
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

// scheduleList returns the names of all schedules, for people.
func scheduleList() string {
	var names []string
	for _, s := range Schedules() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

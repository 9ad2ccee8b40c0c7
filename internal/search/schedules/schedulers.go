package schedules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// Scheduler selects the next ordinary event in a part of a walk. It need not be fair, because weighted walks find
// states that no live state follows.
type Scheduler interface {
	// Begin prepares for a part of at most so many steps. It draws from r, and may keep r until the next Begin.
	Begin(r *choose.Random, w kernel.World, steps int)
	// Next returns the index of the event to execute, or -1 if none may be. It is called in each state of the part,
	// with its ordinary events.
	Next(w kernel.World, enabled []netmodel.Event) int
}

// Names of the schedules. No single one finds everything.
const (
	// Weighted draws each event by its weight. With default weights, a third of its parts use randomly drawn weights,
	// so that actions are not always done as soon as possible.
	Weighted = "weighted"
	// Phases draws random weights for each action, the timers of each node and the messages of each link, and redraws a
	// quarter of them every 5 to 44 steps. The oldest message of a link mostly comes first. One message may therefore
	// be delayed for long while all others are delivered in order.
	Phases = "phases"
	// POSWeighted is partial order sampling with rates by weight. Each enabled event has an exponential clock, the
	// first to ring happens, and the clocks at its node are reset. See Yuan, Yang, Gu, "Partial Order Aware Concurrency
	// Sampling" (CAV 2018), where all rates are equal.
	POSWeighted = "pos-weighted"
	// POS is partial order sampling with equal rates.
	POS = "pos"
	// PCT gives each source of events (a link, a node's timers, an action) a random priority and follows the
	// priorities. At two moments the highest becomes the lowest. See Burckhardt et al., "A Randomized Scheduler with
	// Probabilistic Guarantees of Finding Bugs" (ASPLOS 2010); the depth is 3.
	PCT = "pct"
	// Hold delivers mostly in order, but at times holds the inbox of a node, a link, all inboxes but one, or a whole node
	// for 2 to 64 steps, or up to 32 s of common time, as a pause of a process or a slow link does. The timers and actions
	// of a node whose inbox is held go on, so it acts on old knowledge, and handles what arrived before only then. Each run
	// draws how frequent actions and timers are, mostly less than deliveries.
	Hold = "hold"
	// SURW is selectively uniform random walk. Some sources of events are selected, and their next event is drawn in
	// proportion to the events that each has left. Other events happen independently. See Zhao et al., "Selectively
	// Uniform Concurrency Testing" (ASPLOS 2025), where the numbers of events are known. It is used only on request.
	SURW = "surw"
)

// All lists the schedules, in the order in which they are rotated. A new one is a file and a line here.
// World.Key identifies an event in several states.
var All = []struct {
	Name string
	// Initial shares of the runs, before results are available. Which schedules find known defects soonest differs. A
	// schedule without shares is used only on request.
	Walks, Faulty float64
	New           func(*Base) Scheduler
}{
	{Weighted, 2, 8, func(b *Base) Scheduler { return &weighted{Base: b} }},
	{Phases, 6, 1, func(b *Base) Scheduler { return &phases{Base: b} }},
	{POSWeighted, 2, 3, func(b *Base) Scheduler { return &pos{Base: b, weighted: true} }},
	{POS, 1, 0.5, func(b *Base) Scheduler { return &pos{Base: b} }},
	{PCT, 1, 5, func(b *Base) Scheduler { return &pct{Base: b} }},
	{Hold, 3, 3, func(b *Base) Scheduler { return &hold{Base: b} }},
	{SURW, 0, 0, func(b *Base) Scheduler { return &surw{Base: b} }},
}

// Names returns the names of all schedules, in the order in which they take turns.
func Names() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Name
	}
	return names
}

// Default returns the names of the schedules that are used without a request.
func Default() (names []string) {
	for _, s := range All {
		if s.Walks > 0 || s.Faulty > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// Parse parses a list such as "weighted,pos".
func Parse(text string) ([]string, error) {
	var list []string
	for name := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(name))
	}
	return list, Validate(list)
}

// List is the value of a flag with a list of names.
type List []string

func (l *List) String() string { return strings.Join(*l, ",") }

// Set parses a list.
func (l *List) Set(text string) (err error) {
	*l, err = Parse(text)
	return err
}

// Type returns the type of the flag's value.
func (l *List) Type() string { return "string" }

// Validate returns an error if a list of names is invalid.
func Validate(list []string) error {
	for i, name := range list {
		switch {
		case !slices.Contains(Names(), name):
			return fmt.Errorf("schedule %q is not one of %s", name, strings.Join(Names(), ", "))
		case slices.Contains(list[:i], name):
			return fmt.Errorf("schedule %q is listed twice", name)
		}
	}
	return nil
}

// Base is the common part of all schedules.
type Base struct {
	Scale      // events of weight 0 do not happen
	Given bool // the weights are not the defaults
	Plain bool // the run is one of the first, which use the given weights and no drawn ones
}

package schedules

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// kinds is a power of two that is at least the number of kinds of events, which spares bounds checks.
const kinds = 1 << 5

const _ = uint(kinds - eventkind.Count)

// Scale assigns weights to events.
type Scale struct {
	weights [kinds]int // by kind of event
	actions []int      // by slot; nil means that weights applies to all
	of      *sim.System

	Disturbed bool         // disturbing events have no weight
	world     kernel.World // the world that decides which events disturb; nil if none do
}

// NewScale makes a scale from weights by the weight names of event kinds.
func NewScale(weights map[string]int) Scale {
	var d Scale
	for kind := range eventkind.All() {
		d.weights[kind] = weights[kind.Presentation().Weight]
	}
	return d
}

// Adopt takes the weights of actions from the system of w. It must be called in each state before events are weighed.
// With recovery, disturbing events have no weight.
func (d *Scale) Adopt(w kernel.World, recovery bool) {
	sys := w.System()
	if d.of != sys {
		d.of, d.Disturbed = sys, recovery && declared.DisturbingOf(sys) != nil
		d.weigh(declared.ActionRules(sys))
	}
	if d.Disturbed {
		d.world = w
	}
}

func (d *Scale) weigh(rules []declared.ActionRule) {
	d.actions, d.world = nil, nil
	all := d.weights[eventkind.DoAction]
	if all == 0 || !slices.ContainsFunc(rules, func(r declared.ActionRule) bool { return r.Weight > 0 }) {
		return
	}
	d.actions = make([]int, len(rules))
	for i, r := range rules {
		d.actions[i] = cmp.Or(r.Weight, all)
	}
}

func (d *Scale) Weight(k eventkind.Kind) int { return d.weights[k%kinds] }

// WeightOf returns the weight of an event, whether it disturbs or not.
func (d *Scale) WeightOf(ev *netmodel.Event) int {
	if d.actions != nil && ev.Kind == eventkind.DoAction {
		return d.actions[ev.Slot]
	}
	return d.Weight(ev.Kind)
}

// WeightHere returns the weight of an event in the adopted state.
func (d *Scale) WeightHere(ev *netmodel.Event) int {
	if d.world != nil && d.world.Disturbs(*ev) {
		return 0
	}
	return d.WeightOf(ev)
}

// byKind reports whether weights depend only on the kind of event.
func (d *Scale) byKind() bool { return d.actions == nil && d.world == nil }

func (d *Scale) Total(events []netmodel.Event) int {
	total := 0
	if d.byKind() {
		for i := range events {
			total += d.Weight(events[i].Kind)
		}
		return total
	}
	for i := range events {
		total += d.WeightHere(&events[i])
	}
	return total
}

// AnyWeighs reports whether any of the events has weight.
func (d *Scale) AnyWeighs(events []netmodel.Event) bool {
	for i := range events {
		if d.WeightHere(&events[i]) > 0 {
			return true
		}
	}
	return false
}

// Draw draws one of the events from r. It returns -1 if none has weight.
func (d *Scale) Draw(r *choose.Random, events []netmodel.Event) int {
	total := d.Total(events)
	if total == 0 {
		return -1
	}
	at := r.IntN(total)
	if d.byKind() { // the common case
		for i := range events {
			if at -= d.Weight(events[i].Kind); at < 0 {
				return i
			}
		}
	}
	for i := range events {
		if at -= d.WeightHere(&events[i]); at < 0 {
			return i
		}
	}
	panic("unreachable: a draw below the total falls into some weight")
}

// draw draws an index with the probability of its weight. total is the sum of the weights; -1 means that it is 0.
func draw(r *choose.Random, weights []int, total int) int {
	if total == 0 {
		return -1
	}
	at := r.IntN(total)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	panic("unreachable: a draw below the total falls into some weight")
}

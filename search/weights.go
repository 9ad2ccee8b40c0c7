package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// Weights are the weights of enabled events in random walks, per event. What has weight 0 does not happen in walks.
type Weights struct {
	Action      int `json:"action"`
	Message     int `json:"message"`
	Timer       int `json:"timer"`
	Consequence int `json:"consequence"` // boot, connection errors, ready call-backs, healing
	Fault       int `json:"fault"`       // injections, in the faulty part of faulty walks only
}

// DefaultWeights are those of the paper, with consequences as probable as messages.
func DefaultWeights() Weights {
	return Weights{Action: 40, Message: 8, Timer: 1, Consequence: 8, Fault: 4}
}

// WeightField is one of the [Weights].
type WeightField struct {
	Name  string
	Value *int
}

// Fields returns all weights.
func (w *Weights) Fields() []WeightField {
	return []WeightField{
		{"action", &w.Action}, {"message", &w.Message}, {"timer", &w.Timer}, {"consequence", &w.Consequence}, {"fault", &w.Fault},
	}
}

// Weightless are the kinds of ordinary events that walks never take.
func (w Weights) Weightless() (kinds []sim.EventKind) {
	d := newDraws(w)
	for kind := range sim.EventKindCount {
		if !kind.Injection() && d.weight(kind) == 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Validate tells what is wrong with the weights, nil if nothing is.
func (w Weights) Validate() error {
	for _, f := range w.Fields() {
		if *f.Value < 0 || *f.Value > sim.MaxWeight {
			return fmt.Errorf("weight %s is %d, must be 0 to %d", f.Name, *f.Value, sim.MaxWeight)
		}
	}
	if w.Action+w.Message+w.Timer+w.Consequence == 0 {
		return fmt.Errorf("all weights of ordinary events are 0, so walks cannot take a step")
	}
	return nil
}

// scale weighs events.
type scale struct {
	weights [16]int // by kind of event; the size is a power of two to spare bounds checks
	actions []int   // by slot; nil: all as weights says
	of      *sim.System

	disturbed bool         // what disturbs has no weight
	world     kernel.World // in which it does; nil: nothing does
}

// draws makes weighted random choices.
type draws struct {
	scale
	random choose.Random
}

func newDraws(w Weights) draws { return draws{scale: newScale(w)} }

func newScale(w Weights) scale {
	var d scale
	fields := w.Fields()
	for kind := range sim.EventKindCount {
		for _, f := range fields {
			if f.Name == kind.Seam().Weight {
				d.weights[kind] = *f.Value
			}
		}
	}
	return d
}

// adopt takes over what a system says of the weights of its actions, in each state that is weighed. When recovery is set what disturbs
// has none.
func (d *scale) adopt(w kernel.World, recovery bool) {
	sys := w.System()
	if d.of != sys {
		d.of, d.disturbed = sys, recovery && declared.DisturbingOf(sys) != nil
		d.weigh(declared.ActionRules(sys))
	}
	if d.disturbed {
		d.world = w
	}
}

func (d *scale) weigh(rules []declared.ActionRule) {
	d.actions, d.world = nil, nil
	all := d.weights[sim.DoAction]
	if all == 0 || !slices.ContainsFunc(rules, func(r declared.ActionRule) bool { return r.Weight > 0 }) {
		return
	}
	d.actions = make([]int, len(rules))
	for i, r := range rules {
		d.actions[i] = cmp.Or(r.Weight, all)
	}
}

func (d *scale) weight(k sim.EventKind) int { return d.weights[k&15] }

// weightOf is the weight of an event, whether it disturbs or not.
func (d *scale) weightOf(ev *sim.Event) int {
	if d.actions != nil && ev.Kind == sim.DoAction {
		return d.actions[ev.Slot]
	}
	return d.weight(ev.Kind)
}

// weightHere is the weight of an event in the state of the world that was adopted.
func (d *scale) weightHere(ev *sim.Event) int {
	if d.world != nil && d.world.Disturbs(*ev) {
		return 0
	}
	return d.weightOf(ev)
}

// byKind reports whether an event's kind alone says what it weighs.
func (d *scale) byKind() bool { return d.actions == nil && d.world == nil }

func (d *scale) total(events []sim.Event) int {
	total := 0
	if d.byKind() {
		for i := range events {
			total += d.weight(events[i].Kind)
		}
		return total
	}
	for i := range events {
		total += d.weightHere(&events[i])
	}
	return total
}

// anyWeighs reports whether any of the events has weight.
func (d *scale) anyWeighs(events []sim.Event) bool {
	for i := range events {
		if d.weightHere(&events[i]) > 0 {
			return true
		}
	}
	return false
}

// event draws one of the events. It returns -1 when none has weight.
func (d *draws) event(events []sim.Event) int { return d.draw(&d.random, events) }

// draw draws one of the events from r. It returns -1 when none has weight.
func (d *scale) draw(r *choose.Random, events []sim.Event) int {
	total := d.total(events)
	if total == 0 {
		return -1
	}
	at := r.IntN(total)
	if d.byKind() { // as is mostly so
		for i := range events {
			if at -= d.weight(events[i].Kind); at < 0 {
				return i
			}
		}
	}
	for i := range events {
		if at -= d.weightHere(&events[i]); at < 0 {
			return i
		}
	}
	panic("unreachable: a draw below the total falls into some weight")
}

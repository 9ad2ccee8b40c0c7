package search

import (
	"fmt"

	"github.com/macemc/macemc/choose"
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

// Weightless are the kinds of ordinary events that walks never take.
func (w Weights) Weightless() (kinds []sim.EventKind) {
	d := newDraws(w)
	for kind := range sim.Partition + 1 {
		if !kind.Injection() && d.weight(kind) == 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// maxWeight keeps sums far from overflow.
const maxWeight = 1 << 30

// Validate tells what is wrong with the weights, nil if nothing is.
func (w Weights) Validate() error {
	for _, f := range []struct {
		name   string
		weight int
	}{{"action", w.Action}, {"message", w.Message}, {"timer", w.Timer}, {"consequence", w.Consequence}, {"fault", w.Fault}} {
		if f.weight < 0 || f.weight > maxWeight {
			return fmt.Errorf("weight %s is %d, must be 0 to %d", f.name, f.weight, maxWeight)
		}
	}
	if w.Action+w.Message+w.Timer+w.Consequence == 0 {
		return fmt.Errorf("all weights of ordinary events are 0, so that walks cannot take a step")
	}
	return nil
}

// draws makes weighted random choices.
type draws struct {
	weights [16]int // by kind of event; the size is a power of two to spare bounds checks
	random  choose.Random
}

func newDraws(w Weights) draws {
	var d draws
	for kind := range sim.Partition + 1 {
		k := int(kind)
		switch {
		case kind.Injection():
			d.weights[k] = w.Fault
		case kind == sim.DoAction:
			d.weights[k] = w.Action
		case kind == sim.Deliver:
			d.weights[k] = w.Message
		case kind == sim.FireTimer:
			d.weights[k] = w.Timer
		default:
			d.weights[k] = w.Consequence
		}
	}
	return d
}

func (d *draws) weight(k sim.EventKind) int { return d.weights[k&15] }

func (d *draws) total(events []sim.Event) int {
	total := 0
	for i := range events {
		total += d.weight(events[i].Kind)
	}
	return total
}

// event draws one of the events. It returns -1 when none has weight.
func (d *draws) event(events []sim.Event) int {
	total := d.total(events)
	if total == 0 {
		return -1
	}
	at := d.random.IntN(total)
	for i := range events {
		if at -= d.weight(events[i].Kind); at < 0 {
			return i
		}
	}
	panic("unreachable: a draw below the total falls into some weight")
}

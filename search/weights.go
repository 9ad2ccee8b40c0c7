package search

import (
	"fmt"
	"iter"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/sim"
)

// Weights are the weights of enabled events in random walks, per event. Events of weight 0 do not happen in walks.
type Weights struct {
	Action      int `json:"action"`
	Message     int `json:"message"`
	Timer       int `json:"timer"`
	Consequence int `json:"consequence"` // boot, connection errors, ready call-backs, healing
	Fault       int `json:"fault"`       // injections, in the faulty part of faulty walks only
}

// DefaultWeights returns the weights of the paper, with consequences as probable as messages.
func DefaultWeights() Weights {
	return Weights{Action: 40, Message: 8, Timer: 1, Consequence: 8, Fault: 4}
}

// Fields yields the names and values of all weights.
func (w *Weights) Fields() iter.Seq2[string, *int] {
	return func(yield func(string, *int) bool) {
		_ = yield("action", &w.Action) && yield("message", &w.Message) && yield("timer", &w.Timer) &&
			yield("consequence", &w.Consequence) && yield("fault", &w.Fault)
	}
}

// Weightless returns the kinds of ordinary events that walks never take.
func (w Weights) Weightless() (kinds []eventkind.Kind) {
	d := w.Scale()
	for kind := range eventkind.All() {
		if !kind.Injection() && d.Weight(kind) == 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Validate returns an error if the weights are invalid.
func (w Weights) Validate() error {
	for name, weight := range w.Fields() {
		if *weight < 0 || *weight > sim.MaxWeight {
			return fmt.Errorf("weight %s is %d, must be 0 to %d", name, *weight, sim.MaxWeight)
		}
	}
	if w.Action+w.Message+w.Timer+w.Consequence == 0 {
		return fmt.Errorf("all weights of ordinary events are 0, so walks cannot take a step")
	}
	return nil
}

// Scale returns the weights of kinds of events, which must not be negative.
func (w Weights) Scale() schedules.Scale {
	weights := map[string]int{}
	for name, weight := range w.Fields() {
		weights[name] = *weight
	}
	return schedules.NewScale(weights)
}

package sim

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/internal/eventkind"
)

// Disturbance selects events that are excluded from recovery, like an [Action] with Disturbs set: a state is dead if it
// can reach a live state only by such events. Runs still execute them. In recovery, events queued behind one, such as
// the later messages of a stream, do not happen either. The selection depends on the event alone.
type Disturbance struct {
	kind  eventkind.Kind
	hands reflect.Type // nil means any value, or none
}

// DisturbingTimers selects the timers of type T. T must be a type that is set as a timer, or any, which selects all timers.
func DisturbingTimers[T any]() Disturbance { return disturbing[T](eventkind.FireTimer) }

// DisturbingMessages selects the deliveries of messages of type T. T must be a type that is sent, or any, which selects
// all deliveries.
func DisturbingMessages[T any]() Disturbance { return disturbing[T](eventkind.Deliver) }

// DisturbingQuorums selects the transitions that take sets of messages of type T, or, if T is any, all such transitions.
func DisturbingQuorums[T any]() Disturbance { return disturbing[T](eventkind.TakeQuorum) }

// DisturbingBoots selects the starts of nodes that are down.
func DisturbingBoots() Disturbance { return Disturbance{kind: eventkind.Boot} }

// DisturbingErrors selects the connection errors that nodes receive.
func DisturbingErrors() Disturbance { return Disturbance{kind: eventkind.DeliverError} }

// DisturbingHeals selects the ends of partitions.
func DisturbingHeals() Disturbance { return Disturbance{kind: eventkind.Heal} }

func disturbing[T any](kind eventkind.Kind) Disturbance {
	if t := reflect.TypeFor[T](); t != reflect.TypeFor[any]() {
		return Disturbance{kind: kind, hands: t}
	}
	return Disturbance{kind: kind}
}

// Names returns the kind of the selected events and the type of the values that they hand to a node; nil means any
// type, or no value.
func (d Disturbance) Names() (eventkind.Kind, reflect.Type) { return d.kind, d.hands }

// String describes the events in text, such as "timer Retry" or "every boot".
func (d Disturbance) String() string {
	what := d.kind.String()
	if d.kind == eventkind.Deliver {
		what = "message"
	}
	t := d.hands
	if t == nil {
		return "every " + what
	}
	stars := ""
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t, stars = t.Elem(), stars+"*"
	}
	if t.Name() != "" {
		return what + " " + stars + t.Name()
	}
	return what + " " + stars + t.String()
}

// validate returns an error if d selects no events.
func (d Disturbance) validate() error {
	if d.hands != nil && d.hands.Kind() == reflect.Interface {
		return fmt.Errorf("%q: %v is an interface; must be any, or the type that is sent, or set as a timer", d, d.hands)
	}
	return nil
}

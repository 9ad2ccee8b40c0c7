package sim

import (
	"fmt"
	"reflect"
)

// Disturbance names events that are no part of recovery, as an action that [Action.Disturbs] is none: that a live state can be reached by
// them is no excuse for being stuck without. Runs have them all the same. What waits behind such an event, as the later messages of a
// stream do, waits for it in recovery, too. Whether it names an event depends on nothing but the event.
type Disturbance struct {
	kind  EventKind
	hands reflect.Type // nil: whatever is handed over
}

// Disturbing names all events of a kind, which injects no fault: these are no part of recovery anyway.
func Disturbing(kind EventKind) Disturbance { return Disturbance{kind: kind} }

// DisturbingOf names the events of a kind that hand a T to a node: timers ([FireTimer]), messages ([Deliver]), or sets of messages
// ([TakeQuorum]).
func DisturbingOf[T any](kind EventKind) Disturbance {
	return Disturbance{kind: kind, hands: reflect.TypeFor[T]()}
}

// Names returns the kind of the events, and the type of what they hand to a node; nil: any, or nothing.
func (d Disturbance) Names() (EventKind, reflect.Type) { return d.kind, d.hands }

// String names the events for people, as "timer Retry" or "every boot".
func (d Disturbance) String() string {
	what := d.kind.String()
	if d.kind == Deliver {
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

// validate reports the first thing that is wrong.
func (d Disturbance) validate() error {
	switch {
	case d.kind > Partition:
		return fmt.Errorf("there is no event of kind %d", d.kind)
	case d.kind.Injection():
		return fmt.Errorf("%q injects a fault, which is no part of recovery anyway", d.kind)
	case d.hands == nil:
		return nil
	case d.kind != FireTimer && d.kind != Deliver && d.kind != TakeQuorum:
		return fmt.Errorf("%q: DisturbingOf is for events of kind %q, %q and %q, which hand a value to a node; use Disturbing for others", d, FireTimer, Deliver, TakeQuorum)
	case d.hands.Kind() == reflect.Interface:
		return fmt.Errorf("%q: %v is an interface; must be the type that is sent, or set as a timer", d, d.hands)
	}
	return nil
}

package sim

import (
	"fmt"
	"reflect"
)

// Disturbance selects events that are excluded from recovery, like an [Action] with Disturbs set: a state is dead if it
// can reach a live state only by such events. Runs still execute them. In recovery, events queued behind one, such as
// the later messages of a stream, do not happen either. The selection depends on the event alone.
type Disturbance struct {
	kind  EventKind
	hands reflect.Type // nil means any value, or none
}

// Disturbing selects all events of a kind. The kind must not inject a fault: faults are always excluded from recovery.
func Disturbing(kind EventKind) Disturbance { return Disturbance{kind: kind} }

// DisturbingOf selects the events of a kind that pass a T to a node: timers ([FireTimer]), messages ([Deliver]), or
// sets of messages ([TakeQuorum]).
func DisturbingOf[T any](kind EventKind) Disturbance {
	return Disturbance{kind: kind, hands: reflect.TypeFor[T]()}
}

// Names returns the kind of the selected events and the type of the values that they hand to a node; nil means any
// type, or no value.
func (d Disturbance) Names() (EventKind, reflect.Type) { return d.kind, d.hands }

// String describes the events in text, such as "timer Retry" or "every boot".
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

// validate returns an error if d selects no events that it may exclude.
func (d Disturbance) validate() error {
	switch {
	case d.kind >= EventKindCount:
		return fmt.Errorf("there is no event of kind %d", d.kind)
	case d.kind.Injection():
		return fmt.Errorf("%q injects a fault, which is excluded from recovery anyway", d.kind)
	case d.hands == nil:
		return nil
	case d.kind != FireTimer && d.kind != Deliver && d.kind != TakeQuorum:
		return fmt.Errorf("%q: DisturbingOf is for events of kind %q, %q and %q, which hand a value to a node; use Disturbing for others",
			d, FireTimer, Deliver, TakeQuorum)
	case d.hands.Kind() == reflect.Interface:
		return fmt.Errorf("%q: %v is an interface; must be the type that is sent, or set as a timer", d, d.hands)
	}
	return nil
}

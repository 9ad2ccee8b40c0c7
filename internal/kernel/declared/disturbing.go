package declared

import (
	"reflect"

	"github.com/macemc/macemc/sim"
)

// Disturbing tells which events of a system are no part of recovery though they inject no fault: by [sim.Action.Disturbs] and
// [sim.System.Disturbing].
type Disturbing struct {
	kinds   uint64 // all of these
	actions []bool // by slot
	hands   map[handing]bool
	asks    uint64 // kinds that are in hands
}

// handing is events of a kind that hand a value of a type to a node.
type handing struct {
	kind  sim.EventKind
	value reflect.Type
}

// DisturbingOf tells of a system; nil: none of its events are.
func DisturbingOf(s *sim.System) *Disturbing {
	d := &Disturbing{hands: map[handing]bool{}}
	any := len(s.Disturbing) > 0
	for _, r := range ActionRules(s) {
		d.actions = append(d.actions, r.Disturbs)
		any = any || r.Disturbs
	}
	for _, x := range s.Disturbing {
		if kind, value := x.Names(); value == nil {
			d.kinds |= 1 << kind
		} else {
			d.hands[handing{kind, value}] = true
			d.asks |= 1 << kind
		}
	}
	if !any {
		return nil
	}
	return d
}

// Event reports whether an event is known to disturb whatever it hands over.
func (d *Disturbing) Event(ev sim.Event) bool {
	return d != nil && (d.kinds>>ev.Kind&1 == 1 || ev.Kind == sim.DoAction && d.actions[ev.Slot])
}

// Asks reports whether what an event of a kind hands over may matter.
func (d *Disturbing) Asks(kind sim.EventKind) bool { return d != nil && d.asks>>kind&1 == 1 }

// Hands reports whether an event of a kind disturbs because of the value that it hands over: a timer, a message, or one of a set.
func (d *Disturbing) Hands(kind sim.EventKind, value any) bool {
	return d.Asks(kind) && d.hands[handing{kind, reflect.TypeOf(value)}]
}

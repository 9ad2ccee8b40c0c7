package declared

import (
	"reflect"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Disturbing holds the events of a system that are not part of recovery, although they inject no fault: by
// [sim.Action.Disturbs] and [sim.System.Disturbing].
type Disturbing struct {
	kinds   uint64 // kinds whose events all disturb
	actions []bool // by slot
	hands   map[handing]bool
	asks    uint64 // kinds that occur in hands
}

// handing stands for the events of a kind that hand a value of a type to a node.
type handing struct {
	kind  eventkind.Kind
	value reflect.Type
}

// DisturbingOf returns the disturbing events of a system, or nil if there are none.
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

// Has reports whether an event disturbs. handed returns the value that it hands over, which is a timer, a message, or one
// of a set.
func (d *Disturbing) Has(ev netmodel.Event, handed func() any) bool {
	switch {
	case d == nil:
		return false
	case d.kinds>>ev.Kind&1 == 1 || ev.Kind == eventkind.DoAction && d.actions[ev.Slot]:
		return true
	}
	return d.asks>>ev.Kind&1 == 1 && d.hands[handing{ev.Kind, reflect.TypeOf(handed())}]
}

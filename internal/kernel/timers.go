package kernel

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// timerKind is a value that some timer was set with, and derived data computed once.
type timerKind struct {
	value any
	enc   string // canonical encoding: the order of timers
	Text  string
}

// timer is an armed timer of a node.
type timer struct {
	Value    any
	Kind     *timerKind
	untilDue time.Duration // until its deadline; 0 under AnyOrder, where deadlines do not matter
}

// fire disarms the timer in a slot and advances the node's virtual time to its deadline: it subtracts the time until then
// from the node's other timers. Nodes have no other virtual time, except with [sim.Clocks] (virtualTime).
func (n *Node) fire(slot int32) any {
	t := n.Armed[slot]
	n.Armed = slices.Delete(n.Armed, int(slot), int(slot)+1)
	if t.untilDue != 0 {
		for i := range n.Armed {
			n.Armed[i].untilDue = max(0, n.Armed[i].untilDue-t.untilDue)
		}
	}
	return t.Value
}

// nextTimer returns the time until the earliest deadline of a node with timers.
func (n *Node) nextTimer() time.Duration {
	first := n.Armed[0].untilDue
	for i := range n.Armed {
		first = min(first, n.Armed[i].untilDue)
	}
	return first
}

// appendTimers appends the timers of n that may fire: all of them under AnyOrder, otherwise those with the earliest
// deadline of the node. Under Prompt none fires while a message can be delivered (Quiet). Under Bounded none fires that
// would make another event late (delays.Fires). The search chooses one of them as it chooses among all events. The table
// engine calls this function when it interns a local state, and refuses Bounded.
func (w *Machine) appendTimers(n *Node, buf []netmodel.Event) []netmodel.Event {
	if len(n.Armed) == 0 || w.Sys.Timing == sim.Prompt && !w.Quiet || !w.delays.Fires(n.ID) {
		return buf
	}
	first := n.Armed[0].untilDue
	if w.Sys.Timing != sim.AnyOrder { // where all are equal
		first = n.nextTimer()
	}
	for i := range n.Armed {
		if n.Armed[i].untilDue == first {
			buf = append(buf, netmodel.Event{Kind: eventkind.FireTimer, Node: n.ID, Peer: -1, Slot: int32(i)})
		}
	}
	return buf
}

// KindOf interns a timer value.
func (w *Machine) KindOf(t any) (k *timerKind, err error) {
	incomparable := func() error {
		return &encoding.Error{Role: "timer", Type: reflect.TypeOf(t), Verb: "a timer",
			Hint: "timers must be comparable; use a struct of names and numbers"}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *encoding.Error:
			err = encoding.As("timer", r)
		case *sim.Finding: // of a function of a state rule
			err = r
		default: // an interface in t holds a value that cannot be a map key
			err = incomparable()
		}
	}()
	if t == nil || !reflect.TypeOf(t).Comparable() {
		return nil, incomparable()
	}
	if k, ok := w.Timers[t]; ok {
		return k, nil
	}
	p, err := w.plans.Of(t)
	if err != nil {
		return nil, encoding.As("timer", err)
	}
	w.Enc.Reset()
	w.Enc.Add(p, t)
	if len(w.Enc.Times()) > 0 {
		return nil, &encoding.Error{Role: "timer", Type: p.Type(), Verb: "a timer",
			Hint: "timers must not hold macetime.Time values; keep them in the service"}
	}
	// A value that refers only to constants is its own copy.
	if own, err := w.Copies.Of(t); err != nil || !own.Copyable() || w.PrivateTo(t) != t {
		return nil, &encoding.Error{Role: "timer", Type: p.Type(), Verb: "a timer",
			Hint: "timers must not hold pointers, because two that look alike would be one timer; use names and numbers"}
	}
	k = &timerKind{value: t, enc: string(w.Enc.Bytes()), Text: p.Text(t)}
	w.Timers[t] = k
	return k, nil
}

func (n *Node) FindTimer(t any) (int, bool) {
	for i := range n.Armed {
		if n.Armed[i].Value == t {
			return i, true
		}
	}
	return 0, false
}

func (w *Machine) setTimer(n *Node, t any, after time.Duration) error {
	if after = max(0, after); w.Sys.Timing == sim.AnyOrder {
		after = 0
	}
	if i, armed := n.FindTimer(t); armed {
		n.Armed[i].untilDue = after
		return nil
	}
	k := n.set
	if k == nil || k.value != t {
		var err error
		if k, err = w.KindOf(t); err != nil {
			return err
		}
		n.set = k
	}
	i, _ := slices.BinarySearchFunc(n.Armed, k, func(a timer, k *timerKind) int {
		return strings.Compare(a.Kind.enc, k.enc)
	})
	n.Armed = slices.Insert(n.Armed, i, timer{k.value, k, after})
	return nil
}

func (n *Node) stopTimer(t any) {
	if i, armed := n.FindTimer(t); armed {
		n.Armed = slices.Delete(n.Armed, i, i+1)
	}
}

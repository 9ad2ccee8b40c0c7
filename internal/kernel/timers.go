package kernel

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// timerKind is a value that some timer was set with, and what is derived from it once.
type timerKind struct {
	value any
	enc   string // canonical encoding: the order of timers
	text  string
}

// timer is an armed timer of a node.
type timer struct {
	value any
	kind  *timerKind
	left  time.Duration // until its deadline; 0 under AnyOrder, where deadlines do not matter
}

// kindOf interns a timer value.
func (w *machine) kindOf(t any) (k *timerKind, err error) {
	incomparable := func() error {
		return &encoding.Error{Role: "timer", Type: reflect.TypeOf(t), Verb: "a timer", Hint: "timers must be comparable; use a struct of names and numbers"}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *encoding.Error:
			err = encoding.As("timer", r)
		default: // an interface in t holds something that cannot be a key
			err = incomparable()
		}
	}()
	if t == nil || !reflect.TypeOf(t).Comparable() {
		return nil, incomparable()
	}
	if k, ok := w.timers[t]; ok {
		return k, nil
	}
	p, err := w.plans.Of(t)
	if err != nil {
		return nil, encoding.As("timer", err)
	}
	w.enc.Reset()
	w.enc.Add(p, t)
	if len(w.enc.Times()) > 0 {
		return nil, &encoding.Error{Role: "timer", Type: p.Type(), Verb: "a timer", Hint: "timers must not hold macetime.Time values; keep them in the service"}
	}
	// One that refers to nothing but constants is its own copy.
	if own, err := w.copies.Of(t); err != nil || !own.Copyable() || w.privateTo(t) != t {
		return nil, &encoding.Error{Role: "timer", Type: p.Type(), Verb: "a timer", Hint: "timers must not hold pointers, of which two that look alike would be one timer; use names and numbers"}
	}
	k = &timerKind{value: t, enc: string(w.enc.Bytes()), text: p.Text(t)}
	w.timers[t] = k
	return k, nil
}

func (n *node) findTimer(t any) (int, bool) {
	for i := range n.armed {
		if n.armed[i].value == t {
			return i, true
		}
	}
	return 0, false
}

func (w *machine) setTimer(n *node, t any, after time.Duration) error {
	if after = max(0, after); w.sys.Timing == sim.AnyOrder {
		after = 0
	}
	if i, armed := n.findTimer(t); armed {
		n.armed[i].left = after
		return nil
	}
	k := n.set
	if k == nil || k.value != t {
		var err error
		if k, err = w.kindOf(t); err != nil {
			return err
		}
		n.set = k
	}
	i, _ := slices.BinarySearchFunc(n.armed, k, func(a timer, k *timerKind) int {
		return strings.Compare(a.kind.enc, k.enc)
	})
	n.armed = slices.Insert(n.armed, i, timer{k.value, k, after})
	return nil
}

func (n *node) stopTimer(t any) {
	if i, armed := n.findTimer(t); armed {
		n.armed = slices.Delete(n.armed, i, i+1)
	}
}

// fire disarms the timer in a slot and moves the node's time to its deadline.
func (n *node) fire(slot int32) any {
	t := n.armed[slot]
	n.armed = slices.Delete(n.armed, int(slot), int(slot)+1)
	if t.left != 0 {
		for i := range n.armed {
			n.armed[i].left = max(0, n.armed[i].left-t.left)
		}
	}
	return t.value
}

// nextTimer returns how long it takes until the earliest deadline of a node with timers.
func (n *node) nextTimer() time.Duration {
	first := n.armed[0].left
	for i := range n.armed {
		first = min(first, n.armed[i].left)
	}
	return first
}

// appendTimers appends the timers of n that may fire.
func (w *machine) appendTimers(n *node, buf []sim.Event) []sim.Event {
	if len(n.armed) == 0 || w.sys.Timing == sim.Prompt && !w.quiet || w.delays.fires != nil && !w.delays.fires[n.id] {
		return buf
	}
	first := n.nextTimer()
	for i := range n.armed {
		if n.armed[i].left == first {
			buf = append(buf, sim.Event{Kind: sim.FireTimer, Node: n.id, Peer: -1, Slot: int32(i)})
		}
	}
	return buf
}

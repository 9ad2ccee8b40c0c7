// Package coverage collects the possible events of runs, and those that happened.
package coverage

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Set collects possible events, and whether they happened: messages by type and receiving service, timers by type,
// actions. It sees every step, so it uses Go types, not texts. It inspects deliveries and timers only while some have
// not happened.
type Set struct {
	Services []reflect.Type // by node
	items    []covered
	index    map[coverKey]int
	open     [2]int // number of items that have not happened, by kind
	known    [256]knownType

	Actions []bool   // by slot: whether they were taken
	names   []string // by slot
	buf     []sim.Envelope
}

type coveredKind uint8

const (
	MessageItem coveredKind = iota
	TimerItem
	actionItem
)

type coverKey struct {
	what    coveredKind
	service reflect.Type // for messages: the receiver
	value   reflect.Type
	slot    int32 // for actions
}

type covered struct {
	coverKey
	happened bool
}

// knownType is an entry of a small cache in front of the index.
type knownType struct {
	word uintptr
	node sim.NodeID
	what coveredKind
	ok   bool
}

func New(sys *sim.System) *Set {
	c := &Set{index: map[coverKey]int{}, Services: make([]reflect.Type, sys.Nodes), names: sys.ActionNames()}
	c.Actions = make([]bool, len(c.names))
	for i := range c.Services {
		s := sys.New(sim.NodeID(i))
		c.Services[i] = reflect.TypeOf(s)
		declared.Discard(s)
	}
	return c
}

// Another returns an empty Set for the same system.
func (c *Set) Another() *Set {
	return &Set{index: map[coverKey]int{}, Services: c.Services, names: c.names, Actions: make([]bool, len(c.names))}
}

// Before processes an event that is about to be executed.
func (c *Set) Before(w kernel.World, ev netmodel.Event) {
	switch ev.Kind {
	case eventkind.Deliver, eventkind.TakeQuorum:
		if c.open[MessageItem] > 0 {
			c.buf = w.Messages(ev, c.buf[:0])
			for i := range c.buf {
				c.Happen(c.Message(ev.Node, c.buf[i].Msg))
			}
		}
	case eventkind.DoAction:
		c.Actions[ev.Slot] = true
	}
}

// Fired records that a timer fired.
func (c *Set) Fired(value any) {
	if c.open[TimerItem] > 0 {
		c.Happen(coverKey{what: TimerItem, value: reflect.TypeOf(value)})
	}
}

// Message returns the key of a message to a node.
func (c *Set) Message(to sim.NodeID, body any) coverKey {
	return coverKey{what: MessageItem, service: c.Services[to], value: reflect.TypeOf(body)}
}

func (c *Set) Happen(k coverKey) {
	if i, ok := c.index[k]; ok && !c.items[i].happened {
		c.items[i].happened = true
		c.open[k.what]--
	}
}

// After records the events that the last step made possible.
func (c *Set) After(w kernel.World) {
	effects := w.Last().Effects
	for i := range effects {
		switch e := &effects[i]; e.Kind {
		case stepinfo.SendEffect, stepinfo.StreamEffect:
			c.Expect(MessageItem, e.Peer, e.Msg.Body)
		case stepinfo.SetTimerEffect:
			c.Expect(TimerItem, -1, e.Value)
		}
	}
}

// Expect records that an event with a value of this type may happen; node is the receiver of a message.
func (c *Set) Expect(what coveredKind, node sim.NodeID, value any) {
	word := typeWord(value)
	k := &c.known[(word>>4^uintptr(node)<<5^uintptr(node))&255]
	if k.ok && k.word == word && k.node == node && k.what == what {
		return
	}
	key := coverKey{what: what, value: reflect.TypeOf(value)}
	if node >= 0 {
		key.service = c.Services[node]
	}
	c.add(covered{coverKey: key})
	*k = knownType{word, node, what, true}
}

// typeWord identifies the dynamic type of v within the process.
func typeWord(v any) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

func (c *Set) add(it covered) (changed bool) {
	i, ok := c.index[it.coverKey]
	if !ok {
		c.index[it.coverKey] = len(c.items)
		c.items = append(c.items, it)
		if !it.happened {
			c.open[it.what]++
		}
		return true
	}
	if it.happened && !c.items[i].happened {
		c.items[i].happened = true
		c.open[it.what]--
		return true
	}
	return false
}

// Merge adds the content of o, and reports whether any of it was new.
func (c *Set) Merge(o *Set) (changed bool) {
	for _, it := range o.items {
		changed = c.add(it) || changed
	}
	for slot, met := range o.Actions {
		if met && !c.Actions[slot] {
			c.Actions[slot] = true
			changed = true
		}
	}
	return changed
}

// NeverHappened returns the possible events that did not happen, sorted.
func (c *Set) NeverHappened() []string {
	out := []string{}
	for _, it := range c.items {
		if !it.happened {
			out = append(out, c.name(it.coverKey))
		}
	}
	for slot := range c.names {
		if !c.Actions[slot] {
			out = append(out, c.name(coverKey{what: actionItem, slot: int32(slot)}))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// DisturbsNothing names types declared to disturb that were neither sent nor set as a timer. They may be wrong types.
func (c *Set) DisturbsNothing(sys *sim.System) (out []string) {
	for _, d := range sys.Disturbing {
		kind, of := d.Names()
		if of != nil && !slices.ContainsFunc(c.items,
			func(it covered) bool {
				return it.value == of && (it.what == TimerItem) == (kind == eventkind.FireTimer)
			}) {
			out = append(out, "disturbing "+d.String())
		}
	}
	return out
}

// name returns the name of a key for people.
func (c *Set) name(k coverKey) string {
	switch {
	case k.what == TimerItem:
		return "timer " + shortName(k.value)
	case k.what == actionItem:
		return "action " + c.names[k.slot]
	case slices.ContainsFunc(c.Services, func(t reflect.Type) bool { return t != c.Services[0] }):
		return fmt.Sprintf("message %s at %s", shortName(k.value), shortName(k.service))
	}
	return "message " + shortName(k.value)
}

func shortName(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "nil"
	case t.Name() != "":
		return t.Name()
	}
	return t.String()
}

// BySample lists the checks that are made only by samples, for features that the system has.
func (c *Set) BySample(sys *sim.System) []string {
	list := []string{"handlers are deterministic"}
	if declared.Guarded(sys) {
		list = append(list, "When has no side effects")
	}
	if len(sys.Quorums) > 0 {
		list = append(list, sim.QuorumProperty)
	}
	if c.sendsReferences() {
		list = append(list, "messages are not modified after sending")
	}
	return list
}

// sendsReferences reports whether messages were sent through which their senders can still reach the content.
func (c *Set) sendsReferences() bool {
	for _, it := range c.items {
		if it.what == MessageItem && refers(it.value) {
			return true
		}
	}
	return false
}

// refers reports whether a value of type t may share memory with others.
func refers(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

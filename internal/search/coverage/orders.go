package coverage

import (
	"cmp"
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Orders counts the pairs of concurrent events of a node that happened in both orders.
//
// Events of a node belong to one class if they have the same kind and, for messages, the same sender, type and tag
// (see [tagOf]); for timers, the same type; for actions, the same name; for errors of connections, the same peer.
// Events that change the network alone belong to none.
//
// Two classes of a node are a pair if some state of a counted walk enables an event of each. Neither of these events
// happens before the other in the sense of Lamport (1978), since either may be next. A walk has the order a, b of the pair if an
// event of a happens in a state that enables one of b, and one of b happens later. A fault of a node counts as enabled
// in the state in which it strikes, and in all states before since the node was booted.
type Orders struct {
	Walks int // number of counted walks
	nodes []nodeOrders
	buf   []sim.Envelope
}

// nodeOrders has the classes of a node, and sets of their indices.
type nodeOrders struct {
	index   map[classKey]int
	classes []class
	recent  [64]recentClass

	now   bitset // classes enabled in the current state
	since bitset // classes enabled in a state since the node was booted
	done  bitset // classes that happened since then
}

// classKey identifies a class of a node.
type classKey struct {
	value uintptr // see typeWord; 0 if the class has no type
	slot  int32   // of an action
	peer  sim.NodeID
	kind  eventkind.Kind
	tag   uint8
}

type recentClass struct {
	key   classKey
	index int // plus one
}

// class is a class of events of a node.
type class struct {
	classKey
	goType   reflect.Type
	text     string // of the tag
	together bitset // classes enabled in a state with this one
	first    bitset // classes a such that some walk had the order a, this
	before   bitset // classes a that happened in the walk in progress while this one was enabled
}

// NewOrders returns the orders of no walks.
func NewOrders(nodes int) *Orders { return &Orders{nodes: make([]nodeOrders, nodes)} }

// Nodes returns the number of nodes.
func (o *Orders) Nodes() int { return len(o.nodes) }

// Begin begins a walk.
func (o *Orders) Begin() {
	o.Walks++
	for i := range o.nodes {
		n := &o.nodes[i]
		clear(n.done)
		clear(n.since)
		for k := range n.classes {
			clear(n.classes[k].before)
		}
	}
}

// Before records an event that is about to happen in a state with these ordinary events.
func (o *Orders) Before(w kernel.World, enabled []netmodel.Event, ev *netmodel.Event) {
	for i := range o.nodes {
		clear(o.nodes[i].now)
	}
	for i := range enabled {
		if e := &enabled[i]; ofNode(e) {
			n := &o.nodes[e.Node]
			n.now.add(n.of(o.key(w, e)))
		}
	}
	for i := range o.nodes {
		n := &o.nodes[i]
		n.since.union(n.now)
		for k := range n.now.all() {
			n.classes[k].together.union(n.now)
		}
	}
	if ofNode(ev) {
		n := &o.nodes[ev.Node]
		n.happen(n.of(o.key(w, ev)), ev.Kind)
	}
}

// ofNode reports whether an event belongs to a class.
func ofNode(ev *netmodel.Event) bool { return ev.Node >= 0 && !ev.Kind.OfNetwork() }

// happen records that an event of a class happens.
func (n *nodeOrders) happen(at int, kind eventkind.Kind) {
	c := &n.classes[at]
	if kind.Injection() {
		c.together.union(n.since)
		for k := range n.since.all() {
			n.classes[k].together.add(at)
		}
		c.before.union(n.done)
		n.since.add(at)
	}
	c.first.union(c.before)
	for k := range n.now.all() {
		n.classes[k].before.add(at)
	}
	n.done.add(at)
	if kind.TakesDown() || kind == eventkind.Boot {
		clear(n.done)
		clear(n.since)
	}
}

// of returns the index of the class of an event.
func (n *nodeOrders) of(key classKey, value any) int {
	slot := &n.recent[(key.value>>4^uintptr(key.peer)<<4^uintptr(key.tag)<<1^uintptr(key.slot)^uintptr(key.kind)<<3)%uintptr(len(n.recent))]
	if slot.index > 0 && slot.key == key {
		return slot.index - 1
	}
	at, ok := n.index[key]
	if !ok {
		at = n.add(class{classKey: key, goType: reflect.TypeOf(value), text: tagText(value)})
	}
	*slot = recentClass{key, at + 1}
	return at
}

// add adds a class, and returns its index.
func (n *nodeOrders) add(c class) int {
	if n.index == nil {
		n.index = map[classKey]int{}
	}
	n.index[c.classKey] = len(n.classes)
	n.classes = append(n.classes, c)
	return len(n.classes) - 1
}

// key returns the class of an event, and the value that has its type.
func (o *Orders) key(w kernel.World, ev *netmodel.Event) (k classKey, value any) {
	k = classKey{kind: ev.Kind, peer: -1}
	switch ev.Kind {
	case eventkind.Deliver, eventkind.TakeQuorum:
		if o.buf = w.Messages(*ev, o.buf[:0]); len(o.buf) > 0 {
			value = o.buf[0].Msg
			k.value = typeWord(value)
			k.tag = tagOf(value)
		}
		if ev.Kind == eventkind.Deliver {
			k.peer = ev.Peer
		}
	case eventkind.FireTimer:
		value = w.Timer(*ev)
		k.value = typeWord(value)
	case eventkind.DoAction:
		k.slot = ev.Slot
	case eventkind.DeliverError, eventkind.DeliverReady:
		k.peer = ev.Peer
	}
	return k, value
}

// Merge adds the orders of other walks.
func (o *Orders) Merge(p *Orders) {
	o.Walks += p.Walks
	for i := range p.nodes {
		from, to := &p.nodes[i], &o.nodes[i]
		places := make([]int, len(from.classes))
		for k := range from.classes {
			c := &from.classes[k]
			at, ok := to.index[c.classKey]
			if !ok {
				at = to.add(class{classKey: c.classKey, goType: c.goType, text: c.text})
			}
			places[k] = at
		}
		for k := range from.classes {
			c := &to.classes[places[k]]
			for other := range from.classes[k].together.all() {
				c.together.add(places[other])
			}
			for other := range from.classes[k].first.all() {
				c.first.add(places[other])
			}
		}
	}
}

// Order is an order of two classes of events of a node.
type Order struct {
	Node  sim.NodeID `json:"node"`
	First string     `json:"first"` // name for people: "action read", "message Ping from n1", "timer Beat", "crash"
	Then  string     `json:"then"`
}

// Count returns the number of pairs, the number of those that happened in both orders, and the orders that did not
// happen, sorted.
func (o *Orders) Count(c *Set) (pairs, both int, missing []Order) {
	for id := range o.nodes {
		n := &o.nodes[id]
		for b := range n.classes {
			for a := range n.classes[b].together.all() {
				if a >= b {
					break
				}
				pairs++
				ab, ba := n.classes[b].first.has(a), n.classes[a].first.has(b)
				if ab && ba {
					both++
				}
				if !ab {
					missing = append(missing, Order{sim.NodeID(id), c.className(&n.classes[a]), c.className(&n.classes[b])})
				}
				if !ba {
					missing = append(missing, Order{sim.NodeID(id), c.className(&n.classes[b]), c.className(&n.classes[a])})
				}
			}
		}
	}
	slices.SortFunc(missing, func(x, y Order) int {
		return cmp.Or(cmp.Compare(x.Node, y.Node), cmp.Compare(x.First, y.First), cmp.Compare(x.Then, y.Then))
	})
	return pairs, both, missing
}

// className returns the name of a class for people.
func (c *Set) className(k *class) string {
	name := k.kind.String()
	switch k.kind {
	case eventkind.DoAction:
		return "action " + c.names[k.slot]
	case eventkind.Deliver:
		name = "message"
	}
	if k.goType != nil {
		name += " " + shortName(k.goType)
	}
	if k.text != "" {
		name += " " + k.text
	}
	if k.peer >= 0 {
		name += fmt.Sprintf(" from n%d", k.peer)
	}
	return name
}

// bitset is a set of small numbers.
type bitset []uint64

func (s *bitset) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s bitset) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 > 0 }

// union adds the elements of another set.
func (s *bitset) union(t bitset) {
	for len(*s) < len(t) {
		*s = append(*s, 0)
	}
	for i, word := range t {
		(*s)[i] |= word
	}
}

// all yields the elements in ascending order.
func (s bitset) all() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word > 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

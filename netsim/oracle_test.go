package netsim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// oracle is a second implementation of the network, written for simplicity. Wires hold messages and error marks, and
// events are found by examining everything. It has no flags for errors in flight.
type oracle struct {
	nodes  int
	up     []bool
	buffer int
	left   sim.Limits
	cut    func(a, b int) bool // nil means no partition
	heal   string

	wire    map[[2]int][]parcel // in flight from the first to the second, including errors
	linked  map[[2]int]bool     // the first believes that it has a connection to the second
	refused map[[2]int]bool     // the first has yet to learn that the second was down
	waiting map[[2]int]bool     // a message of the first was refused
	bag     []parcel            // datagrams, by age
	fates   []fate
}

// parcel is a message, or the mark of a connection error when id is 0.
type parcel struct {
	from, to int
	text     string
	id       sim.MessageID
}

func newOracle(nodes, buffer int, left sim.Limits) *oracle {
	o := &oracle{nodes: nodes, buffer: buffer, left: left,
		wire: map[[2]int][]parcel{}, linked: map[[2]int]bool{}, refused: map[[2]int]bool{}, waiting: map[[2]int]bool{}}
	for range nodes {
		o.up = append(o.up, true)
	}
	return o
}

func (o *oracle) fate(id sim.MessageID, f netmodel.Fate) { o.fates = append(o.fates, fate{id, f}) }

// resetTo reports whether an error is in flight from b to a.
func (o *oracle) resetTo(a, b int) bool {
	w := o.wire[[2]int{b, a}]
	return len(w) > 0 && w[0].id == 0
}

// empty drops the messages on a wire, but not an error.
func (o *oracle) empty(a, b int, f netmodel.Fate) {
	var rest []parcel
	for _, p := range o.wire[[2]int{a, b}] {
		if p.id == 0 {
			rest = append(rest, p)
		} else {
			o.fate(p.id, f)
		}
	}
	o.wire[[2]int{a, b}] = rest
}

func (o *oracle) queued(a, b int) int {
	n := len(o.wire[[2]int{a, b}])
	if o.resetTo(b, a) {
		n--
	}
	return n
}

func (o *oracle) send(a, b int, text string, id sim.MessageID) {
	switch unread := o.resetTo(a, b) || o.refused[[2]int{a, b}]; {
	case !o.up[b]:
		o.empty(a, b, netmodel.DroppedDown)
		o.fate(id, netmodel.DroppedDown)
		o.refused[[2]int{a, b}] = !o.resetTo(a, b)
	case unread:
		o.fate(id, netmodel.DroppedBreak)
	default:
		o.wire[[2]int{a, b}] = append(o.wire[[2]int{a, b}], parcel{a, b, text, id})
	}
}

func (o *oracle) close(a, b int, f netmodel.Fate) {
	o.refused[[2]int{a, b}] = false
	o.empty(a, b, f)
	if !o.linked[[2]int{a, b}] {
		return
	}
	o.linked[[2]int{a, b}] = false
	if o.resetTo(a, b) {
		o.wire[[2]int{b, a}] = o.wire[[2]int{b, a}][1:]
		return
	}
	o.empty(b, a, f)
	o.wire[[2]int{a, b}] = []parcel{{from: a, to: b}}
}

func (o *oracle) crash(a int) {
	o.up[a] = false
	for b := range o.nodes {
		o.close(a, b, netmodel.DroppedCrash)
		o.waiting[[2]int{a, b}] = false
	}
}

// halt also drops messages in flight to the node, and refuses attempts.
func (o *oracle) halt(a int) {
	o.crash(a)
	for b := range o.nodes {
		if o.queued(b, a) > 0 {
			o.empty(b, a, netmodel.DroppedDown)
			o.refused[[2]int{b, a}] = !o.resetTo(b, a)
		}
	}
	for _, p := range o.sorted(a) {
		o.take(p, netmodel.DroppedCrash)
	}
}

func (o *oracle) datagram(a, b int, text string, id sim.MessageID) {
	switch {
	case !o.up[b]:
		o.fate(id, netmodel.DroppedDown)
	case a != b && o.cut != nil && o.cut(a, b):
		o.fate(id, netmodel.DroppedCut)
	default:
		o.bag = append(o.bag, parcel{a, b, text, id})
	}
}

// oracleEvent is an event as text, with its effect.
type oracleEvent struct {
	text string
	do   func()
}

// events returns all events in the order of a world.
func (o *oracle) events() []oracleEvent {
	var all []oracleEvent
	add := func(kind eventkind.Kind, peer, node int, key string, do func()) {
		text := fmt.Sprintf("%v %d>%d", kind, peer, node)
		if key != "" {
			text += " " + key
		}
		all = append(all, oracleEvent{text, do})
	}
	for n := range o.nodes {
		if !o.up[n] {
			continue
		}
		for p := range o.nodes {
			if o.refused[[2]int{n, p}] {
				add(eventkind.DeliverError, p, n, "connection refused", func() { o.refused[[2]int{n, p}] = false })
			} else if o.resetTo(n, p) {
				add(eventkind.DeliverError, p, n, "connection reset", func() {
					o.wire[[2]int{p, n}] = o.wire[[2]int{p, n}][1:]
					o.linked[[2]int{n, p}] = false
				})
			}
		}
		for p := range o.nodes {
			if o.waiting[[2]int{n, p}] && o.queued(n, p) < o.buffer {
				add(eventkind.DeliverReady, p, n, "", func() { o.waiting[[2]int{n, p}] = false })
			}
		}
		for p := range o.nodes {
			w := o.wire[[2]int{p, n}]
			if len(w) == 0 || w[0].id == 0 || o.refused[[2]int{n, p}] || n != p && o.cut != nil && o.cut(n, p) {
				continue
			}
			add(eventkind.Deliver, p, n, "stream "+w[0].text, func() {
				o.fate(w[0].id, netmodel.Delivered)
				o.wire[[2]int{p, n}] = w[1:]
				if n != p {
					o.linked[[2]int{n, p}], o.linked[[2]int{p, n}] = true, true
				}
			})
		}
		for _, p := range o.kinds(n) {
			add(eventkind.Deliver, p.from, n, "datagram "+p.text, func() { o.take(p, netmodel.Delivered) })
		}
	}
	if o.cut != nil {
		all = append(all, oracleEvent{"heal " + o.heal, func() { o.cut = nil }})
	}
	if o.left[sim.Loss] > 0 {
		for n := range o.nodes {
			for _, p := range o.kinds(n) {
				add(eventkind.Lose, p.from, n, "datagram "+p.text, func() { o.left[sim.Loss]--; o.take(p, netmodel.Lost) })
			}
		}
	}
	if o.left[sim.Dup] > 0 {
		for n := range o.nodes {
			for _, p := range o.kinds(n) {
				add(eventkind.Duplicate, p.from, n, "datagram "+p.text, func() { o.left[sim.Dup]--; o.double(p) })
			}
		}
	}
	for a := range o.nodes {
		for b := a + 1; b < o.nodes && o.left[sim.NetErrors] > 0; b++ {
			if o.linked[[2]int{a, b}] && o.linked[[2]int{b, a}] && !o.resetTo(a, b) && !o.resetTo(b, a) {
				add(eventkind.Break, b, a, "", func() {
					o.left[sim.NetErrors]--
					o.empty(a, b, netmodel.DroppedBreak)
					o.empty(b, a, netmodel.DroppedBreak)
					o.wire[[2]int{a, b}] = []parcel{{from: a, to: b}}
					o.wire[[2]int{b, a}] = []parcel{{from: b, to: a}}
				})
			}
		}
	}
	partition := func(peer, node int, severs func(a, b int) bool) {
		add(eventkind.Partition, peer, node, "", func() {
			o.left[sim.Partitions]--
			o.cut, o.heal = severs, fmt.Sprintf("%d>%d", peer, node)
		})
	}
	if o.cut == nil && o.left[sim.Partitions] > 0 {
		for n := range o.nodes {
			if o.nodes > 2 {
				partition(-1, n, func(a, b int) bool { return a == n || b == n })
			}
		}
		for n := range o.nodes {
			for p := n + 1; p < o.nodes; p++ {
				partition(p, n, func(a, b int) bool { return min(a, b) == n && max(a, b) == p })
			}
		}
	}
	return all
}

// sorted returns the datagrams to a node in order of content, sender and age.
func (o *oracle) sorted(to int) []parcel {
	var all []parcel
	for _, p := range o.bag {
		if p.to == to {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b parcel) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.from, b.from))
	})
	return all
}

// kinds returns the oldest of each set of equal datagrams.
func (o *oracle) kinds(to int) []parcel {
	return slices.CompactFunc(o.sorted(to), func(a, b parcel) bool { return a.text == b.text && a.from == b.from })
}

func (o *oracle) take(p parcel, f netmodel.Fate) {
	o.fate(p.id, f)
	i := slices.Index(o.bag, p)
	o.bag = slices.Delete(o.bag, i, i+1)
}

// double inserts the duplicate so that it is taken directly after its original.
func (o *oracle) double(p parcel) {
	o.fate(p.id, netmodel.Duplicated)
	o.bag = slices.Insert(o.bag, slices.Index(o.bag, p), p)
}

func (o *oracle) inFlight() []sim.Envelope {
	var all []sim.Envelope
	add := func(p parcel, stream bool) {
		if p.id != 0 {
			all = append(all, sim.Envelope{From: sim.NodeID(p.from), To: sim.NodeID(p.to), Msg: p.text, ID: p.id, Stream: stream})
		}
	}
	for to := range o.nodes {
		for from := range o.nodes {
			for _, p := range o.wire[[2]int{from, to}] {
				add(p, true)
			}
		}
		for _, p := range o.sorted(to) {
			add(p, false)
		}
	}
	return all
}

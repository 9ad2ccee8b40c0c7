package table

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/sim"
)

// blocks is a list of events in blocks: one per node, and the last one of events of no node. Blocks
// are listed anew only when they may have changed.
type blocks struct {
	events []sim.Event
	begin  []int32 // block i is events[begin[i]:begin[i+1]]
	stale  []int32 // blocks to be listed anew, unordered
	isOld  []bool
	buf    []sim.Event
}

func (b *blocks) init(nodes int) {
	b.begin = make([]int32, nodes+2)
	b.isOld = make([]bool, nodes+1)
}

func (b *blocks) dirty(block int) {
	if !b.isOld[block] {
		b.isOld[block] = true
		b.stale = append(b.stale, int32(block))
	}
}

func (b *blocks) all() {
	for i := range b.isOld {
		b.dirty(i)
	}
}

// replace makes buf the events of a block.
func (b *blocks) replace(block int, buf []sim.Event) {
	first, end := int(b.begin[block]), int(b.begin[block+1])
	if grow := len(buf) - (end - first); grow != 0 {
		if grow > 0 {
			b.events = slices.Grow(b.events, grow)
		}
		old := b.events
		b.events = b.events[:len(old)+grow]
		copy(b.events[end+grow:], old[end:])
		for i := block + 1; i < len(b.begin); i++ {
			b.begin[i] += int32(grow)
		}
	}
	copy(b.events[first:], buf)
}

// Enabled implements [kernel.World].
func (w *World) Enabled() []sim.Event {
	b := &w.enabled
	if w.sys.Timing == sim.Prompt {
		if q := w.isQuiet(); q != w.quiet {
			w.quiet = q
			b.all()
		}
	}
	for _, block := range b.stale {
		b.isOld[block] = false
		buf := b.buf[:0]
		if int(block) == w.nodes {
			buf = append(buf, w.netGlobals.list[w.v[w.layout.netGlobals]].global...)
		} else {
			buf = w.appendNode(sim.NodeID(block), buf)
		}
		b.buf = buf
		b.replace(int(block), buf)
	}
	b.stale = b.stale[:0]
	return b.events
}

// list appends all events, ordinary ones and injections, of a bare world.
func (w *World) list(buf []sim.Event) []sim.Event {
	w.quiet = w.sys.Timing == sim.Prompt && w.isQuiet()
	for node := range w.nodes {
		buf = w.appendNode(sim.NodeID(node), buf)
	}
	buf = append(buf, w.netGlobals.list[w.v[w.layout.netGlobals]].global...)
	return w.Injections(buf)
}

// isQuiet reports whether no message, no error and no event in a node can be handled now.
func (w *World) isQuiet() bool {
	for up := w.up; up != 0; up &= up - 1 {
		node := bits.TrailingZeros64(up)
		if w.locals.list[w.v[node]].busy || w.failing[node]|w.deliverable[node] != 0 || w.layout.inboxCount > 0 && w.v[w.layout.inboxes+node] != 0 {
			return false
		}
	}
	return true
}

func (w *World) appendNode(node sim.NodeID, buf []sim.Event) []sim.Event {
	buf = w.appendOwn(node, buf)
	if w.up>>node&1 == 0 {
		return buf
	}
	if w.failing[node]|w.ready[node]|w.deliverable[node] != 0 {
		ev := sim.Event{Kind: sim.DeliverError, Node: node, Slot: w.conns.slot}
		buf = appendPeers(w.failing[node], ev, buf)
		ev.Kind = sim.DeliverReady
		buf = appendPeers(w.ready[node], ev, buf)
		ev.Kind, ev.Msgs = sim.Deliver, 1
		buf = appendPeers(w.deliverable[node], ev, buf)
	}
	return w.appendDatagrams(node, buf)
}

// appendOwn appends the events of a node in which the network has no part.
func (w *World) appendOwn(node sim.NodeID, buf []sim.Event) []sim.Event {
	if w.held(node) {
		return buf
	}
	if own := w.locals.list[w.v[node]].listed(w.quiet || w.sys.Timing != sim.Prompt); len(own) > 0 {
		buf = append(buf, own...)
	}
	return buf
}

// appendDatagrams appends the deliveries of datagrams to a node that is up.
func (w *World) appendDatagrams(node sim.NodeID, buf []sim.Event) []sim.Event {
	switch {
	case w.held(node):
		first := &w.inboxes.list[w.v[w.layout.inboxes+int(node)]].items[0]
		buf = append(buf, sim.Event{Kind: sim.Arrive, Node: node, Peer: ^first.from})
	case w.layout.inboxCount == 0 || w.up>>node&1 == 0:
	case w.quorums.any:
		buf = append(buf, w.gathered(node).events...)
	default:
		buf = w.inboxes.appendEvents(sim.Deliver, 1, node, w.v[w.layout.inboxes+int(node)], buf)
	}
	return buf
}

// held reports whether a node has something to send before it can do anything else.
func (w *World) held(node sim.NodeID) bool {
	return w.inboxes.holds && w.inboxes.list[w.v[w.layout.inboxes+int(node)]].held
}

// appendPeers appends ev for each peer in a set.
func appendPeers(set uint64, ev sim.Event, buf []sim.Event) []sim.Event {
	for ; set != 0; set &= set - 1 {
		ev.Peer = sim.NodeID(bits.TrailingZeros64(set))
		buf = append(buf, ev)
	}
	return buf
}

// Injections implements [kernel.World].
func (w *World) Injections(buf []sim.Event) []sim.Event {
	for kind := crashEvents; kind < eventLists; kind++ {
		if !w.mayInject(kind) {
			continue
		}
		for node := range w.nodes {
			buf = w.appendList(kind, sim.NodeID(node), buf)
		}
	}
	r := &w.netGlobals.list[w.v[w.layout.netGlobals]]
	if r.state.Left[sim.NetErrors] > 0 {
		for node, set := range w.established {
			buf = appendPeers(set, sim.Event{Kind: sim.Break, Node: sim.NodeID(node), Slot: w.conns.slot}, buf)
		}
	}
	return append(buf, r.faults...)
}

// eventList is a kind of lists that the events of single nodes are put together from.
type eventList int

const (
	ordinaryEvents eventList = iota
	ownEvents                // of the ordinary ones those in which the network has no part
	datagramEvents           // of the ordinary ones those by which datagrams are delivered
	crashEvents
	haltEvents
	loseEvents
	duplicateEvents
	eventLists
)

// mayInject reports whether the limits leave injections of a kind.
func (w *World) mayInject(kind eventList) bool {
	left := &w.netGlobals.list[w.v[w.layout.netGlobals]].state.Left
	switch kind {
	case crashEvents:
		return crashesLeft(w.v[w.layout.budget]) > 0
	case haltEvents:
		return haltsLeft(w.v[w.layout.budget]) > 0
	case loseEvents:
		return left[sim.Loss] > 0 && w.layout.inboxCount > 0
	case duplicateEvents:
		return left[sim.Dup] > 0 && w.layout.inboxCount > 0
	}
	return false
}

// appendList appends the events of a node in the lists of a kind.
func (w *World) appendList(kind eventList, node sim.NodeID, buf []sim.Event) []sim.Event {
	switch kind {
	case ordinaryEvents:
		return w.appendNode(node, buf)
	case ownEvents:
		return w.appendOwn(node, buf)
	case datagramEvents:
		return w.appendDatagrams(node, buf)
	case crashEvents, haltEvents:
		if w.leads(node) {
			buf = w.appendFailure(kind, node, buf)
		}
	case loseEvents:
		buf = w.inboxes.appendEvents(sim.Lose, 1, node, w.v[w.layout.inboxes+int(node)], buf)
	case duplicateEvents:
		buf = w.inboxes.appendEvents(sim.Duplicate, 0, node, w.v[w.layout.inboxes+int(node)], buf)
	}
	return buf
}

// appendFailure appends the crash or the halt of a node.
func (w *World) appendFailure(kind eventList, node sim.NodeID, buf []sim.Event) []sim.Event {
	switch {
	case w.up>>node&1 == 0:
	case kind == crashEvents && w.mayCrash(int(node)):
		buf = append(buf, sim.Event{Kind: sim.Crash, Node: node, Peer: -1})
	case kind == haltEvents && w.mayHalt(int(node)):
		buf = append(buf, sim.Event{Kind: sim.Halt, Node: node, Peer: -1})
	}
	return buf
}

// leads reports whether a node stands for its process where crashes are listed: it is the first of those that are up.
func (w *World) leads(node sim.NodeID) bool {
	for _, mate := range w.groupOf(node) {
		if mate < node && w.up>>mate&1 == 1 {
			return false
		}
	}
	return true
}

// connChanged brings the sets of peers up to date with a connection.
func (w *World) connChanged(low, high sim.NodeID, id uint32) {
	severed := w.netGlobals.list[w.v[w.layout.netGlobals]].severed[low] >> high & 1
	can := w.conns.lines.at(id).can[severed]
	set(&w.failing[low], high, can&canFail != 0)
	set(&w.ready[low], high, can&canReady != 0)
	set(&w.deliverable[low], high, can&canDeliver != 0)
	if !w.bare {
		w.enabled.dirty(int(low))
		w.enabled.dirty(int(high))
	}
	if low == high {
		return
	}
	set(&w.failing[high], low, can&(canFail<<1) != 0)
	set(&w.ready[high], low, can&(canReady<<1) != 0)
	set(&w.deliverable[high], low, can&(canDeliver<<1) != 0)
	set(&w.established[low], high, can&canBreak != 0)
}

func set(s *uint64, id sim.NodeID, in bool) {
	if in {
		*s |= 1 << id
	} else {
		*s &^= 1 << id
	}
}

// refreshConns brings the sets of peers up to date with all connections.
func (w *World) refreshConns() {
	if l := &w.layout; l.pairCount > 0 {
		w.connect(w.v[l.conns:l.monitors], w.v[l.netGlobals])
	}
}

// connect makes the sets of peers those of some connections.
func (w *World) connect(conns []uint32, id uint32) {
	clear(w.peers)
	severed := w.netGlobals.list[id].severed
	pair := 0
	for high := range w.nodes {
		for low, id := range conns[pair : pair+high+1] {
			if id <= emptySelf {
				continue
			}
			can := uint64(w.conns.lines.at(id).can[severed[low]>>high&1])
			w.failing[low] |= can / canFail & 1 << high
			w.failing[high] |= can / canFail >> 1 & 1 << low
			w.ready[low] |= can / canReady & 1 << high
			w.ready[high] |= can / canReady >> 1 & 1 << low
			w.deliverable[low] |= can / canDeliver & 1 << high
			w.deliverable[high] |= can / canDeliver >> 1 & 1 << low
			w.established[low] |= can / canBreak & 1 << high
		}
		pair += high + 1
	}
}

package world

import (
	"math/bits"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// eventList holds the ordinary events.
type eventList struct {
	netmodel.Blocks
	buf []netmodel.Event // scratch
}

// Enabled implements [kernel.World].
func (w *World) Enabled() []netmodel.Event {
	if w.Sys.Timing == sim.Prompt {
		if q := w.isQuiet(); q != w.Quiet {
			w.Quiet = q
			w.enabled.MarkAll()
		}
	}
	for _, block := range w.enabled.Stale {
		buf := w.enabled.buf[:0]
		if int(block) == w.Nodes {
			buf = append(buf, w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]].Global...)
		} else {
			buf = w.appendNode(sim.NodeID(block), buf)
		}
		w.enabled.buf = buf
		w.enabled.Replace(int(block), 0, buf)
	}
	w.enabled.Unmark()
	return w.enabled.Events
}

// AllEvents appends all events of a bare world, ordinary ones and faults.
func (w *World) AllEvents(buf []netmodel.Event) []netmodel.Event {
	w.Quiet = w.Sys.Timing == sim.Prompt && w.isQuiet()
	for node := range w.Nodes {
		buf = w.appendNode(sim.NodeID(node), buf)
	}
	buf = append(buf, w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]].Global...)
	return w.Injections(buf)
}

// isQuiet reports whether the state is quiet, as the noteQuiet of package kernel defines it.
func (w *World) isQuiet() bool {
	for up := w.UpNodes; up != 0; up &= up - 1 {
		node := bits.TrailingZeros64(up)
		if w.Locals.List[w.Vector[node]].Busy || w.Failing[node]|w.Deliverable[node] != 0 || w.Layout.InboxCount > 0 &&
			w.Vector[w.Layout.Inboxes+node] != 0 {
			return false
		}
	}
	return true
}

func (w *World) appendNode(node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	buf = w.appendOwn(node, buf)
	if w.UpNodes>>node&1 == 0 {
		return buf
	}
	if w.Failing[node]|w.Ready[node]|w.Deliverable[node] != 0 {
		ev := netmodel.Event{Kind: eventkind.DeliverError, Node: node, Slot: w.Conns.Slot}
		buf = appendPeers(w.Failing[node], ev, buf)
		ev.Kind = eventkind.DeliverReady
		buf = appendPeers(w.Ready[node], ev, buf)
		ev.Kind, ev.Msgs = eventkind.Deliver, 1
		buf = appendPeers(w.Deliverable[node], ev, buf)
	}
	return w.appendDatagrams(node, buf)
}

// appendOwn appends the events of a node that are independent of the network.
func (w *World) appendOwn(node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	if w.held(node) {
		return buf
	}
	if own := w.Locals.List[w.Vector[node]].Listed(w.Quiet || w.Sys.Timing != sim.Prompt); len(own) > 0 {
		buf = append(buf, own...)
	}
	return buf
}

// appendDatagrams appends the deliveries of datagrams to a node that is up.
func (w *World) appendDatagrams(node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	switch {
	case w.held(node):
		first := &w.Inboxes.List[w.Vector[w.Layout.Inboxes+int(node)]].Items[0]
		buf = append(buf, netmodel.Event{Kind: eventkind.Arrive, Node: node, Peer: ^first.From})
	case w.Layout.InboxCount == 0 || w.UpNodes>>node&1 == 0:
	case w.Quorums.Any:
		buf = append(buf, w.Gathered(node).Events...)
	default:
		buf = w.Inboxes.AppendEvents(eventkind.Deliver, 1, node, w.Vector[w.Layout.Inboxes+int(node)], buf)
	}
	return buf
}

// held reports whether a node must send something before anything else.
func (w *World) held(node sim.NodeID) bool {
	return w.Inboxes.HoldsOutgoing && w.Inboxes.List[w.Vector[w.Layout.Inboxes+int(node)]].Held
}

// appendPeers appends ev for each peer in a set.
func appendPeers(set uint64, ev netmodel.Event, buf []netmodel.Event) []netmodel.Event {
	for ; set != 0; set &= set - 1 {
		ev.Peer = sim.NodeID(bits.TrailingZeros64(set))
		buf = append(buf, ev)
	}
	return buf
}

// Injections implements [kernel.World].
func (w *World) Injections(buf []netmodel.Event) []netmodel.Event {
	for kind := CrashEvents; kind < EventLists; kind++ {
		if !w.MayInject(kind) {
			continue
		}
		for node := range w.Nodes {
			buf = w.AppendList(kind, sim.NodeID(node), buf)
		}
	}
	r := &w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]]
	if r.State.Left[sim.NetErrors] > 0 {
		for node, set := range w.Established {
			buf = appendPeers(set, netmodel.Event{Kind: eventkind.Break, Node: sim.NodeID(node), Slot: w.Conns.Slot}, buf)
		}
	}
	return append(buf, r.Faults...)
}

// EventList is a kind of lists of events of single nodes.
type EventList int

const (
	OrdinaryEvents EventList = iota
	OwnEvents                // the ordinary ones independent of the network
	DatagramEvents           // the ordinary ones that deliver datagrams
	CrashEvents              // first of the fault lists: one per kind from eventkind.Crash to before Break
	HaltEvents
	EventLists = CrashEvents + EventList(eventkind.Break-eventkind.Crash)
)

// eventKind returns the kind of the events in the lists from [CrashEvents] on.
func (l EventList) eventKind() eventkind.Kind { return eventkind.Crash + eventkind.Kind(l-CrashEvents) }

// MayInject reports whether the limits allow another fault of a kind from [CrashEvents] on.
func (w *World) MayInject(kind EventList) bool {
	ev := netmodel.Event{Kind: kind.eventKind()}
	fault, _ := ev.Fault()
	if ev.Kind.TakesDown() {
		return store.FaultsLeft(w.Vector[w.Layout.Budget])[fault] > 0
	}
	return w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]].State.Left[fault] > 0 && w.Layout.InboxCount > 0
}

// AppendList appends the events of a node in the lists of a kind.
func (w *World) AppendList(kind EventList, node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	switch kind {
	case OrdinaryEvents:
		return w.appendNode(node, buf)
	case OwnEvents:
		return w.appendOwn(node, buf)
	case DatagramEvents:
		return w.appendDatagrams(node, buf)
	case CrashEvents, HaltEvents:
		if w.LeadsGroup(node) {
			buf = w.AppendFailure(kind, node, buf)
		}
	default:
		strike := kind.eventKind()
		buf = w.Inboxes.AppendEvents(strike, strike.Consumed(), node, w.Vector[w.Layout.Inboxes+int(node)], buf)
	}
	return buf
}

// AppendFailure appends the crash or the halt of a node.
func (w *World) AppendFailure(kind EventList, node sim.NodeID, buf []netmodel.Event) []netmodel.Event {
	switch {
	case w.UpNodes>>node&1 == 0:
	case kind == CrashEvents && w.Failures.MayCrash(int(node)):
		buf = append(buf, netmodel.Event{Kind: eventkind.Crash, Node: node, Peer: -1})
	case kind == HaltEvents && w.Failures.MayHalt(int(node)):
		buf = append(buf, netmodel.Event{Kind: eventkind.Halt, Node: node, Peer: -1})
	}
	return buf
}

// LeadsGroup reports whether crashes of a process are listed for this node: the first of its nodes that are up.
func (w *World) LeadsGroup(node sim.NodeID) bool {
	for _, mate := range w.Failures.GroupOf(node) {
		if mate < node && w.UpNodes>>mate&1 == 1 {
			return false
		}
	}
	return true
}

// connChanged updates the sets of peers for a connection.
func (w *World) connChanged(low, high sim.NodeID, id uint32) {
	severed := w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]].Severed[low] >> high & 1
	can := w.Conns.Lines.At(id).Can[severed]
	set(&w.Failing[low], high, can&store.CanFail != 0)
	set(&w.Ready[low], high, can&store.CanReady != 0)
	set(&w.Deliverable[low], high, can&store.CanDeliver != 0)
	if !w.bare {
		w.enabled.Mark(int(low))
		w.enabled.Mark(int(high))
	}
	if low == high {
		return
	}
	set(&w.Failing[high], low, can&(store.CanFail<<1) != 0)
	set(&w.Ready[high], low, can&(store.CanReady<<1) != 0)
	set(&w.Deliverable[high], low, can&(store.CanDeliver<<1) != 0)
	set(&w.Established[low], high, can&store.CanBreak != 0)
}

func set(s *uint64, id sim.NodeID, in bool) {
	if in {
		*s |= 1 << id
	} else {
		*s &^= 1 << id
	}
}

// refreshConns updates the sets of peers for all connections.
func (w *World) refreshConns() {
	if l := &w.Layout; l.PairCount > 0 {
		w.ConnectAll(w.Vector[l.Conns:l.Monitors], w.Vector[l.NetGlobals])
	}
}

// ConnectAll computes the sets of peers from connections.
func (w *World) ConnectAll(conns []uint32, id uint32) {
	clear(w.peers)
	severed := w.NetGlobals.List[id].Severed
	pair := 0
	for high := range w.Nodes {
		for low, id := range conns[pair : pair+high+1] {
			if id <= store.EmptySelf {
				continue
			}
			can := uint64(w.Conns.Lines.At(id).Can[severed[low]>>high&1])
			w.Failing[low] |= can / store.CanFail & 1 << high
			w.Failing[high] |= can / store.CanFail >> 1 & 1 << low
			w.Ready[low] |= can / store.CanReady & 1 << high
			w.Ready[high] |= can / store.CanReady >> 1 & 1 << low
			w.Deliverable[low] |= can / store.CanDeliver & 1 << high
			w.Deliverable[high] |= can / store.CanDeliver >> 1 & 1 << low
			w.Established[low] |= can / store.CanBreak & 1 << high
		}
		pair += high + 1
	}
}

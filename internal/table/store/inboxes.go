package store

import (
	"encoding/binary"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// inboxes interns inboxes of datagrams, independent of the receiver. Number 0 is the empty inbox.
type inboxes struct {
	e     *Tables
	List  []inbox
	items int // total number of items
	ids   map[string]uint32
	sends Memo // inbox, sender and message -> inbox, or Overrun
	keeps Memo // inbox, receiver and message -> inbox

	HoldsOutgoing bool // messages wait in the sender's inbox first
	Bounded       bool // a send may overflow an inbox
}

// Overrun stands for an inbox without room for a message. Sending it is a finding.
const Overrun = ^uint32(0)

// inbox is a multiset of datagrams. Its other fields are caches.
type inbox struct {
	Items        []InboxItem            // in the order of the network model, in which equal datagrams are adjacent
	without      []uint32               // by position: the inbox without one of these, plus one
	struck       []uint32               // by fault and position: the inbox after the fault has struck one of these, plus one; nil: all unknown
	afterFailure [2]uint32              // the inbox after a crash and after a halt of its node, plus one; 0: unknown
	Held         bool                   // the node must send something before anything else
	hashes       []encoding.Fingerprint // by node; zero: unknown
}

// inboxItemSize is the approximate memory of an item with its caches.
const inboxItemSize = 40

// InboxItem is one datagram of an inbox.
type InboxItem struct {
	From sim.NodeID // see [netmodel.Datagram]
	Msg  uint32     // index in Tables.Contents
	Same bool       // equal to the one before, or delivered only after it
}

func (b *inboxes) init(e *Tables) {
	b.e, b.ids = e, map[string]uint32{}
	if q, ok := e.Net.(netmodel.Queued); ok {
		b.HoldsOutgoing, b.Bounded = q.Queues()
	}
	b.intern(nil)
}

func (b *inboxes) intern(content []netmodel.Datagram) uint32 {
	var key []byte
	for i := range content {
		key = binary.AppendUvarint(key, uint64(content[i].From))
		key = binary.AppendUvarint(key, uint64(content[i].Msg.ID))
	}
	if id, ok := b.ids[string(key)]; ok {
		return id
	}
	id := uint32(len(b.List))
	n := inbox{without: make([]uint32, len(content)), hashes: make([]encoding.Fingerprint, b.e.Nodes)}
	for i := range content {
		it := InboxItem{From: content[i].From, Msg: idOf(&content[i].Msg)}
		it.Same = content[i].Behind
		n.Items = append(n.Items, it)
	}
	n.Held = len(content) > 0 && content[0].From < 0
	b.ids[string(key)] = id
	b.List = append(b.List, n)
	b.items += len(content)
	return id
}

// Content is the inverse of intern.
func (b *inboxes) Content(id uint32) []netmodel.Datagram {
	items := b.List[id].Items
	content := make([]netmodel.Datagram, len(items))
	for i, it := range items {
		content[i] = netmodel.Datagram{From: it.From, Msg: b.e.Contents.List[it.Msg]}
	}
	return content
}

// work puts an inbox into the network model, as that of node 0, calls f, and returns the inbox after it.
func (b *inboxes) work(id uint32, f func(net netmodel.Parted)) uint32 {
	net := b.e.Net
	net.Reset()
	b.e.Bench.SetUp(0, true)
	net.SetBag(0, b.Content(id))
	f(net)
	return b.intern(net.Bag(0))
}

// AfterSend returns the inbox after from sent a message, or Overrun. The receiver is up and the link is not cut.
func (b *inboxes) AfterSend(id uint32, from sim.NodeID, msg uint32) uint32 {
	key := uint64(id)<<32 | uint64(msg)*uint64(b.e.Nodes) + uint64(from)
	if next, ok := b.sends.Get(key); ok {
		return uint32(next)
	}
	next := uint32(Overrun)
	_ = b.e.Bench.Contain(from, func() { next = b.work(id, func(net netmodel.Parted) { net.Arrive(from, 0, b.e.Contents.List[msg]) }) })
	b.sends.Put(key, uint64(next))
	return next
}

// WithOutgoing returns the inbox of a node with one more outgoing message.
func (b *inboxes) WithOutgoing(id uint32, to sim.NodeID, msg uint32) uint32 {
	key := uint64(id)<<32 | uint64(msg)*uint64(b.e.Nodes) + uint64(to)
	if next, ok := b.keeps.Get(key); ok {
		return uint32(next)
	}
	next := b.work(id, func(net netmodel.Parted) { net.SendDatagram(0, to, b.e.Contents.List[msg]) })
	b.keeps.Put(key, uint64(next))
	return next
}

// AfterFailure returns the inbox of a node after its failure.
func (b *inboxes) AfterFailure(id, how uint32) uint32 {
	if b.List[id].afterFailure[how] == 0 {
		next := b.work(id, func(netmodel.Parted) { b.e.FailNode(0, how) })
		b.List[id].afterFailure[how] = next + 1
	}
	return b.List[id].afterFailure[how] - 1
}

// Without returns the inbox without one message at a position.
func (b *inboxes) Without(id uint32, place int32) uint32 {
	if next := b.List[id].without[place]; next != 0 {
		return next - 1
	}
	next := b.work(id, func(net netmodel.Parted) { net.Take(b.event(eventkind.Deliver, id, place)) })
	b.List[id].without[place] = next + 1
	return next
}

// Struck returns the inbox after a fault of a kind has struck the message at a position.
func (b *inboxes) Struck(id uint32, kind eventkind.Kind, place int32) uint32 {
	n := &b.List[id]
	if n.struck == nil {
		n.struck = make([]uint32, int(eventkind.Break-eventkind.Lose)*len(n.Items))
	}
	at := int(kind-eventkind.Lose)*len(n.Items) + int(place)
	if next := n.struck[at]; next != 0 {
		return next - 1
	}
	next := b.work(id, func(net netmodel.Parted) { net.Inject(b.event(kind, id, place)) })
	b.List[id].struck[at] = next + 1
	return next
}

// event returns an event at a message in the inbox of node 0.
func (b *inboxes) event(kind eventkind.Kind, id uint32, place int32) netmodel.Event {
	return netmodel.Event{Kind: kind, Peer: b.List[id].Items[place].From, Slot: place, Msgs: kind.Consumed()}
}

// AppendEvents appends an event for each set of equal datagrams.
func (b *inboxes) AppendEvents(kind eventkind.Kind, msgs int32, node sim.NodeID, id uint32, buf []netmodel.Event) []netmodel.Event {
	items := b.List[id].Items
	for i := range items {
		if it := &items[i]; !it.Same {
			buf = append(buf, netmodel.Event{Kind: kind, Node: node, Peer: it.From, Slot: int32(i), Msgs: msgs})
		}
	}
	return buf
}

// Hash returns the share of a node's inbox in the fingerprint.
func (b *inboxes) Hash(id uint32, node int) encoding.Fingerprint {
	if id == 0 {
		return encoding.Fingerprint{}
	}
	h := &b.List[id].hashes[node]
	if *h == (encoding.Fingerprint{}) {
		*h = b.e.shareOf(func(net netmodel.Parted) { net.SetBag(sim.NodeID(node), b.Content(id)) })
	}
	return *h
}

// shareOf returns the share in the network's fingerprint of a part, which set puts into the network.
func (e *Tables) shareOf(set func(netmodel.Parted)) encoding.Fingerprint {
	e.Net.Reset()
	empty := e.Net.Fingerprint()
	set(e.Net)
	return e.Net.Fingerprint().Sub(empty)
}

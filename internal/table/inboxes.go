package table

import (
	"encoding/binary"

	"github.com/macemc/macemc/sim"
)

// inboxes interns the inboxes of datagrams, whoever they are for. Number 0 is the empty one.
type inboxes struct {
	e     *tables
	list  []inbox
	items int // of all
	ids   map[string]uint32
	sends memo // inbox, sender and message -> inbox, or overrun
	keeps memo // inbox, receiver and message -> inbox

	holds   bool // what nodes send waits in their own inboxes
	bounded bool // what is sent may be overrun
}

// overrun stands for an inbox that a message does not fit into: to send it is a finding.
const overrun = ^uint32(0)

type inbox struct {
	items   []inboxItem
	without []uint32          // by place: the inbox without one of these, plus one
	doubled []uint32          // by place: the inbox with one more of these, plus one
	fell    [2]uint32         // the inbox once its node has crashed, and once it has halted, plus one; 0: not known
	held    bool              // the node has something to send before it can do anything else
	hashes  []sim.Fingerprint // by node; zero: not known
}

// inboxItemSize is about the memory of one, with what is kept for its place.
const inboxItemSize = 40

type inboxItem struct {
	from sim.NodeID // see [sim.Datagram]
	msg  uint32
	same bool // as the one before, or to be delivered after it
}

func (b *inboxes) init(e *tables) {
	b.e, b.ids = e, map[string]uint32{}
	if q, ok := e.net.(sim.Queued); ok {
		b.holds, b.bounded = q.Queues()
	}
	b.intern(nil)
}

func (b *inboxes) intern(content []sim.Datagram) uint32 {
	var key []byte
	for i := range content {
		key = binary.AppendUvarint(key, uint64(content[i].From))
		key = binary.AppendUvarint(key, uint64(content[i].Msg.ID))
	}
	if id, ok := b.ids[string(key)]; ok {
		return id
	}
	id := uint32(len(b.list))
	n := inbox{without: make([]uint32, len(content)), doubled: make([]uint32, len(content)), hashes: make([]sim.Fingerprint, b.e.nodes)}
	for i := range content {
		it := inboxItem{from: content[i].From, msg: idOf(&content[i].Msg)}
		it.same = content[i].Behind
		n.items = append(n.items, it)
	}
	n.held = len(content) > 0 && content[0].From < 0
	b.ids[string(key)] = id
	b.list = append(b.list, n)
	b.items += len(content)
	return id
}

// content is the inverse of intern.
func (b *inboxes) content(id uint32) []sim.Datagram {
	items := b.list[id].items
	content := make([]sim.Datagram, len(items))
	for i, it := range items {
		content[i] = sim.Datagram{From: it.from, Msg: b.e.messages.list[it.msg]}
	}
	return content
}

// work makes the network model hold one inbox, of node 0, lets f change it, and returns what it is then.
func (b *inboxes) work(id uint32, f func(net sim.Parted)) uint32 {
	net := b.e.net
	net.Reset()
	b.e.bench.SetUp(0, true)
	net.SetBag(0, b.content(id))
	f(net)
	return b.intern(net.Bag(0))
}

// sent returns the inbox with one more message, sent by from to a node that is up over a link that is not
// cut, or overrun.
func (b *inboxes) sent(id uint32, from sim.NodeID, msg uint32) uint32 {
	key := uint64(id)<<32 | uint64(msg)*uint64(b.e.nodes) + uint64(from)
	if next, ok := b.sends.get(key); ok {
		return uint32(next)
	}
	next := uint32(overrun)
	_ = b.e.bench.Contain(from, func() { next = b.work(id, func(net sim.Parted) { net.Arrive(from, 0, b.e.messages.list[msg]) }) })
	b.sends.put(key, uint64(next))
	return next
}

// kept returns the inbox of a node with one more message that it has yet to send.
func (b *inboxes) kept(id uint32, to sim.NodeID, msg uint32) uint32 {
	key := uint64(id)<<32 | uint64(msg)*uint64(b.e.nodes) + uint64(to)
	if next, ok := b.keeps.get(key); ok {
		return uint32(next)
	}
	next := b.work(id, func(net sim.Parted) { net.SendDatagram(0, to, b.e.messages.list[msg]) })
	b.keeps.put(key, uint64(next))
	return next
}

// fallen returns the inbox of a node that has fallen.
func (b *inboxes) fallen(id, how uint32) uint32 {
	if b.list[id].fell[how] == 0 {
		next := b.work(id, func(sim.Parted) { b.e.fail(0, how) })
		b.list[id].fell[how] = next + 1
	}
	return b.list[id].fell[how] - 1
}

// taken returns the inbox without one of the messages at a place.
func (b *inboxes) taken(id uint32, place int32) uint32 {
	if next := b.list[id].without[place]; next != 0 {
		return next - 1
	}
	next := b.work(id, func(net sim.Parted) { net.Take(b.event(sim.Deliver, 1, id, place, 0)) })
	b.list[id].without[place] = next + 1
	return next
}

// duplicated returns the inbox with one more of the messages at a place.
func (b *inboxes) duplicated(id uint32, place int32) uint32 {
	if next := b.list[id].doubled[place]; next != 0 {
		return next - 1
	}
	next := b.work(id, func(net sim.Parted) { net.Inject(b.event(sim.Duplicate, 0, id, place, 0)) })
	b.list[id].doubled[place] = next + 1
	return next
}

func (b *inboxes) event(kind sim.EventKind, msgs int32, id uint32, place int32, node sim.NodeID) sim.Event {
	return sim.Event{Kind: kind, Node: node, Peer: b.list[id].items[place].from, Slot: place, Msgs: msgs}
}

// appendEvents appends an event for each set of equal datagrams.
func (b *inboxes) appendEvents(kind sim.EventKind, msgs int32, node sim.NodeID, id uint32, buf []sim.Event) []sim.Event {
	items := b.list[id].items
	for i := range items {
		if it := &items[i]; !it.same {
			buf = append(buf, sim.Event{Kind: kind, Node: node, Peer: it.from, Slot: int32(i), Msgs: msgs})
		}
	}
	return buf
}

// hash is the share of a node's inbox in the fingerprint.
func (b *inboxes) hash(id uint32, node int) sim.Fingerprint {
	if id == 0 {
		return sim.Fingerprint{}
	}
	h := &b.list[id].hashes[node]
	if *h == (sim.Fingerprint{}) {
		*h = b.e.shareOf(func(net sim.Parted) { net.SetBag(sim.NodeID(node), b.content(id)) })
	}
	return *h
}

// shareOf returns the share in the network's fingerprint of the part that set puts into it.
func (e *tables) shareOf(set func(sim.Parted)) sim.Fingerprint {
	e.net.Reset()
	empty := e.net.Fingerprint()
	set(e.net)
	return e.net.Fingerprint().Sub(empty)
}

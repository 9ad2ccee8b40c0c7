package store

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

const (
	CanFail = 1 << iota // end 0 can get an error; the next bit is for end 1
	_
	CanReady
	_
	CanDeliver
	_
	CanBreak
)

func (c *conns) init(e *Tables) {
	c.e, c.Slot = e, -1
	if e.Layout.PairCount == 0 {
		return
	}
	c.Queues.Init()
	c.MostShaped = MostShaped
	c.recentOps = make([]recentOp, 1<<recentOpsBits)
	c.hashes = make([][]encoding.Fingerprint, e.Layout.PairCount)
	if e.Nodes > 1 {
		c.intern(conn{})
	} else {
		c.List.Add(conn{}) // so that equal connections get equal numbers
		c.Lines.Add(connLine{})
	}
	c.intern(conn{Self: true})
}

func (c *conns) intern(n conn) uint32 {
	id, known := c.find(n)
	if known {
		return id
	}
	line := connLine{Can: c.sight(id, &n)}
	for i, q := range n.queues {
		line.queued[i] = uint8(min(manyQueued, len(c.Queues.Of(q))))
	}
	c.Lines.Add(line)
	return id
}

// sight returns the enabled events of a connection.
func (c *conns) sight(id uint32, n *conn) (can [2]uint8) {
	shape, shaped := c.shape(n)
	if can, ok := c.sights.Get(shape); shaped && ok {
		return can
	}
	can[0] = c.Look(c.Content(id), n.Self, false)
	if c.e.Sys.Limits()[sim.Partitions] > 0 {
		can[1] = c.Look(c.Content(id), n.Self, true)
	}
	if shaped {
		c.sights.Put(shape, can)
	}
	return can
}

// Content converts the connection for the network model. The result is valid until the next call.
func (c *conns) Content(id uint32) netmodel.Connection {
	for i := range c.buf {
		end := &c.buf[i]
		end.Flags, end.Queue = c.List.At(id).Flags[i], end.Queue[:0]
		for _, msg := range c.Queue(id, i) {
			end.Queue = append(end.Queue, c.e.Contents.List[msg])
		}
	}
	return c.buf
}

// ends returns the nodes of the network model that stand for the two ends of a connection.
func ends(self bool) [2]sim.NodeID {
	if self {
		return [2]sim.NodeID{0, 0}
	}
	return [2]sim.NodeID{0, 1}
}

// Look returns the enabled events of a connection, computed by the network model.
func (c *conns) Look(state netmodel.Connection, self, cut bool) (can uint8) {
	net, at := c.e.Net, ends(self)
	net.Reset()
	rest := netmodel.Rest{Left: sim.Limits{sim.NetErrors: 1}}
	if cut && !self {
		rest.Cut, rest.Node, rest.Peer = true, at[0], at[1]
	}
	net.SetRest(rest)
	c.e.Bench.SetUp(at[0], true)
	c.e.Bench.SetUp(at[1], true)
	net.SetConnection(at[0], at[1], state)
	sides := 2
	if self {
		sides = 1
	}
	for i := range sides {
		c.asked = net.AppendEvents(at[i], c.asked[:0])
		for _, ev := range c.asked {
			if ev.Slot != c.Slot {
				panic("table: streams have events with slots")
			}
			switch ev.Kind {
			case eventkind.DeliverError:
				can |= CanFail << i
			case eventkind.DeliverReady:
				can |= CanReady << i
			case eventkind.Deliver:
				can |= CanDeliver << i
			}
		}
	}
	c.asked = net.AppendInjections(c.asked[:0])
	for _, ev := range c.asked {
		if ev.Kind == eventkind.Break && !self {
			can |= CanBreak
		}
	}
	return can
}

// Codes of the errors of a connection.
const (
	wasReset = iota + 1
	wasRefused
)

// Apply returns the connection after an operation. Its line then has what the operation delivers.
func (c *conns) Apply(id, code uint32, up bool) (next uint32) {
	if up {
		code++
	}
	known := &c.Lines.At(id).Known
	k := &known[uint64(code*0x9E3779B9)*uint64(len(known))>>32]
	if k.Code == code {
		return k.Next
	}
	key := uint64(id)<<32 | uint64(code)
	at := &c.recentOps[key*0x9E3779B97F4A7C15>>(64-recentOpsBits)]
	if at.key == key {
		return at.next
	}
	if next = c.work(id, code); k.Code == 0 {
		*k = connStep{code, next}
	} else {
		*at = recentOp{key, next}
	}
	return next
}

// Queued returns the length of an end's queue.
func (c *conns) Queued(id uint32, side int) int {
	if n := c.Lines.At(id).queued[side]; n < manyQueued {
		return int(n)
	}
	return len(c.Queue(id, side))
}

// work computes an operation on a connection, and stores what it delivers in its line.
func (c *conns) work(id, code uint32) (next uint32) {
	before := *c.List.At(id)
	after, h := c.after(id, &before, code)
	line := c.Lines.At(id)
	switch op, side, _, _ := Coded(code); op {
	case OpTake:
		line.First[side] = h.Msg + 1
	case OpError:
		line.Errs[side][code&1] = h.Err
	}
	return c.intern(after)
}

// after returns the connection after an operation, and what the operation delivers.
func (c *conns) after(id uint32, before *conn, code uint32) (after conn, h delivered) {
	shape, shaped := c.shape(before)
	if !shaped {
		return c.Ask(id, before, code)
	}
	key := effectKey(shape, code)
	known, ok := c.Effects.Get(key)
	if ok && !known.due() {
		return c.do(&known.connEffect, before, code)
	}
	after, h = c.Ask(id, before, code)
	d, allowed := c.observe(before, &after, code, h)
	if !allowed || ok && d != known.connEffect {
		panic(fmt.Sprintf("table: %T changes connections against the contract of netmodel.Parted", c.e.Net))
	}
	if !ok {
		c.Effects.Put(key, &knownEffect{connEffect: d})
	}
	return after, h
}

// Ask executes an operation in the network model, on that one connection.
func (c *conns) Ask(id uint32, before *conn, code uint32) (after conn, h delivered) {
	op, side, up, msg := Coded(code)
	net, at := c.e.Net, ends(before.Self)
	node, peer := at[side], at[1-side]
	net.Reset()
	c.e.Bench.SetUp(peer, up)
	c.e.Bench.SetUp(node, true)
	net.SetConnection(at[0], at[1], c.Content(id))
	ev := netmodel.Event{Node: node, Peer: peer, Slot: c.Slot}
	switch op {
	case OpSend:
		net.SendStream(node, peer, c.e.Contents.List[msg])
	case OpRefuse:
		net.RefuseStream(node, peer)
	case OpClose:
		net.CloseStream(node, peer)
	case OpTake:
		ev.Kind, ev.Msgs = eventkind.Deliver, 1
		d := net.Take(ev)
		h.Msg = idOf(&d.Msg)
	case OpReady:
		ev.Kind = eventkind.DeliverReady
		net.Take(ev)
	case OpError:
		ev.Kind = eventkind.DeliverError
		if h.Err = wasReset; net.Take(ev).Err == sim.ErrRefused {
			h.Err = wasRefused
		}
	case OpBreak:
		ev.Kind, ev.Node, ev.Peer = eventkind.Break, at[0], at[1]
		net.Inject(ev)
	case OpCrash:
		c.e.FailNode(node, msg)
	}
	shown := net.Connection(at[0], at[1])
	return c.made(&shown, before.Self), h
}

// Received returns the connection after the delivery of an event to one of its ends, the class of the event, and
// its message, if any.
func (e *Tables) Received(id uint32, kind eventkind.Kind, side int, up bool) (next uint32, class int, msg uint32) {
	switch kind {
	case eventkind.Deliver:
		next = e.Conns.Apply(id, ConnCode(OpTake, side, 0), up)
		return next, DeliverEvent, e.Conns.Lines.At(id).First[side] - 1
	case eventkind.DeliverReady:
		return e.Conns.Apply(id, ConnCode(OpReady, side, 0), up), ReadyEvent, 0
	}
	code := ConnCode(OpError, side, 0)
	next = e.Conns.Apply(id, code, up)
	if up {
		code++
	}
	if e.Conns.Lines.At(id).Errs[side][code&1] == wasRefused {
		return next, RefusedEvent, 0
	}
	return next, ResetEvent, 0
}

// listedHashes is the number of connections with hashes listed by pair. Few of the others ever join the same nodes.
const listedHashes = 1 << 12

// Hash returns the share of a pair's connection in the fingerprint.
func (c *conns) Hash(id uint32, pair int) encoding.Fingerprint {
	if id <= EmptySelf {
		return encoding.Fingerprint{}
	}
	if hashes := c.hashes[pair]; int(id) < len(hashes) && hashes[id] != (encoding.Fingerprint{}) {
		return hashes[id]
	}
	key := uint64(pair)<<32 | uint64(id)
	if id >= listedHashes {
		if h, ok := c.others.Get(key); ok {
			return h
		}
	}
	low, high := c.e.PairAt(pair)
	h := c.e.shareOf(func(net netmodel.Parted) { net.SetConnection(low, high, c.Content(id)) })
	if id >= listedHashes {
		c.others.Put(key, h)
		return h
	}
	if more := int(id) + 1 - len(c.hashes[pair]); more > 0 {
		c.hashes[pair] = append(c.hashes[pair], make([]encoding.Fingerprint, more)...)
	}
	c.hashes[pair][id] = h
	return h
}

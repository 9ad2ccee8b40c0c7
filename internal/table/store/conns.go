package store

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// conns interns connections, whoever they join. The connection of a node with itself counts apart,
// since there both ends are one. Numbers 0 and 1 are those of which nothing is known: between two
// nodes, and of a node with itself.
type conns struct {
	e     *Tables
	List  Pages[conn]
	Lines Pages[connLine]
	kinds Memo   // by all but queues: a place in index
	index []Memo // by queues: the connection
	Slot  int32  // of events of streams

	Queues  Queues
	Effects MemoOf[*knownEffect] // by shape and operation
	sights  MemoOf[[2]uint8]     // what can happen, by shape, see connLine

	MostShaped uint64 // for tests; see mostShaped

	lately []connLately // by hash

	buf   sim.Connection // scratch
	asked []sim.Event
	msgs  []uint32

	hashes [][]sim.Fingerprint     // by pair and connection, of the first of these; zero: not known
	others MemoOf[sim.Fingerprint] // of all others
}

// connLine is what is asked for most of a connection. It is as long as a line of the processor's memory.
type connLine struct {
	Can    [2]uint8    // what can happen while the link is up, and while it is cut
	queued [2]uint8    // messages, up to manyQueued
	Errs   [2][2]uint8 // by the end that is told and the code of that, which error comes next; 0: not known
	First  [2]uint32   // by the end that gets it, the message that is delivered next, plus one; 0: not known
	Known  [6]connStep // by hash of their codes
}

// connLately is an operation that does not fit into the line of its connection, and was done lately. The zero value is none, as no code is 0.
type connLately struct {
	key  uint64 // connection and code
	next uint32
}

const latelyBits = 13

// connStep is what an operation does, by its code; 0: there is none.
type connStep struct{ Code, Next uint32 }

const manyQueued = 255

const (
	CanFail = 1 << iota // end 0 is told of an error; end 1 in the next bit
	_
	CanReady
	_
	CanDeliver
	_
	CanBreak
)

// ConnOp is an operation on a connection.
type ConnOp uint8

const (
	OpSend ConnOp = iota
	OpRefuse
	OpClose
	OpTake
	OpReady
	OpError
	OpBreak
	OpCrash
)

// How a node falls, the msg of an opCrash.
const (
	ByCrash = iota // it crashes
	ByHalt         // it halts
)

const (
	EmptyConn = iota
	EmptySelf
)

func (c *conns) init(e *Tables) {
	c.e, c.Slot = e, -1
	if e.Layout.PairCount == 0 {
		return
	}
	c.Queues.Init()
	c.MostShaped = MostShaped
	c.lately = make([]connLately, 1<<latelyBits)
	c.hashes = make([][]sim.Fingerprint, e.Layout.PairCount)
	if e.Nodes > 1 {
		c.intern(conn{})
	} else {
		c.List.Add(conn{}) // so that numbers are the same
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

// sight is what can happen on a connection.
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

// Content makes the connection for the network model. It is valid until the next call.
func (c *conns) Content(id uint32) sim.Connection {
	for i := range c.buf {
		end := &c.buf[i]
		end.Flags, end.Queue = c.List.At(id).Flags[i], end.Queue[:0]
		for _, msg := range c.Queue(id, i) {
			end.Queue = append(end.Queue, c.e.Contents.List[msg])
		}
	}
	return c.buf
}

// ends are the nodes between which connections are put into the network model, to be worked on.
func ends(self bool) [2]sim.NodeID {
	if self {
		return [2]sim.NodeID{0, 0}
	}
	return [2]sim.NodeID{0, 1}
}

// Look asks the network model what can happen on a connection.
func (c *conns) Look(state sim.Connection, self, cut bool) (can uint8) {
	net, at := c.e.Net, ends(self)
	net.Reset()
	rest := sim.NetRest{Left: sim.Limits{sim.NetErrors: 1}}
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
			case sim.DeliverError:
				can |= CanFail << i
			case sim.DeliverReady:
				can |= CanReady << i
			case sim.Deliver:
				can |= CanDeliver << i
			}
		}
	}
	c.asked = net.AppendInjections(c.asked[:0])
	for _, ev := range c.asked {
		if ev.Kind == sim.Break && !self {
			can |= CanBreak
		}
	}
	return can
}

// Errors that a connection tells of.
const (
	wasReset = iota + 1
	wasRefused
)

// ConnCode is an operation by one end of a connection while the node at the other end is down; plus one: while it is up.
func ConnCode(op ConnOp, side int, msg uint32) uint32 {
	return (msg<<5 | uint32(op)<<2 | uint32(side)<<1) + 1 // fits, see messages.most
}

func Coded(code uint32) (op ConnOp, side int, up bool, msg uint32) {
	code--
	return ConnOp(code >> 2 & 7), int(code >> 1 & 1), code&1 == 1, code >> 5
}

// Apply returns the connection after an operation. What one hands over is in its line from then on.
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
	at := &c.lately[key*0x9E3779B97F4A7C15>>(64-latelyBits)]
	if at.key == key {
		return at.next
	}
	if next = c.work(id, code); k.Code == 0 {
		*k = connStep{code, next}
	} else {
		*at = connLately{key, next}
	}
	return next
}

// Queued is how many messages an end has queued.
func (c *conns) Queued(id uint32, side int) int {
	if n := c.Lines.At(id).queued[side]; n < manyQueued {
		return int(n)
	}
	return len(c.Queue(id, side))
}

// work does an operation on a connection, and notes in its line what that hands over.
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

// after is a connection after an operation, and what that hands over.
func (c *conns) after(id uint32, before *conn, code uint32) (after conn, h handed) {
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
		panic(fmt.Sprintf("table: %T does to connections what sim.Parted rules out", c.e.Net))
	}
	if !ok {
		c.Effects.Put(key, &knownEffect{connEffect: d})
	}
	return after, h
}

// Ask has the network model do an operation while it holds that one connection.
func (c *conns) Ask(id uint32, before *conn, code uint32) (after conn, h handed) {
	op, side, up, msg := Coded(code)
	net, at := c.e.Net, ends(before.Self)
	node, peer := at[side], at[1-side]
	net.Reset()
	c.e.Bench.SetUp(peer, up)
	c.e.Bench.SetUp(node, true)
	net.SetConnection(at[0], at[1], c.Content(id))
	ev := sim.Event{Node: node, Peer: peer, Slot: c.Slot}
	switch op {
	case OpSend:
		net.SendStream(node, peer, c.e.Contents.List[msg])
	case OpRefuse:
		net.RefuseStream(node, peer)
	case OpClose:
		net.CloseStream(node, peer)
	case OpTake:
		ev.Kind, ev.Msgs = sim.Deliver, 1
		d := net.Take(ev)
		h.Msg = idOf(&d.Msg)
	case OpReady:
		ev.Kind = sim.DeliverReady
		net.Take(ev)
	case OpError:
		ev.Kind = sim.DeliverError
		if h.Err = wasReset; net.Take(ev).Err == sim.ErrRefused {
			h.Err = wasRefused
		}
	case OpBreak:
		ev.Kind, ev.Node, ev.Peer = sim.Break, at[0], at[1]
		net.Inject(ev)
	case OpCrash:
		c.e.FailNode(node, msg)
	}
	shown := net.Connection(at[0], at[1])
	return c.made(&shown, before.Self), h
}

// Received returns the connection once it has handed over to one of its ends what an event is about, the class of the
// event, and the message if it delivers one.
func (e *Tables) Received(id uint32, kind sim.EventKind, side int, up bool) (next uint32, class int, msg uint32) {
	switch kind {
	case sim.Deliver:
		next = e.Conns.Apply(id, ConnCode(OpTake, side, 0), up)
		return next, DeliverEvent, e.Conns.Lines.At(id).First[side] - 1
	case sim.DeliverReady:
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

// listedHashes is of how many connections hashes are listed by pair. Where there are more, few of them are ever between the same nodes.
const listedHashes = 1 << 12

// Hash is the share of a pair's connection in the fingerprint.
func (c *conns) Hash(id uint32, pair int) sim.Fingerprint {
	if id <= EmptySelf {
		return sim.Fingerprint{}
	}
	if hashes := c.hashes[pair]; int(id) < len(hashes) && hashes[id] != (sim.Fingerprint{}) {
		return hashes[id]
	}
	key := uint64(pair)<<32 | uint64(id)
	if id >= listedHashes {
		if h, ok := c.others.Get(key); ok {
			return h
		}
	}
	low, high := c.e.PairAt(pair)
	h := c.e.shareOf(func(net sim.Parted) { net.SetConnection(low, high, c.Content(id)) })
	if id >= listedHashes {
		c.others.Put(key, h)
		return h
	}
	if more := int(id) + 1 - len(c.hashes[pair]); more > 0 {
		c.hashes[pair] = append(c.hashes[pair], make([]sim.Fingerprint, more)...)
	}
	c.hashes[pair][id] = h
	return h
}

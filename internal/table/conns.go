package table

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// conns interns connections, whoever they join. The connection of a node with itself counts apart,
// since there both ends are one. Numbers 0 and 1 are those of which nothing is known: between two
// nodes, and of a node with itself.
type conns struct {
	e     *tables
	list  pages[conn]
	lines pages[connLine]
	kinds memo   // by all but queues: a place in index
	index []memo // by queues: the connection
	slot  int32  // of events of streams

	queues  queues
	effects memoOf[*knownEffect] // by shape and operation
	sights  memoOf[[2]uint8]     // what can happen, by shape, see connLine

	mostShaped uint64 // for tests; see mostShaped

	lately []connLately // by hash

	buf   sim.Connection // scratch
	asked []sim.Event
	msgs  []uint32

	hashes [][]sim.Fingerprint     // by pair and connection, of the first of these; zero: not known
	others memoOf[sim.Fingerprint] // of all others
}

// connLine is what is asked for most of a connection. It is as long as a line of the processor's memory.
type connLine struct {
	can    [2]uint8    // what can happen while the link is up, and while it is cut
	queued [2]uint8    // messages, up to manyQueued
	errs   [2][2]uint8 // by the end that is told and the code of that, which error comes next; 0: not known
	first  [2]uint32   // by the end that gets it, the message that is delivered next, plus one; 0: not known
	known  [6]connStep // by hash of their codes
}

// connLately is an operation that does not fit into the line of its connection, and was done lately. The zero value is none, as no code is 0.
type connLately struct {
	key  uint64 // connection and code
	next uint32
}

const latelyBits = 13

// connStep is what an operation does, by its code; 0: there is none.
type connStep struct{ code, next uint32 }

const manyQueued = 255

const (
	canFail = 1 << iota // end 0 is told of an error; end 1 in the next bit
	_
	canReady
	_
	canDeliver
	_
	canBreak
)

// connOp is an operation on a connection.
type connOp uint8

const (
	opSend connOp = iota
	opRefuse
	opClose
	opTake
	opReady
	opError
	opBreak
	opCrash
)

// How a node falls, the msg of an opCrash.
const (
	forNow  = iota // it crashes
	forEver        // it halts
)

const (
	emptyConn = iota
	emptySelf
)

func (c *conns) init(e *tables) {
	c.e, c.slot = e, -1
	if e.layout.pairCount == 0 {
		return
	}
	c.queues.init()
	c.mostShaped = mostShaped
	c.lately = make([]connLately, 1<<latelyBits)
	c.hashes = make([][]sim.Fingerprint, e.layout.pairCount)
	if e.nodes > 1 {
		c.intern(conn{})
	} else {
		c.list.add(conn{}) // so that numbers are the same
		c.lines.add(connLine{})
	}
	c.intern(conn{self: true})
}

func (c *conns) intern(n conn) uint32 {
	id, known := c.find(n)
	if known {
		return id
	}
	line := connLine{can: c.sight(id, &n)}
	for i, q := range n.queues {
		line.queued[i] = uint8(min(manyQueued, len(c.queues.of(q))))
	}
	c.lines.add(line)
	return id
}

// sight is what can happen on a connection.
func (c *conns) sight(id uint32, n *conn) (can [2]uint8) {
	shape, shaped := c.shape(n)
	if can, ok := c.sights.get(shape); shaped && ok {
		return can
	}
	can[0] = c.look(c.content(id), n.self, false)
	if c.e.sys.Limits()[sim.Partitions] > 0 {
		can[1] = c.look(c.content(id), n.self, true)
	}
	if shaped {
		c.sights.put(shape, can)
	}
	return can
}

// content makes the connection for the network model. It is valid until the next call.
func (c *conns) content(id uint32) sim.Connection {
	for i := range c.buf {
		end := &c.buf[i]
		end.Flags, end.Queue = c.list.at(id).flags[i], end.Queue[:0]
		for _, msg := range c.queue(id, i) {
			end.Queue = append(end.Queue, c.e.messages.list[msg])
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

// look asks the network model what can happen on a connection.
func (c *conns) look(state sim.Connection, self, cut bool) (can uint8) {
	net, at := c.e.net, ends(self)
	net.Reset()
	rest := sim.NetRest{Left: sim.Limits{sim.NetErrors: 1}}
	if cut && !self {
		rest.Cut, rest.Node, rest.Peer = true, at[0], at[1]
	}
	net.SetRest(rest)
	c.e.bench.SetUp(at[0], true)
	c.e.bench.SetUp(at[1], true)
	net.SetConnection(at[0], at[1], state)
	sides := 2
	if self {
		sides = 1
	}
	for i := range sides {
		c.asked = net.AppendEvents(at[i], c.asked[:0])
		for _, ev := range c.asked {
			if ev.Slot != c.slot {
				panic("table: streams have events with slots")
			}
			switch ev.Kind {
			case sim.DeliverError:
				can |= canFail << i
			case sim.DeliverReady:
				can |= canReady << i
			case sim.Deliver:
				can |= canDeliver << i
			}
		}
	}
	c.asked = net.AppendInjections(c.asked[:0])
	for _, ev := range c.asked {
		if ev.Kind == sim.Break && !self {
			can |= canBreak
		}
	}
	return can
}

// Errors that a connection tells of.
const (
	wasReset = iota + 1
	wasRefused
)

// connCode is an operation by one end of a connection while the node at the other end is down; plus one: while it is up.
func connCode(op connOp, side int, msg uint32) uint32 {
	return (msg<<5 | uint32(op)<<2 | uint32(side)<<1) + 1 // fits, see messages.most
}

func coded(code uint32) (op connOp, side int, up bool, msg uint32) {
	code--
	return connOp(code >> 2 & 7), int(code >> 1 & 1), code&1 == 1, code >> 5
}

// apply returns the connection after an operation. What one hands over is in its line from then on.
func (c *conns) apply(id, code uint32, up bool) (next uint32) {
	if up {
		code++
	}
	known := &c.lines.at(id).known
	k := &known[uint64(code*0x9E3779B9)*uint64(len(known))>>32]
	if k.code == code {
		return k.next
	}
	key := uint64(id)<<32 | uint64(code)
	at := &c.lately[key*0x9E3779B97F4A7C15>>(64-latelyBits)]
	if at.key == key {
		return at.next
	}
	if next = c.work(id, code); k.code == 0 {
		*k = connStep{code, next}
	} else {
		*at = connLately{key, next}
	}
	return next
}

// queued is how many messages an end has queued.
func (c *conns) queued(id uint32, side int) int {
	if n := c.lines.at(id).queued[side]; n < manyQueued {
		return int(n)
	}
	return len(c.queue(id, side))
}

// work does an operation on a connection, and notes in its line what that hands over.
func (c *conns) work(id, code uint32) (next uint32) {
	before := *c.list.at(id)
	after, h := c.after(id, &before, code)
	line := c.lines.at(id)
	switch op, side, _, _ := coded(code); op {
	case opTake:
		line.first[side] = h.msg + 1
	case opError:
		line.errs[side][code&1] = h.err
	}
	return c.intern(after)
}

// after is a connection after an operation, and what that hands over.
func (c *conns) after(id uint32, before *conn, code uint32) (after conn, h handed) {
	shape, shaped := c.shape(before)
	if !shaped {
		return c.ask(id, before, code)
	}
	key := effectKey(shape, code)
	known, ok := c.effects.get(key)
	if ok && !known.due() {
		return c.do(&known.connEffect, before, code)
	}
	after, h = c.ask(id, before, code)
	d, allowed := c.observe(before, &after, code, h)
	if !allowed || ok && d != known.connEffect {
		panic(fmt.Sprintf("table: %T does to connections what sim.Parted rules out", c.e.net))
	}
	if !ok {
		c.effects.put(key, &knownEffect{connEffect: d})
	}
	return after, h
}

// ask has the network model do an operation while it holds that one connection.
func (c *conns) ask(id uint32, before *conn, code uint32) (after conn, h handed) {
	op, side, up, msg := coded(code)
	net, at := c.e.net, ends(before.self)
	node, peer := at[side], at[1-side]
	net.Reset()
	c.e.bench.SetUp(peer, up)
	c.e.bench.SetUp(node, true)
	net.SetConnection(at[0], at[1], c.content(id))
	ev := sim.Event{Node: node, Peer: peer, Slot: c.slot}
	switch op {
	case opSend:
		net.SendStream(node, peer, c.e.messages.list[msg])
	case opRefuse:
		net.RefuseStream(node, peer)
	case opClose:
		net.CloseStream(node, peer)
	case opTake:
		ev.Kind, ev.Msgs = sim.Deliver, 1
		d := net.Take(ev)
		h.msg = idOf(&d.Msg)
	case opReady:
		ev.Kind = sim.DeliverReady
		net.Take(ev)
	case opError:
		ev.Kind = sim.DeliverError
		if h.err = wasReset; net.Take(ev).Err == sim.ErrRefused {
			h.err = wasRefused
		}
	case opBreak:
		ev.Kind, ev.Node, ev.Peer = sim.Break, at[0], at[1]
		net.Inject(ev)
	case opCrash:
		c.e.fail(node, msg)
	}
	shown := net.Connection(at[0], at[1])
	return c.made(&shown, before.self), h
}

// received returns the connection once it has handed over to one of its ends what an event is about, the class of the
// event, and the message if it delivers one.
func (e *tables) received(id uint32, kind sim.EventKind, side int, up bool) (next uint32, class int, msg uint32) {
	switch kind {
	case sim.Deliver:
		next = e.conns.apply(id, connCode(opTake, side, 0), up)
		return next, deliverEvent, e.conns.lines.at(id).first[side] - 1
	case sim.DeliverReady:
		return e.conns.apply(id, connCode(opReady, side, 0), up), readyEvent, 0
	}
	code := connCode(opError, side, 0)
	next = e.conns.apply(id, code, up)
	if up {
		code++
	}
	if e.conns.lines.at(id).errs[side][code&1] == wasRefused {
		return next, refusedEvent, 0
	}
	return next, resetEvent, 0
}

// listedHashes is of how many connections hashes are listed by pair. Where there are more, few of them are ever between the same nodes.
const listedHashes = 1 << 12

// hash is the share of a pair's connection in the fingerprint.
func (c *conns) hash(id uint32, pair int) sim.Fingerprint {
	if id <= emptySelf {
		return sim.Fingerprint{}
	}
	if hashes := c.hashes[pair]; int(id) < len(hashes) && hashes[id] != (sim.Fingerprint{}) {
		return hashes[id]
	}
	key := uint64(pair)<<32 | uint64(id)
	if id >= listedHashes {
		if h, ok := c.others.get(key); ok {
			return h
		}
	}
	low, high := c.e.pairAt(pair)
	h := c.e.shareOf(func(net sim.Parted) { net.SetConnection(low, high, c.content(id)) })
	if id >= listedHashes {
		c.others.put(key, h)
		return h
	}
	if more := int(id) + 1 - len(c.hashes[pair]); more > 0 {
		c.hashes[pair] = append(c.hashes[pair], make([]sim.Fingerprint, more)...)
	}
	c.hashes[pair][id] = h
	return h
}

package store

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/netmodel"
)

// conns interns connections, independent of the nodes that they join. The connection of a node with itself has separate
// numbers, since both ends are the same. Numbers 0 and 1 are connections in the initial state: between two nodes, and
// of a node with itself.
type conns struct {
	e     *Tables
	List  Pages[conn]
	Lines Pages[connLine] // by the same number as List
	kinds Memo            // by everything but the queues: an index of index
	index []Memo          // by queues: the connection
	Slot  int32           // netmodel.Event.Slot of stream events

	Queues  Queues
	Effects MemoOf[*knownEffect] // by shape and operation
	sights  MemoOf[[2]uint8]     // enabled events by shape, see connLine

	MostShaped uint64 // MostShaped by default; tests change it

	recentOps []recentOp // by hash

	buf   netmodel.Connection // scratch
	asked []netmodel.Event
	msgs  []uint32

	hashes [][]encoding.Fingerprint     // by pair and connection, for low connection numbers; zero: unknown
	others MemoOf[encoding.Fingerprint] // hashes of all others
}

// connLine caches the most frequent queries about a connection, in the size of a cache line.
type connLine struct {
	Can    [2]uint8    // enabled events while the link is up, and while it is cut
	queued [2]uint8    // queue lengths, up to manyQueued
	Errs   [2][2]uint8 // by receiving end and its code, the next error; 0: unknown
	First  [2]uint32   // by receiving end, the next message, plus one; 0: unknown
	Known  [6]connStep // by hash of their codes
}

// recentOp is a recent operation that does not fit into the line of its connection. The zero value is empty,
// since no code is 0.
type recentOp struct {
	key  uint64 // connection and code
	next uint32
}

const recentOpsBits = 13

// connStep is the result of an operation, by its code. 0 means none.
type connStep struct{ Code, Next uint32 }

const manyQueued = 255

const (
	EmptyConn = iota
	EmptySelf
)

// conn is the content of a connection. End 0 belongs to the node with the lower number.
type conn struct {
	queues [2]uint32 // by sending end
	Flags  [2]uint8  // of the network model
	Self   bool      // it joins a node with itself
}

// kind encodes everything but the queues, in 17 bits.
func (n *conn) kind() uint64 {
	kind := uint64(n.Flags[1])<<9 | uint64(n.Flags[0])<<1
	if n.Self {
		kind++
	}
	return kind
}

// Approximate memory of a connection, and of a hash that is not listed.
const (
	connSize = 160
	hashSize = 144
)

func (c *conns) bytes() int {
	return connSize*c.List.Len() + c.Queues.bytes() + hashSize*c.others.N
}

// Queue returns the message numbers in an end's queue.
func (c *conns) Queue(id uint32, side int) []uint32 { return c.Queues.Of(c.List.At(id).queues[side]) }

// made converts a connection of the network model.
func (c *conns) made(state *netmodel.Connection, self bool) conn {
	n := conn{Self: self}
	for i := range state {
		n.Flags[i] = state[i].Flags
		c.msgs = c.msgs[:0]
		for j := range state[i].Queue {
			c.msgs = append(c.msgs, idOf(&state[i].Queue[j]))
		}
		n.queues[i] = c.Queues.Intern(c.msgs)
	}
	return n
}

// find returns the number of a connection. It adds a new one.
func (c *conns) find(n conn) (id uint32, known bool) {
	kind, ok := c.kinds.Get(n.kind())
	if !ok {
		kind = uint64(len(c.index))
		c.kinds.Put(n.kind(), kind)
		c.index = append(c.index, Memo{})
	}
	index, key := &c.index[kind], uint64(n.queues[0])<<32|uint64(n.queues[1])
	if id, ok := index.Get(key); ok {
		return uint32(id), true
	}
	id = c.List.Add(n)
	index.Put(key, uint64(id))
	return id, false
}

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

// Kinds of failure, the msg of an OpCrash.
const (
	ByCrash = iota // it crashes
	ByHalt         // it halts
)

// ConnCode encodes an operation by one end of a connection while the node at the other end is down. Add one if it is up.
func ConnCode(op ConnOp, side int, msg uint32) uint32 {
	return (msg<<5 | uint32(op)<<2 | uint32(side)<<1) + 1 // fits, see messages.Most
}

func Coded(code uint32) (op ConnOp, side int, up bool, msg uint32) {
	code--
	return ConnOp(code >> 2 & 7), int(code >> 1 & 1), code&1 == 1, code >> 5
}

package store

import (
	"github.com/macemc/macemc/internal/netmodel"
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

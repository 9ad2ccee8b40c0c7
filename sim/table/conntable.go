package table

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// conn is the content of a connection; its messages lie in the items of all. Random runs come to so many connections that
// what these point to would be what the collector of memory looks at. Ends are numbered: 0 is that of the node with the lower number.
type conn struct {
	begin int
	n     [2]uint32
	flags [2]uint8
	self  bool
}

// queue is what an end has queued, by number of the message: copies of them would be what fills the memory.
func (c *conns) queue(id uint32, side int) []uint32 {
	n := &c.list[id]
	begin := n.begin + side*int(n.n[0])
	return c.items[begin : begin+int(n.n[side])]
}

// connIndex finds connections by their content: an open-addressing table of numbers plus one.
type connIndex struct {
	slots []uint32
	shift uint
}

// draftOf puts what a connection would be behind the items of all.
func (c *conns) draftOf(state *sim.Connection, self bool) conn {
	n := conn{begin: len(c.items), self: self}
	for i := range state {
		n.flags[i], n.n[i] = state[i].Flags, uint32(len(state[i].Queue))
		for j := range state[i].Queue {
			c.items = append(c.items, idOf(&state[i].Queue[j]))
		}
	}
	return n
}

// find returns the number of a connection, adding it when it is new. Its messages are the last items of all, and stay only then.
func (c *conns) find(n conn) (id uint32, known bool) {
	if len(c.list) >= len(c.index.slots)/2 {
		c.grow()
	}
	items := c.items[n.begin:]
	mask := len(c.index.slots) - 1
	i := c.index.at(&n, items)
	for ; c.index.slots[i] != 0; i = (i + 1) & mask {
		id := c.index.slots[i] - 1
		if o := &c.list[id]; o.n == n.n && o.flags == n.flags && o.self == n.self && slices.Equal(c.items[o.begin:o.begin+len(items)], items) {
			c.items = c.items[:n.begin]
			return id, true
		}
	}
	id = uint32(len(c.list))
	c.index.slots[i] = id + 1
	c.list = append(c.list, n)
	return id, false
}

// at is where a connection is looked for first.
func (x *connIndex) at(n *conn, items []uint32) int {
	h := uint64(n.n[0])<<32 | uint64(n.flags[0])<<16 | uint64(n.flags[1])<<8
	if n.self {
		h++
	}
	for _, it := range items {
		h = (h ^ h>>29 ^ uint64(it)) * 0x9E3779B97F4A7C15
	}
	h ^= h >> 32
	return int(h * 0x9E3779B97F4A7C15 >> x.shift)
}

func (c *conns) grow() {
	size := max(minMemo, 2*len(c.index.slots))
	c.index = connIndex{make([]uint32, size), 64}
	for s := size; s > 1; s >>= 1 {
		c.index.shift--
	}
	for id := range c.list {
		n := &c.list[id]
		i := c.index.at(n, c.items[n.begin:n.begin+int(n.n[0]+n.n[1])])
		for c.index.slots[i] != 0 {
			i = (i + 1) & (size - 1)
		}
		c.index.slots[i] = uint32(id) + 1
	}
}

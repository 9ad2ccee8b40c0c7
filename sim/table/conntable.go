package table

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// conn is the content of a connection; its messages lie in the items of all. Random runs come to so many connections that
// what these point to would be what the collector of memory looks at. Ends are numbered: 0 is that of the node with the lower number.
type conn struct {
	piece uint32 // of the items of all
	begin uint32
	n     [2]uint32
	flags [2]uint8
	self  bool
}

// queue is what an end has queued, by number of the message: copies of them would be what fills the memory.
func (c *conns) queue(id uint32, side int) []uint32 {
	n := c.list.at(id)
	items := c.itemsOf(n)
	if side == 0 {
		return items[:n.n[0]]
	}
	return items[n.n[0]:]
}

// itemsOf is what both ends have queued, one after the other.
func (c *conns) itemsOf(n *conn) []uint32 {
	if n.n == [2]uint32{} {
		return nil
	}
	return c.items[n.piece][n.begin:][:n.n[0]+n.n[1]]
}

// itemsPiece is how many items are allocated at once, at least.
const itemsPiece = 1 << 12

// keep puts the items of the draft to those of all.
func (c *conns) keep(n *conn) {
	if len(c.draft) == 0 {
		return
	}
	last := len(c.items) - 1
	if last < 0 || cap(c.items[last])-len(c.items[last]) < len(c.draft) {
		c.items = append(c.items, make([]uint32, 0, max(itemsPiece, len(c.draft))))
		last++
	}
	n.piece, n.begin = uint32(last), uint32(len(c.items[last]))
	c.items[last] = append(c.items[last], c.draft...)
}

// connIndex finds connections by their content: an open-addressing table of numbers plus one.
type connIndex struct {
	slots []uint32
	shift uint
}

// draftOf is what a connection would be, with its items as the draft.
func (c *conns) draftOf(state *sim.Connection, self bool) conn {
	n := conn{self: self}
	c.draft = c.draft[:0]
	for i := range state {
		n.flags[i], n.n[i] = state[i].Flags, uint32(len(state[i].Queue))
		for j := range state[i].Queue {
			c.draft = append(c.draft, idOf(&state[i].Queue[j]))
		}
	}
	return n
}

// find returns the number of a connection the items of which are the draft, adding it when it is new.
func (c *conns) find(n conn) (id uint32, known bool) {
	if c.list.len() >= len(c.index.slots)/2 {
		c.grow()
	}
	mask := len(c.index.slots) - 1
	i := c.index.at(&n, c.draft)
	for ; c.index.slots[i] != 0; i = (i + 1) & mask {
		id := c.index.slots[i] - 1
		if o := c.list.at(id); o.n == n.n && o.flags == n.flags && o.self == n.self && slices.Equal(c.itemsOf(o), c.draft) {
			return id, true
		}
	}
	c.keep(&n)
	id = c.list.add(n)
	c.index.slots[i] = id + 1
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
	for id := range uint32(c.list.len()) {
		n := c.list.at(id)
		i := c.index.at(n, c.itemsOf(n))
		for c.index.slots[i] != 0 {
			i = (i + 1) & (size - 1)
		}
		c.index.slots[i] = id + 1
	}
}

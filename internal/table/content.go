package table

import (
	"encoding/binary"
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// contents says what the numbers in states stand for, by hashes that are the same in every process. A process that does not know some
// content yet makes it by taking the steps that lead to it: what is hashed need not be decoded.
type contents struct {
	e     *engine
	kinds [contentKinds]contentsOf
	msgs  []sim.Fingerprint // by message
	words []uint8           // by word of a vector of the world: its kind
	buf   []byte
}

type contentsOf struct {
	keys []sim.Fingerprint // by number
	ids  map[sim.Fingerprint]uint32
}

// Kinds of content. That of plain numbers is the number.
const (
	localContent = iota
	inboxContent
	connContent
	monitorContent
	netGlobalsContent
	contentKinds
	plainContent = contentKinds
)

func newContents(e *engine) *contents {
	c := &contents{e: e}
	for i := range c.kinds {
		c.kinds[i].ids = map[sim.Fingerprint]uint32{}
	}
	l := &e.layout
	for w := range l.words {
		kind := uint8(plainContent)
		switch {
		case w < l.inboxes:
			kind = localContent
		case w < l.conns:
			kind = inboxContent
		case w < l.monitors:
			kind = connContent
		case w < l.netGlobals:
			kind = monitorContent
		case w == l.netGlobals:
			kind = netGlobalsContent
		}
		c.words = append(c.words, kind)
	}
	return c
}

// know takes in what was met since it was called last.
func (c *contents) know(kind uint8) {
	k, n := &c.kinds[kind], c.count(kind)
	for id := len(k.keys); id < n; id++ {
		key := c.hash(kind, uint32(id))
		k.keys = append(k.keys, key)
		if _, ok := k.ids[key]; !ok {
			k.ids[key] = uint32(id)
		}
	}
}

func (c *contents) count(kind uint8) int {
	switch e := c.e; kind {
	case localContent:
		return len(e.locals.list)
	case inboxContent:
		return len(e.inboxes.list)
	case connContent:
		return e.conns.list.len()
	case monitorContent:
		return len(e.monitors.list)
	default:
		return len(e.netGlobals.list)
	}
}

func (c *contents) hash(kind uint8, id uint32) sim.Fingerprint {
	e, buf := c.e, append(c.buf[:0], kind)
	switch kind {
	case localContent:
		return e.locals.list[id].hash
	case inboxContent:
		for _, it := range e.inboxes.list[id].items {
			buf = c.message(binary.AppendVarint(buf, int64(it.from)), it.msg)
			if it.same {
				buf = append(buf, 1)
			}
		}
	case connContent:
		n := e.conns.list.at(id)
		buf = fmt.Appendf(buf, "%v", n.self)
		for i := range n.flags {
			queue := e.conns.queue(id, i)
			buf = binary.AppendUvarint(append(buf, n.flags[i]), uint64(len(queue)))
			for _, msg := range queue {
				buf = c.message(buf, msg)
			}
		}
	case monitorContent:
		return e.monitors.list[id].hash
	case netGlobalsContent:
		return e.netGlobals.list[id].hash
	}
	c.buf = buf
	return encoding.Hash(uint64(kind), buf)
}

// message appends what a message is.
func (c *contents) message(buf []byte, msg uint32) []byte {
	for len(c.msgs) <= int(msg) {
		c.msgs = append(c.msgs, encoding.Hash(0, c.e.bench.AppendValue(c.e.messages.list[len(c.msgs)].Body, nil)))
	}
	return appendKey(buf, c.msgs[msg])
}

// key is what a number stands for.
func (c *contents) key(kind uint8, id uint32) sim.Fingerprint {
	if int(id) >= len(c.kinds[kind].keys) {
		c.know(kind)
	}
	return c.kinds[kind].keys[id]
}

// find is the number of content; false: it was not met here.
func (c *contents) find(kind uint8, key sim.Fingerprint) (uint32, bool) {
	c.know(kind)
	id, ok := c.kinds[kind].ids[key]
	return id, ok
}

func appendKey(buf []byte, f sim.Fingerprint) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(buf, f.Lo), f.Hi)
}

package shard

import (
	"encoding/binary"
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/table/steptree"
)

// contents maps the numbers in states to content hashes, which are the same in every process. A process that lacks
// some content creates it by executing the steps that lead there, so nothing needs to be decoded.
type contents struct {
	e     *steptree.Engine
	kinds [contentKinds]contentsOf
	msgs  []encoding.Fingerprint // by message
	words []uint8                // by word of a vector of the world: its kind
	buf   []byte
}

type contentsOf struct {
	keys []encoding.Fingerprint // by number
	ids  map[encoding.Fingerprint]uint32
}

// Kinds of content. The content of a plain number is the number.
const (
	localContent = iota
	inboxContent
	connContent
	monitorContent
	netGlobalsContent
	contentKinds
	plainContent = contentKinds
)

func newContents(e *steptree.Engine) *contents {
	c := &contents{e: e}
	for i := range c.kinds {
		c.kinds[i].ids = map[encoding.Fingerprint]uint32{}
	}
	l := &e.Layout
	for w := range l.Words {
		kind := uint8(plainContent)
		switch {
		case w < l.Inboxes:
			kind = localContent
		case w < l.Conns:
			kind = inboxContent
		case w < l.Monitors:
			kind = connContent
		case w < l.NetGlobals:
			kind = monitorContent
		case w == l.NetGlobals:
			kind = netGlobalsContent
		}
		c.words = append(c.words, kind)
	}
	return c
}

// know adds the entries made since the last call.
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
		return len(e.Locals.List)
	case inboxContent:
		return len(e.Inboxes.List)
	case connContent:
		return e.Conns.List.Len()
	case monitorContent:
		return len(e.Monitors.List)
	default:
		return len(e.NetGlobals.List)
	}
}

func (c *contents) hash(kind uint8, id uint32) encoding.Fingerprint {
	e, buf := c.e, append(c.buf[:0], kind)
	switch kind {
	case localContent:
		return e.Locals.List[id].Hash
	case inboxContent:
		for _, it := range e.Inboxes.List[id].Items {
			buf = c.message(binary.AppendVarint(buf, int64(it.From)), it.Msg)
			if it.Same {
				buf = append(buf, 1)
			}
		}
	case connContent:
		n := e.Conns.List.At(id)
		buf = fmt.Appendf(buf, "%v", n.Self)
		for i := range n.Flags {
			queue := e.Conns.Queue(id, i)
			buf = binary.AppendUvarint(append(buf, n.Flags[i]), uint64(len(queue)))
			for _, msg := range queue {
				buf = c.message(buf, msg)
			}
		}
	case monitorContent:
		return e.Monitors.List[id].Hash
	case netGlobalsContent:
		return e.NetGlobals.List[id].Hash
	}
	c.buf = buf
	return encoding.Hash(uint64(kind), buf)
}

// message appends the hash of a message.
func (c *contents) message(buf []byte, msg uint32) []byte {
	for len(c.msgs) <= int(msg) {
		c.msgs = append(c.msgs, encoding.Hash(0, c.e.Bench.AppendValue(c.e.Contents.List[len(c.msgs)].Body, nil)))
	}
	return appendKey(buf, c.msgs[msg])
}

// key returns the content hash of a number.
func (c *contents) key(kind uint8, id uint32) encoding.Fingerprint {
	if int(id) >= len(c.kinds[kind].keys) {
		c.know(kind)
	}
	return c.kinds[kind].keys[id]
}

// find returns the number of content, or false if this process does not have it.
func (c *contents) find(kind uint8, key encoding.Fingerprint) (uint32, bool) {
	c.know(kind)
	id, ok := c.kinds[kind].ids[key]
	return id, ok
}

func appendKey(buf []byte, f encoding.Fingerprint) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(buf, f.Lo), f.Hi)
}

package statelog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/macemc/macemc/internal/explore"
)

// A block consists of magic, the length of the content, a checksum of length and content, and the content. The content
// is varints of the states before it and in it, the mark after it, the cache fillers, the notes, and a record for each
// state.
const (
	magic     = "\x89mclog\r\n"
	headBytes = len(magic) + 4 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errBlock = errors.New("it is not what a log holds")

// records encodes states as differences. An origin takes a byte if it is near the one before and the edge is among the
// first ones. Each block begins with the zero value.
type records struct {
	from, next uint32 // of the record before: its predecessor, and the lowest possible next edge index from there
}

// edgeBits is the number of bits of a record's first varint that hold the edge index. The greatest number they hold
// means that a varint follows.
const edgeBits, manyEdges = 4, 1<<4 - 1

// append appends a record. Origins do not decrease.
func (r *records) append(buf []byte, o explore.Origin) ([]byte, error) {
	if o.From < r.from || o.From == r.from && o.EdgeIndex < r.next {
		return buf, errors.New("states are not in the order in which they were found")
	}
	edge := o.EdgeIndex
	if o.From == r.from {
		edge -= r.next
	}
	buf = binary.AppendUvarint(buf, uint64(o.From-r.from)<<edgeBits|uint64(min(edge, manyEdges)))
	if edge >= manyEdges {
		buf = binary.AppendUvarint(buf, uint64(edge-manyEdges))
	}
	r.from, r.next = o.From, o.EdgeIndex+1
	return buf, nil
}

// take takes a record from the front of a block.
func (r *records) take(c *content) (o explore.Origin) {
	head := c.number()
	o.From, o.EdgeIndex = r.from, uint32(head&manyEdges)
	if o.EdgeIndex == manyEdges {
		more := c.number()
		c.check(more < 1<<32-manyEdges-1)
		o.EdgeIndex += uint32(more)
	}
	if delta := head >> edgeBits; delta > 0 {
		c.check(delta <= uint64(^uint32(0)-r.from))
		o.From += uint32(delta)
	} else {
		c.check(uint64(o.EdgeIndex)+uint64(r.next) < 1<<32-1)
		o.EdgeIndex += r.next
	}
	r.from, r.next = o.From, o.EdgeIndex+1
	return o
}

// content is the rest of a block being read.
type content struct {
	left []byte
	err  error
}

func (c *content) check(ok bool) {
	if !ok {
		c.err, c.left = errBlock, nil
	}
}

func (c *content) number() uint64 {
	n, k := binary.Uvarint(c.left)
	if c.check(k > 0); c.err != nil {
		return 0
	}
	c.left = c.left[k:]
	return n
}

// count reads a number of items, of at least so many bytes each, that must fit into the rest.
func (c *content) count(bytes int) int {
	n := c.number()
	c.check(n <= uint64(len(c.left)/bytes))
	if c.err != nil {
		return 0
	}
	return int(n)
}

// amount reads a number that is too small to overflow.
func (c *content) amount() int {
	n := c.number()
	c.check(n < 1<<62)
	return int(n & (1<<62 - 1))
}

func (c *content) word() uint64 {
	if c.check(len(c.left) >= 8); c.err != nil {
		return 0
	}
	w := binary.LittleEndian.Uint64(c.left)
	c.left = c.left[8:]
	return w
}

func (c *content) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	b := c.left[:n]
	c.left = c.left[n:]
	return b
}

// head is a block without its records.
type head struct {
	first, n int // number of states before it, and in it
	explore.Mark
	fillers, notes []byte // encoded
	fillerCount    int
}

const fillerBytes = 9 // at least

func (h *head) append(buf []byte) []byte {
	for _, n := range []int{h.first, h.n, h.Expanded, h.Transitions, h.Steps, h.Live, h.Depth} {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	buf = binary.LittleEndian.AppendUint64(buf, h.Digest)
	buf = binary.AppendUvarint(buf, uint64(len(h.fillers)))
	buf = binary.AppendUvarint(buf, uint64(h.fillerCount))
	buf = append(buf, h.fillers...)
	buf = binary.AppendUvarint(buf, uint64(len(h.notes)))
	return append(buf, h.notes...)
}

// headOf reads a head. The records remain in c.
func headOf(c *content) (h head) {
	h.first = c.amount()
	h.n, h.Expanded, h.Transitions, h.Steps, h.Live, h.Depth = c.amount(), c.amount(), c.amount(), c.amount(), c.amount(), c.amount()
	h.States = h.first + h.n
	h.Digest = c.word()
	size := c.count(1)
	h.fillerCount = c.amount()
	h.fillers = c.bytes(min(size, len(c.left)))
	c.check(h.fillerCount <= len(h.fillers)/fillerBytes)
	h.notes = c.bytes(c.count(1))
	c.check(h.n <= len(c.left)) // at least a byte each
	return h
}

// follows reports whether a block can follow a mark.
func (h *head) follows(end *explore.Mark) bool {
	return h.first == end.States && h.Expanded >= end.Expanded && h.Expanded <= h.States &&
		h.Transitions >= end.Transitions && h.Steps >= end.Steps && h.Live >= end.Live && h.Depth >= end.Depth
}

func appendFiller(buf []byte, p explore.CacheFiller) []byte {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(buf, uint64(p.ID)), p.Row)
}

// block reads the rest of a block after its head. expanded is the number of states expanded before.
func (h *head) block(c *content, expanded int, into *explore.Block) error {
	into.Mark, into.Notes = h.Mark, h.notes
	into.Origins, into.CacheFillers = into.Origins[:0], into.CacheFillers[:0]
	fillers := content{left: h.fillers}
	for range h.fillerCount {
		id := fillers.number()
		fillers.check(id >= uint64(expanded) && id < uint64(h.Expanded))
		if n := len(into.CacheFillers); n > 0 {
			fillers.check(id > uint64(into.CacheFillers[n-1].ID))
		}
		into.CacheFillers = append(into.CacheFillers, explore.CacheFiller{ID: uint32(id), Row: fillers.word()})
	}
	var r records
	for k := range h.n {
		o := r.take(c)
		from := int(o.From)
		c.check(from > expanded && from <= h.Expanded && from <= h.first+k || from == 0 && h.first == 0)
		if c.err != nil {
			break
		}
		into.Origins = append(into.Origins, o)
	}
	c.check(len(c.left) == 0)
	fillers.check(len(fillers.left) == 0)
	return errors.Join(c.err, fillers.err)
}

// frame completes a block in buf, which starts with room for the head, followed by the content.
func frame(buf []byte) {
	copy(buf, magic)
	at := buf[len(magic):]
	binary.LittleEndian.PutUint32(at, uint32(len(buf)-headBytes))
	binary.LittleEndian.PutUint32(at[4:], checksum(at, buf[headBytes:]))
}

func checksum(length, content []byte) uint32 {
	return crc32.Update(crc32.Checksum(length[:4], castagnoli), castagnoli, content)
}

// unframe returns the content of the block at the start of buf, or nil if there is none or it is damaged.
func unframe(buf []byte) []byte {
	if len(buf) < headBytes || !bytes.HasPrefix(buf, []byte(magic)) {
		return nil
	}
	at := buf[len(magic):]
	n := binary.LittleEndian.Uint32(at)
	if uint64(n) > uint64(len(buf)-headBytes) {
		return nil
	}
	content := buf[headBytes:][:n:n]
	if binary.LittleEndian.Uint32(at[4:]) != checksum(at, content) {
		return nil
	}
	return content
}

package testsched

import (
	"encoding/binary"
	"errors"
)

// coder encodes values, or decodes them. The method code of a type lists its parts once, for both directions. A text that occurs often is
// encoded once for each connection: later occurrences have its number.
type coder struct {
	bytes   []byte // to decode: those that are left
	decodes bool
	failed  bool
	numbers map[string]uint64 // of the texts that were encoded
	texts   []string          // that were decoded
}

// ErrDamaged means that something else than a message was received.
var ErrDamaged = errors.New("a damaged message")

// maxTexts is the number of texts after which their numbers start anew.
const maxTexts = 1 << 16

func (c *coder) number(v *uint64) {
	if !c.decodes {
		c.bytes = binary.AppendUvarint(c.bytes, *v)
		return
	}
	value, n := binary.Uvarint(c.bytes)
	if n <= 0 {
		c.failed, c.bytes, *v = true, nil, 0
		return
	}
	*v, c.bytes = value, c.bytes[n:]
}

// size codes the number of entries of a list, or of bytes of a text. Each takes at least a byte.
func (c *coder) size(n int) int {
	v := uint64(n)
	if c.number(&v); c.decodes && v > uint64(len(c.bytes)) {
		c.failed, c.bytes, v = true, nil, 0
	}
	return int(v)
}

// integers codes numbers that are rarely negative.
func integers[T ~int | ~int64 | ~uint32](c *coder, list ...*T) {
	for _, v := range list {
		u := uint64(*v)<<1 ^ uint64(int64(*v)>>63)
		if c.number(&u); c.decodes {
			*v = T(u>>1 ^ -(u & 1))
		}
	}
}

func (c *coder) numbersOf(list ...*uint64) {
	for _, v := range list {
		c.number(v)
	}
}

// hash codes a number that uses all of its bits.
func (c *coder) hash(v *uint64) {
	if !c.decodes {
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, *v)
		return
	}
	if len(c.bytes) < 8 {
		c.failed, c.bytes, *v = true, nil, 0
		return
	}
	*v, c.bytes = binary.LittleEndian.Uint64(c.bytes), c.bytes[8:]
}

func (c *coder) hashes(list ...*uint64) {
	for _, v := range list {
		c.hash(v)
	}
}

// flags codes up to 64 of them.
func (c *coder) flags(list ...*bool) {
	bits := uint64(0)
	for i, v := range list {
		if *v {
			bits |= 1 << i
		}
	}
	c.number(&bits)
	for i, v := range list {
		*v = bits>>i&1 != 0
	}
}

// text codes a text that is rarely the same as another one.
func text[T ~string](c *coder, v *T) {
	n := c.size(len(*v))
	if !c.decodes {
		c.bytes = append(c.bytes, *v...)
		return
	}
	*v, c.bytes = T(c.bytes[:n]), c.bytes[n:]
}

// names codes texts that occur often. Number 0 means that the text follows.
func (c *coder) names(list ...*string) {
	for _, v := range list {
		number := c.numbers[*v]
		c.number(&number)
		switch {
		case number > 0 && !c.decodes:
		case number > uint64(len(c.texts)) && c.decodes:
			c.failed = true
		case number > 0:
			*v = c.texts[number-1]
		case c.decodes:
			text(c, v)
			if len(c.texts) == maxTexts {
				c.texts = c.texts[:0]
			}
			c.texts = append(c.texts, *v)
		default:
			text(c, v)
			if len(c.numbers) == maxTexts || c.numbers == nil {
				c.numbers = map[string]uint64{}
			}
			c.numbers[*v] = uint64(len(c.numbers)) + 1
		}
	}
}

// list codes a list. An empty one becomes nil.
func list[T any](c *coder, v *[]T, code func(*T)) {
	n := c.size(len(*v))
	if c.decodes {
		*v = nil
		if n > 0 {
			*v = make([]T, n)
		}
	}
	for i := range *v {
		code(&(*v)[i])
	}
}

func (c *coder) nameList(v *[]string) { list(c, v, func(s *string) { c.names(s) }) }

func (c *coder) textList(v *[]string) { list(c, v, func(s *string) { text(c, s) }) }

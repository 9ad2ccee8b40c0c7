package encoding

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/macetime"
)

// Encoder encodes values one after the other into one buffer. The zero value is ready to use. In steady state it does
// not allocate. Sharing is detected within each value, not across values. An encoding is the type's name followed by
// the content. No encoding is a prefix of another one.
//
// The format: numbers are varints (signed ones zig-zag). Bytes, bools and floats have a fixed size. Strings and the
// results of functions are preceded by their length.
//
// A pointer is 0 for nil, or 1 and its target, or 2, the name of a constant and its target. If the target was visited
// before, the pointer is 3 plus the position of the first visit. The name of a constant consists of the location of the
// first pointer to it, the pointers to follow, and the offset in the memory found there.
//
// A slice is 1 for nil, or four times its length and then its elements. With capacity beyond the length, it is two
// more, the capacity, and all elements up to there. If it was visited before, it is the odd number that is 5 plus twice
// the position of the first visit. A slice of a constant has 3 and the constant's name in front.
//
// A map is 1 for nil, or twice its length and then its entries. If it was visited before, it is encoded like such a
// slice. An interface is 0, or the name of its dynamic type and its value. If memory can be shared, the value ends with
// a list of overlaps and their offsets.
type Encoder struct {
	set     *Set
	plan    *Plan // of the current value
	value   any
	buf     []byte
	times   []macetime.Time
	track   bool // visited memory is recorded
	inKey   bool // within a map key
	start   int  // start of the current value
	seen    seen
	word    unsafe.Pointer // the content of an interface that holds only a pointer
	iter    reflect.MapIter
	entries []entry // of the current maps, innermost last
	keys    []byte  // encoded keys of those maps

	inConstantMap int // number of those maps that are constants
}

// Reset drops all values and times but keeps the buffers.
func (e *Encoder) Reset() {
	e.buf, e.times = e.buf[:0], e.times[:0]
	e.entries, e.keys, e.inConstantMap = e.entries[:0], e.keys[:0], 0 // not so after a panic
}

// Bytes returns the encoding of all values added since Reset. The encoder owns it. It is valid until the next call of
// Reset or Add.
func (e *Encoder) Bytes() []byte { return e.buf }

// Times returns the distinct times encoded since Reset, in the order of their first occurrence. A time is encoded as
// its position in this list plus one. 0 is the zero time, which is not listed. The encoder owns the list, which is
// valid until the next Reset or Add.
func (e *Encoder) Times() []macetime.Time { return e.times }

// Add appends the encoding of v, a value of p's type, to the buffer. It panics with an [*Error] if an interface in v
// holds an unsupported value.
func (e *Encoder) Add(p *Plan, v any) { e.buf = e.add(p, v, e.buf) }

// Append appends the canonical encoding of v, a value of p's type, to dst: the type's name and the content. It panics
// with an [*Error] if an interface in v holds an unsupported value.
func (p *Plan) Append(dst []byte, v any) []byte {
	e := &p.set.enc
	e.times = e.times[:0]
	return e.add(p, v, dst)
}

func (e *Encoder) add(p *Plan, v any, dst []byte) []byte {
	dst = append(dst, p.head...)
	if p.root == nil {
		return dst
	}
	e.set, e.track, e.start = p.set, p.shares, len(dst)
	e.plan, e.value = p, v
	at := p.open(v, &e.word)
	if !p.shares {
		dst = e.run(p.root.prog, at, dst)
	} else {
		e.seen.reset() // here too: the last value may have failed halfway
		dst = e.run(p.root.prog, at, dst)
		dst = e.overlaps(dst)
		e.seen.reset()
	}
	e.value, e.word = nil, nil
	return dst
}

// fail panics with the reason why the current value cannot be encoded.
func (e *Encoder) fail(why *unsupportedType) {
	p, v := e.plan, e.value
	if v != nil {
		why.path = joinPath(locate(p, v, toEncode), why.path)
	}
	e.inKey, e.value, e.word = false, nil, nil
	clear(e.entries)
	e.entries, e.keys = e.entries[:0], e.keys[:0]
	e.seen.reset()
	panic(why.whole(p.Type()))
}

// run executes a program on the value at p.
func (e *Encoder) run(prog []leaf, p unsafe.Pointer, dst []byte) []byte {
	for i := range prog {
		l := &prog[i]
		q := unsafe.Add(p, l.off)
		switch l.op {
		case opByte:
			if l.n == 1 {
				dst = append(dst, *(*byte)(q))
			} else {
				dst = append(dst, unsafe.Slice((*byte)(q), l.n)...)
			}
		case opInt64:
			for _, x := range unsafe.Slice((*int64)(q), l.n) {
				dst = appendUint(dst, zigzag(x))
			}
		case opString:
			for _, s := range unsafe.Slice((*string)(q), l.n) {
				dst = appendUint(dst, uint64(len(s)))
				dst = append(dst, s...)
			}
		case opPointer:
			dst = e.pointer(l.of.elem, *(*unsafe.Pointer)(q), dst)
		case opSlice:
			dst = e.slice(l.of, (*memory.Slice)(q), dst)
		case opMap:
			dst = e.mapping(l.of, q, dst)
		case opInterface:
			dst = e.boxed(load(l.of, q), dst)
		case opArray:
			for j := range uintptr(l.of.count) {
				dst = e.run(l.of.elem.prog, unsafe.Add(q, j*l.of.elem.size), dst)
			}
		default:
			if l.op < opString {
				dst = appendNumbers(l.op, q, l.n, dst)
			} else {
				dst = e.special(l, q, dst)
			}
		}
	}
	return dst
}

func zigzag(x int64) uint64 { return uint64(x)<<1 ^ uint64(x>>63) }

func appendUint(dst []byte, x uint64) []byte {
	if x < 0x80 {
		return append(dst, byte(x))
	}
	return binary.AppendUvarint(dst, x)
}

// appendNumbers encodes a run of numbers of the rarer sizes.
func appendNumbers(o op, p unsafe.Pointer, n int, dst []byte) []byte {
	for i := range uintptr(n) {
		q := unsafe.Add(p, i*widths[o])
		switch o {
		case opInt16:
			dst = appendUint(dst, zigzag(int64(*(*int16)(q))))
		case opInt32:
			dst = appendUint(dst, zigzag(int64(*(*int32)(q))))
		case opUint16:
			dst = appendUint(dst, uint64(*(*uint16)(q)))
		case opUint32:
			dst = appendUint(dst, uint64(*(*uint32)(q)))
		case opUint64:
			dst = appendUint(dst, *(*uint64)(q))
		case opFloat32:
			f := *(*float32)(q)
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
		case opFloat64:
			f := *(*float64)(q)
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
		}
	}
	return dst
}

// again returns the position at which p was first visited, or records the present one.
func (e *Encoder) again(p unsafe.Pointer, of *node, length, capacity int, dst []byte) (pos int, met bool) {
	o, met := e.seen.meet(p, of, length, capacity)
	if !met {
		o.pos = len(dst) - e.start
	}
	return o.pos, met
}

func (e *Encoder) pointer(elem *node, p unsafe.Pointer, dst []byte) []byte {
	if p == nil {
		return append(dst, 0)
	}
	if e.track && elem.size > 0 {
		if pos, met := e.again(p, elem, 1, isVariable, dst); met {
			return appendUint(dst, uint64(pos)+3)
		}
	}
	if e.set.telling.Has(p) {
		dst = e.name(p, append(dst, 2))
	} else {
		dst = append(dst, 1)
	}
	return e.run(elem.prog, p, dst)
}

// name appends the name of a constant. Within a constant map the map and the key identify it, if its name varies.
func (e *Encoder) name(p unsafe.Pointer, dst []byte) []byte {
	if e.inConstantMap > 0 && e.set.telling.Varies(p) {
		return dst
	}
	return e.set.telling.Append(dst, p)
}

func (e *Encoder) slice(n *node, s *memory.Slice, dst []byte) []byte {
	elem := n.elem
	if e.track && s.Cap > 0 && elem.size > 0 {
		if pos, met := e.again(s.Data, elem, s.Len, s.Cap, dst); met {
			return appendUint(dst, uint64(pos)<<1+5)
		}
	}
	count := s.Len
	switch {
	case e.set.rules.Loose:
		dst = appendUint(dst, uint64(count)<<2)
	case s.Data == nil:
		return append(dst, 1)
	default:
		if s.Cap > 0 && elem.size > 0 && e.set.telling.Has(s.Data) {
			dst = e.name(s.Data, append(dst, 3))
		}
		if s.Cap == count {
			dst = appendUint(dst, uint64(count)<<2)
		} else {
			dst = appendUint(dst, uint64(count)<<2+2)
			dst = appendUint(dst, uint64(s.Cap))
			if !n.unwritten {
				count = s.Cap
			}
		}
	}
	if count == 0 {
		return dst
	}
	if d := &elem.dense; d.op != opNone {
		run := [1]leaf{{op: d.op, n: d.n * count}}
		return e.run(run[:], s.Data, dst)
	}
	data := s.Data
	for i := range uintptr(count) {
		dst = e.run(elem.prog, unsafe.Add(data, i*elem.size), dst)
	}
	return dst
}

// groupSlots is the number of entries up to which the memory of a map has an order that is the same in every process.
const groupSlots = 8

// mapping encodes the map that p points to.
func (e *Encoder) mapping(n *node, p unsafe.Pointer, dst []byte) []byte {
	m := *(*unsafe.Pointer)(p)
	if e.track && m != nil {
		if pos, met := e.again(m, n.common, 0, isMap, dst); met {
			return appendUint(dst, uint64(pos)<<1+5)
		}
	}
	if m == nil && !e.set.rules.Loose {
		return append(dst, 1)
	}
	count := memory.MapLen(p)
	dst = appendUint(dst, uint64(count)<<1)
	if count == 0 {
		return dst
	}
	constant := count > groupSlots && e.set.telling.Has(m)
	if constant {
		e.inConstantMap++
	}
	base, keys := len(e.entries), len(e.keys)
	if why := e.push(n, m); why != nil {
		e.fail(why)
	}
	for i := base; i < base+count; i++ {
		x := &e.entries[i]
		switch {
		case n.keys == opNone:
			dst = append(dst, x.text...)
		case n.keys == opString:
			dst = appendUint(dst, uint64(len(x.text)))
			dst = append(dst, x.text...)
		case n.signed:
			dst = appendUint(dst, zigzag(int64(x.num^signFlip)))
		default:
			dst = appendUint(dst, x.num)
		}
		dst = e.run(n.elem.prog, x.elem, dst) // may grow entries
	}
	if constant {
		e.inConstantMap--
	}
	e.pop(base, keys)
	return dst
}

// appendKey encodes a map key. Keys do not contain shared memory.
func (e *Encoder) appendKey(n *node, p unsafe.Pointer, dst []byte) []byte {
	track, inKey := e.track, e.inKey
	e.track, e.inKey = false, true
	dst = e.run(n.prog, p, dst)
	e.track, e.inKey = track, inKey
	return dst
}

// boxed encodes the value in an interface.
func (e *Encoder) boxed(v any, dst []byte) []byte {
	if v == nil {
		return append(dst, 0)
	}
	p, err := e.set.Of(v)
	if err != nil {
		e.fail(unsupportedTypeOf(err))
	}
	if e.inKey {
		if bad := unordered(p.root); bad != nil {
			e.fail(refuse(p.root.typ, keyHint(bad)))
		}
	}
	dst = append(dst, p.head...)
	return e.run(p.root.prog, p.open(v, &e.word), dst)
}

// overlaps encodes which visited objects share memory, and their offsets.
func (e *Encoder) overlaps(dst []byte) []byte {
	if !e.seen.overlap() {
		return append(dst, 0)
	}
	groups := e.seen.clusters()
	dst = appendUint(dst, uint64(len(groups)))
	for _, g := range groups {
		dst = appendUint(dst, uint64(len(g)))
		first := e.seen.list[g[0]].at
		for _, i := range g {
			o := &e.seen.list[i]
			dst = appendUint(dst, uint64(o.pos))
			dst = binary.AppendVarint(dst, int64(uintptr(o.at))-int64(uintptr(first)))
			dst = appendUint(dst, uint64(max(o.cap, 0)))
		}
	}
	return dst
}

package encoding

import (
	"cmp"
	"encoding/binary"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// entry is one entry of a map with its sort key: a number and then a text.
type entry struct {
	num       uint64
	text      string
	key, elem unsafe.Pointer
}

func (x *entry) before(y *entry) bool { return x.num < y.num || x.num == y.num && x.text < y.text }

// iteratorPrefix is the beginning of a reflect.MapIter: the map and the addresses of the current key and element.
type iteratorPrefix struct {
	m         reflect.Value
	key, elem unsafe.Pointer
}

// iteratorsPoint checks with an example that reflect.MapIter begins like iteratorPrefix. Otherwise entries are
// copied, which is slower.
func iteratorsPoint() bool {
	var it reflect.MapIter
	if unsafe.Sizeof(it) < unsafe.Sizeof(iteratorPrefix{}) {
		return false
	}
	key, elem := 3, 4
	it.Reset(reflect.ValueOf(map[*int]*int{&key: &elem}))
	it.Next()
	words := (*iteratorPrefix)(unsafe.Pointer(&it))
	for _, w := range []unsafe.Pointer{words.key, words.elem} {
		if uintptr(w) < 4096 {
			return false
		}
	}
	return *(**int)(words.key) == &key && *(**int)(words.elem) == &elem
}

// list pushes the entries of the map m, of type n, in any order.
func (e *Encoder) list(n *node, m unsafe.Pointer) {
	for key, elem := range e.each(n, m) {
		e.entries = append(e.entries, entry{key: key, elem: elem})
	}
}

// each yields the addresses of the keys and elements of the map m, of type n. No other map may be iterated meanwhile.
func (e *Encoder) each(n *node, m unsafe.Pointer) iter.Seq2[unsafe.Pointer, unsafe.Pointer] {
	return func(yield func(key, elem unsafe.Pointer) bool) {
		e.iter.Reset(reflect.ValueOf(memory.Assemble(n.word, m)))
		for more := true; more && e.iter.Next(); {
			if e.set.direct {
				at := (*iteratorPrefix)(unsafe.Pointer(&e.iter))
				more = yield(at.key, at.elem)
				continue
			}
			k, v := reflect.New(n.key.typ), reflect.New(n.elem.typ)
			k.Elem().SetIterKey(&e.iter)
			v.Elem().SetIterValue(&e.iter)
			more = yield(k.UnsafePointer(), v.UnsafePointer())
		}
		e.iter.Reset(reflect.Value{})
	}
}

// push pushes the entries of the map m, of type n, in order: integers and strings by value, other keys by their
// encoding. It fails if two keys have equal encodings.
func (e *Encoder) push(n *node, m unsafe.Pointer) *unsupportedType {
	base := len(e.entries)
	e.list(n, m)
	es := e.entries[base:]
	for i := range es {
		x := &es[i]
		switch n.keys {
		case opNone:
			from := len(e.keys)
			e.keys = e.appendKey(n.key, x.key, e.keys)
			x.text = unsafe.String(unsafe.SliceData(e.keys[from:]), len(e.keys)-from)
			x.num = front(x.text)
		case opString:
			x.text = *(*string)(x.key)
			x.num = front(x.text)
		default:
			x.num = readNumber(n, x.key)
		}
	}
	return sortEntries(n, es)
}

// fewEntries is the maximum number of entries that are sorted without calls.
const fewEntries = 16

func sortEntries(n *node, es []entry) *unsupportedType {
	if len(es) <= fewEntries {
		for i := 1; i < len(es); i++ {
			for j := i; j > 0 && es[j].before(&es[j-1]); j-- {
				es[j], es[j-1] = es[j-1], es[j]
			}
		}
	} else {
		slices.SortFunc(es, func(a, b entry) int {
			if a.num != b.num {
				return cmp.Compare(a.num, b.num)
			}
			return cmp.Compare(a.text, b.text)
		})
	}
	if n.keys != opNone {
		return nil
	}
	for i := 1; i < len(es); i++ {
		if es[i].num == es[i-1].num && es[i].text == es[i-1].text {
			return refuse(n.typ, "two of its keys are encoded alike, so its entries have no canonical order")
		}
	}
	return nil
}

// pop removes the entries and keys from the given positions on.
func (e *Encoder) pop(base, keys int) {
	clear(e.entries[base:])
	e.entries, e.keys = e.entries[:base], e.keys[:keys]
}

// signFlip maps the order of signed numbers to that of unsigned ones.
const signFlip = 1 << 63

// readNumber returns the sort number of an integer key.
func readNumber(n *node, p unsafe.Pointer) uint64 {
	if !n.signed {
		switch n.keys {
		case opByte:
			return uint64(*(*byte)(p))
		case opUint16:
			return uint64(*(*uint16)(p))
		case opUint32:
			return uint64(*(*uint32)(p))
		}
		return *(*uint64)(p)
	}
	var x int64
	switch n.keys {
	case opByte:
		x = int64(*(*int8)(p))
	case opInt16:
		x = int64(*(*int16)(p))
	case opInt32:
		x = int64(*(*int32)(p))
	default:
		x = *(*int64)(p)
	}
	return uint64(x) ^ signFlip
}

// front returns the beginning of a text as a number with the same order.
func front(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(unsafe.Slice(unsafe.StringData(s), 8))
	}
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

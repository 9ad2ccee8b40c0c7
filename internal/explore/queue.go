package explore

import (
	"math"
	"unsafe"

	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/predecessors"
)

// queue is a first-in, first-out frontier. States are stored in parts, which are reused. The parts are outside the
// garbage collector, which otherwise lets garbage grow with the live heap. Words of records take two bytes each, until
// a word needs four. The same holds for the names of the edges by which states were found.
type queue struct {
	predecessors.List
	words  int      // of a record
	wide   bool     // words of records take four bytes
	broad  bool     // names take four bytes
	record []uint32 // the record returned last
	first  uint32   // number of the state at the front of parts
	pushed uint32   // number of the next state that is pushed
	popped uint32   // number of the next state that is popped
	end    uint32   // end of the states at the current depth
	depth  int32
	parts  []int32 // by number
	free   []int32
	made   int32 // number of parts made
	memory memory.Arena
}

const queuePart = 1 << 10 // states

// gathered is the number of edges looked up together. With fewer, two workers spend more time on waking each other than
// on work.
const gathered = 4096

func newQueue(words int) Frontier {
	return &queue{words: words, record: make([]uint32, words), depth: -1}
}

func (q *queue) AtOnce() int { return gathered }

func (q *queue) Push(b *Batch) {
	for k := range b.Len() {
		n := &b.news[k]
		if !b.Final() {
			q.push(b.record(k), n.by)
		}
		q.Append(n.From, n.EdgeIndex)
	}
}

func (q *queue) Pop(item *Item) bool {
	if q.popped == q.end {
		return false
	}
	item.Record, item.By = q.next(q.popped)
	item.ID, item.Depth = q.popped, q.depth
	q.popped++
	return true
}

// More advances to the next depth.
func (q *queue) More() bool {
	if q.popped == q.end && q.end < q.pushed {
		q.end = q.pushed
		q.depth++
	}
	return q.popped < q.end
}

func (q *queue) Bytes() (kept, waiting int) { return q.List.Bytes(), q.most() }

func (q *queue) Close() { q.memory.Free() }

func (q *queue) push(record []uint32, by uint32) {
	all := uint32(0)
	for _, word := range record {
		all |= word
	}
	if wide, broad := q.wide || all > math.MaxUint16, q.broad || by > math.MaxUint16; wide != q.wide || broad != q.broad {
		q.widen(wide, broad)
	}
	if int(q.pushed-q.first) == len(q.parts)*queuePart {
		q.parts = append(q.parts, q.part())
	}
	at := q.place(q.pushed)
	if q.wide {
		for i, word := range record {
			at[2*i], at[2*i+1] = uint16(word), uint16(word>>16)
		}
	} else {
		for i, word := range record {
			at[i] = uint16(word)
		}
	}
	name := at[q.recordHalves():]
	if name[0] = uint16(by); q.broad {
		name[1] = uint16(by >> 16)
	}
	q.pushed++
}

// widen makes room for words of records and names of four bytes.
func (q *queue) widen(wide, broad bool) {
	old := *q
	q.wide, q.broad, q.memory, q.parts, q.free, q.made, q.pushed = wide, broad, memory.Arena{}, nil, nil, 0, q.first
	for q.pushed < old.pushed {
		q.push(old.kept(q.pushed))
	}
	old.memory.Free()
}

func (q *queue) part() int32 {
	if k := len(q.free); k > 0 {
		part := q.free[k-1]
		q.free = q.free[:k-1]
		return part
	}
	q.made++
	if words := q.most() / 8; words > len(q.memory.Words) {
		q.memory.Grow(words + words/4) // unused memory is not allocated
	}
	return q.made - 1
}

// place returns a record, followed by its By. It is valid until the next push.
func (q *queue) place(id uint32) []uint16 {
	at := int(id - q.first)
	at = int(q.parts[at/queuePart])*queuePart + at%queuePart
	all := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(q.memory.Words))), 4*len(q.memory.Words))
	return all[at*q.halves():][:q.halves()]
}

// halves returns the size of a record with its By, in units of two bytes.
func (q *queue) halves() int {
	if q.broad {
		return q.recordHalves() + 2
	}
	return q.recordHalves() + 1
}

func (q *queue) recordHalves() int {
	if q.wide {
		return 2 * q.words
	}
	return q.words
}

// kept returns a record. It is valid until the next call.
func (q *queue) kept(id uint32) (record []uint32, by uint32) {
	at := q.place(id)
	record = q.record
	if q.wide {
		for i := range record {
			record[i] = uint32(at[2*i]) | uint32(at[2*i+1])<<16
		}
	} else {
		for i, half := range at[:len(record)] {
			record[i] = uint32(half)
		}
	}
	name := at[q.recordHalves():]
	if by = uint32(name[0]); q.broad {
		by |= uint32(name[1]) << 16
	}
	return record, by
}

// next returns a record, and drops those before. Records must be requested in order.
func (q *queue) next(id uint32) (record []uint32, by uint32) {
	if id-q.first >= queuePart {
		q.free = append(q.free, q.parts[0])
		q.parts = append(q.parts[:0], q.parts[1:]...)
		q.first += queuePart
	}
	return q.kept(id)
}

// most returns the number of bytes that have been used.
func (q *queue) most() int { return 2 * q.halves() * queuePart * int(q.made) }

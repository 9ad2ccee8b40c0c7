package explore

import (
	"cmp"
	"encoding/binary"

	"github.com/macemc/macemc/internal/explore/spill"
)

// spooled is a queue of which little is in memory. States are kept as differences to those before them.
type spooled struct {
	lineage
	pushed uint32 // number of the next state that is pushed
	popped uint32 // and popped
	end    uint32 // of the states at the present depth
	depth  int32
	most   int
	err    error

	store            *spill.Store // of the lineage
	reading, writing *spill.Spool
	in, out          []byte   // what is left of a chunk, and what becomes one
	first, last      []uint32 // the states that were read and written last in these
}

const spooledChunk = 64 << 10

func newSpooled(words int, s *Spill) Frontier {
	held := s.Bytes / spoolShare
	q := &spooled{depth: -1, store: spill.NewStore(s.Dir), reading: spill.NewSpool(s.Dir, held), writing: spill.NewSpool(s.Dir, held),
		first: make([]uint32, words), last: make([]uint32, words)}
	q.spillTo(q.store)
	return q
}

// Spooling is a frontier that holds states on disk.
type Spooling interface {
	Frontier
	// Err is an error of the disk, after which nothing can be popped; nil: there was none.
	Err() error
	// Disk is how many bytes are on disk.
	Disk() int64
}

func (q *spooled) Disk() int64 { return q.store.Disk() + q.reading.Disk() + q.writing.Disk() }

func (q *spooled) Err() error { return cmp.Or(q.err, q.store.Err()) }

func (q *spooled) AtOnce() int { return gathered }

func (q *spooled) Push(b *Batch) {
	for k := range b.Len() {
		if !b.Final() {
			q.push(b.record(k), b.news[k].by)
		}
		q.lineage.append(b.news[k].From, b.news[k].Turn)
	}
}

func (q *spooled) push(record []uint32, by uint32) {
	q.out = binary.AppendUvarint(appendVector(q.out, q.last, record), uint64(by))
	copy(q.last, record)
	if len(q.out) >= spooledChunk {
		q.flush()
	}
	q.pushed++
}

func (q *spooled) flush() {
	if err := q.writing.Append(q.out); q.err == nil {
		q.err = err
	}
	q.out = q.out[:0]
	clear(q.last)
	q.most = max(q.most, q.reading.Bytes()+q.writing.Bytes()+2*spooledChunk)
}

func (q *spooled) Pop(item *Item) bool {
	if q.popped == q.end || q.err != nil {
		return false
	}
	if len(q.in) == 0 {
		if q.in, q.err = q.reading.Next(); q.err != nil {
			return false
		}
		clear(q.first)
	}
	q.in = takeVector(q.in, q.first)
	by, n := binary.Uvarint(q.in)
	q.in, item.By = q.in[n:], uint32(by)
	item.Record, item.ID, item.Depth = q.first, q.popped, q.depth
	q.popped++
	return true
}

// More goes on to the next depth.
func (q *spooled) More() bool {
	if q.popped == q.end && q.end < q.pushed {
		q.flush()
		if err := q.reading.Reset(); q.err == nil {
			q.err = err
		}
		q.reading, q.writing = q.writing, q.reading
		q.end = q.pushed
		q.depth++
	}
	return q.popped < q.end
}

func (q *spooled) Trail(id uint32) []uint32 { return q.trail(id) }

func (q *spooled) Origin(id uint32) (from, turn uint32) { return q.at(id) }

func (q *spooled) Monotone() bool { return q.earlier == nil }

func (q *spooled) Bytes() (kept, waiting int) { return q.lineage.bytes(), q.most }

func (q *spooled) Close() {
	q.store.Close()
	q.reading.Close()
	q.writing.Close()
}

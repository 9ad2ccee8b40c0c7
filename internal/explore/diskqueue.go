package explore

import (
	"cmp"
	"encoding/binary"

	"github.com/macemc/macemc/internal/explore/predecessors"
	"github.com/macemc/macemc/internal/explore/spill"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// diskQueue is a queue with most of its content on disk. States are stored as differences to their predecessors in the
// queue.
type diskQueue struct {
	predecessors.List
	pushed uint32 // number of the next state that is pushed
	popped uint32 // number of the next state that is popped
	end    uint32 // end of the states at the current depth
	depth  int32
	most   int
	err    error

	store            *spill.Store // store of the predecessor list
	reading, writing *spill.Spool
	in, out          []byte   // rest of the chunk being read, and the chunk being written
	first, last      []uint32 // the last states read and written in these
}

const diskQueueChunk = 64 << 10

func newSpooled(words int, s *stateset.Spill) Frontier {
	held := s.Bytes / stateset.SpoolShare
	q := &diskQueue{depth: -1, store: spill.NewStore(s.Dir), reading: spill.NewSpool(s.Dir, held), writing: spill.NewSpool(s.Dir, held),
		first: make([]uint32, words), last: make([]uint32, words)}
	q.SpillTo(q.store)
	return q
}

// Spooling is a frontier that holds states on disk.
type Spooling interface {
	Frontier
	// Err returns an error of the disk, after which nothing can be popped, or nil.
	Err() error
	// Disk returns the number of bytes on disk.
	Disk() int64
}

func (q *diskQueue) Disk() int64 { return q.store.Disk() + q.reading.Disk() + q.writing.Disk() }

func (q *diskQueue) Err() error { return cmp.Or(q.err, q.store.Err()) }

func (q *diskQueue) AtOnce() int { return gathered }

func (q *diskQueue) Push(b *Batch) {
	for k := range b.Len() {
		if !b.Final() {
			q.push(b.record(k), b.news[k].by)
		}
		q.Append(b.news[k].From, b.news[k].EdgeIndex)
	}
}

func (q *diskQueue) push(record []uint32, by uint32) {
	q.out = binary.AppendUvarint(appendVector(q.out, q.last, record), uint64(by))
	copy(q.last, record)
	if len(q.out) >= diskQueueChunk {
		q.flush()
	}
	q.pushed++
}

func (q *diskQueue) flush() {
	if err := q.writing.Append(q.out); q.err == nil {
		q.err = err
	}
	q.out = q.out[:0]
	clear(q.last)
	q.most = max(q.most, q.reading.Bytes()+q.writing.Bytes()+2*diskQueueChunk)
}

func (q *diskQueue) Pop(item *Item) bool {
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

// More advances to the next depth.
func (q *diskQueue) More() bool {
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

func (q *diskQueue) Bytes() (kept, waiting int) { return q.List.Bytes(), q.most }

func (q *diskQueue) Close() {
	q.store.Close()
	q.reading.Close()
	q.writing.Close()
}

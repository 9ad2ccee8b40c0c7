package explore

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/spill"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// pendingBatches holds batches until a [stateset.Deferred] set determines which of their states are new. They are then
// finished as if they came from the set at that time: in the same order, with the same states.
type pendingBatches struct {
	set     stateset.Deferred
	spool   *spill.Spool
	batches int
	n       uint32        // states
	old     memory.Bitset // by state: it is not new
	buf     []byte
	batch   *Batch // the batch read back
	due     bool   // the set must be flushed
	since   time.Time
	took    time.Duration // duration of the last flushing
	onDisk  int64         // maximum number of bytes on disk
	leaving bool          // batches are being finished
}

// Pending batches are lost if the process is killed. They are limited to the states found in waitingTime, unless
// flushing takes long.
const (
	waitingTime  = 300 * time.Millisecond
	waitingTimes = 8 // multiple of the duration of the last flushing
)

func newWaiting(set stateset.Deferred, s *stateset.Spill) *pendingBatches {
	return &pendingBatches{set: set, spool: spill.NewSpool(s.Dir, s.Bytes/stateset.SpoolShare)}
}

// busy reports whether pending batches are being finished. The exploration does not stop meanwhile, so that none of
// them is lost.
func (w *pendingBatches) busy() bool { return w != nil && w.leaving }

// onDisk returns the number of bytes on disk.
func (l *Loop) onDisk() int64 {
	n := l.waiting.set.Disk() + l.waiting.spool.Disk()
	if f, ok := l.frontier.(Spooling); ok {
		n += f.Disk()
	}
	return n
}

// held returns the error of the storage on disk, or nil.
func (l *Loop) held() error {
	if f, ok := l.frontier.(Spooling); ok && f.Err() != nil {
		return &LogError{f.Err()}
	}
	return nil
}

// take finishes a batch that comes back from the set, or stores it as pending.
func (l *Loop) take(ctx context.Context, b *Batch) error {
	if !b.handed {
		b.build(l.whole != nil)
	}
	w := l.waiting
	if w == nil {
		return l.finish(ctx, b)
	}
	w.due = w.due || b.due
	if !b.waits || l.journal.replaying() {
		return l.finish(ctx, b)
	}
	if w.batches == 0 {
		w.since = time.Now()
	}
	w.buf = b.appendTo(w.buf[:0])
	w.n += uint32(len(b.fresh))
	w.batches++
	b.reset()
	if time.Since(w.since) > max(waitingTime, waitingTimes*w.took) {
		w.due = true
	}
	if err := w.spool.Append(w.buf); err != nil {
		return &LogError{err}
	}
	return nil
}

// leave lets the set determine the new states of all pending batches, and finishes the batches.
func (l *Loop) leave(ctx context.Context) error {
	w := l.waiting
	if err := l.held(); err != nil || !w.due && w.batches == 0 {
		return err
	}
	began := time.Now()
	w.old = append(w.old[:0], make(memory.Bitset, w.n/64+1)...)
	any := false
	if err := w.set.Flush(func(number uint32) {
		if any = true; number < w.n {
			w.old.Add(number)
		}
	}); err != nil {
		return &LogError{err}
	}
	w.took, w.due = time.Since(began), false
	if any && l.journal.replaying() {
		return l.changed("some are there twice")
	}
	l.setBytes, l.growth = w.set.Bytes()
	w.onDisk = max(w.onDisk, l.onDisk())
	w.leaving = true
	defer func() { w.leaving = false }()
	if w.batch == nil {
		w.batch = l.newBatch()
	}
	number := uint32(0)
	for {
		chunk, err := w.spool.Next()
		if err != nil {
			return &LogError{err}
		}
		if chunk == nil {
			break
		}
		w.batch.takeFrom(chunk, w.old, &number)
		w.batch.bytes, w.batch.growth = l.setBytes, l.growth
		if err := l.finish(ctx, w.batch); err != nil {
			return err
		}
	}
	w.n, w.batches = 0, 0
	if err := w.spool.Reset(); err != nil {
		return &LogError{err}
	}
	w.leaving = false
	l.stop(ctx)
	return nil
}

// appendTo appends the parts of a batch that finish needs.
func (b *Batch) appendTo(buf []byte) []byte {
	for _, n := range []int{b.edges, b.full, b.Steps, int(b.depth), flag(b.root) | flag(b.again)<<1 | flag(b.partial)<<2, len(b.fresh)} {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	before := make([]uint32, b.words)
	from := uint32(0)
	for k := range b.news {
		n := &b.news[k]
		buf = binary.AppendUvarint(buf, uint64(n.until))
		buf = binary.AppendUvarint(buf, uint64(n.by))
		buf = binary.AppendVarint(buf, int64(n.From)-int64(from))
		buf = binary.AppendUvarint(buf, uint64(n.EdgeIndex))
		buf = append(binary.LittleEndian.AppendUint64(buf, n.lo), n.note)
		vector := b.vectors[k*b.words:][:b.words]
		buf = appendVector(buf, before, vector)
		before, from = vector, n.From
	}
	return buf
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// takeFrom restores a batch from appendTo, without the old states. number counts the states.
func (b *Batch) takeFrom(buf []byte, old memory.Bitset, number *uint32) {
	next := func() uint64 {
		n, k := binary.Uvarint(buf)
		buf = buf[k:]
		return n
	}
	b.reset()
	b.edges, b.full, b.Steps, b.depth = int(next()), int(next()), int(next()), int32(next())
	flags := next()
	b.root, b.again, b.partial = flags&1 != 0, flags&2 != 0, flags&4 != 0
	vector := make([]uint32, b.words)
	from := int64(0)
	for range next() {
		until, by := uint32(next()), uint32(next())
		delta, k := binary.Varint(buf)
		buf = buf[k:]
		from += delta
		n := newState{Origin{uint32(from), uint32(next())}, until, by, 0, 0}
		n.lo, n.note = binary.LittleEndian.Uint64(buf), buf[8]
		buf = takeVector(buf[9:], vector)
		if !old.Has(*number) {
			b.fresh, b.news, b.vectors = append(b.fresh, 0), append(b.news, n), append(b.vectors, vector...)
		}
		*number++
	}
}

// appendVector appends the words in which a vector differs from another one.
func appendVector(buf []byte, before, vector []uint32) []byte {
	changed := 0
	for i, v := range vector {
		if v != before[i] {
			changed++
		}
	}
	buf = binary.AppendUvarint(buf, uint64(changed))
	gap := 0
	for i, v := range vector {
		if v == before[i] {
			gap++
			continue
		}
		buf = binary.AppendUvarint(buf, uint64(gap))
		buf = binary.AppendUvarint(buf, uint64(v))
		gap = 0
	}
	return buf
}

// takeVector changes a vector to the next one, and returns the rest of buf.
func takeVector(buf []byte, vector []uint32) []byte {
	changed, k := binary.Uvarint(buf)
	buf = buf[k:]
	for i := -1; changed > 0; changed-- {
		gap, k := binary.Uvarint(buf)
		v, n := binary.Uvarint(buf[k:])
		buf = buf[k+n:]
		i += int(gap) + 1
		vector[i] = uint32(v)
	}
	return buf
}

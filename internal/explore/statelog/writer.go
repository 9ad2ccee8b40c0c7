package statelog

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/explore"
)

// A block is sealed when it is long enough, or some time after the one before. Files are synced from time to time. A
// killed process loses unsealed records, and a power failure loses unsynced ones.
const (
	sealBytes = 256 << 10
	sealEvery = 300 * time.Millisecond
	syncEvery = 500 * time.Millisecond
	mostBytes = 16 << 20 // maximum waiting to be written
)

// writer appends blocks to a log. One goroutine writes blocks, and another one syncs them.
type writer struct {
	log    *Log
	full   chan struct{} // a block is to be sealed at once
	stop   chan struct{} // closed at the end
	closed sync.Once
	done   sync.WaitGroup

	mu      sync.Mutex
	written sync.Cond // pending blocks were written, or never will be
	head    head      // of the block that is not sealed
	order   records
	records []byte
	err     error

	sealing sync.Mutex    // held before mu is taken, and while a block is written; guards the fields below, and those of the log
	buf     []byte        // scratch
	dirty   chan struct{} // signals writes to be synced
}

// begin truncates a torn end, and prepares the log for appending.
func (l *Log) begin() error {
	if l.good == 0 {
		l.good = int64(len(title))
		if _, err := l.file.WriteAt([]byte(title), 0); err != nil {
			return err
		}
	}
	if err := l.file.Truncate(l.good); err != nil {
		return err
	}
	w := &writer{log: l, full: make(chan struct{}, 1), stop: make(chan struct{}), dirty: make(chan struct{}, 1)}
	w.written.L = &w.mu
	w.head.first, w.head.Mark = l.end.States, l.end
	l.writer = w
	w.done.Go(w.write)
	w.done.Go(w.sync)
	return nil
}

// Append implements [explore.Log].
func (l *Log) Append(b *explore.Block) error {
	if l.writer == nil {
		return fmt.Errorf("%s is only read", l.name)
	}
	return l.writer.append(b)
}

func (w *writer) append(b *explore.Block) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && len(w.records) > mostBytes {
		w.written.Wait()
	}
	if w.err != nil {
		return w.err
	}
	h := &w.head
	h.Mark = b.Mark
	h.n += len(b.Origins)
	for _, o := range b.Origins {
		if w.records, w.err = w.order.append(w.records, o); w.err != nil {
			return w.err
		}
	}
	for _, p := range b.CacheFillers {
		h.fillers = appendFiller(h.fillers, p)
	}
	h.fillerCount += len(b.CacheFillers)
	h.notes = append(h.notes, b.Notes...)
	if len(w.records)+len(h.fillers)+len(h.notes) >= sealBytes {
		signal(w.full)
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// write writes blocks until the end.
func (w *writer) write() {
	defer close(w.dirty)
	tick := time.NewTicker(sealEvery)
	defer tick.Stop()
	for end := false; !end; {
		select {
		case <-w.full:
		case <-tick.C:
		case <-w.stop:
			end = true
		}
		w.seal()
	}
}

// seal writes everything appended, if anything was.
func (w *writer) seal() {
	w.sealing.Lock()
	defer w.sealing.Unlock()
	l, h := w.log, &w.head
	w.mu.Lock()
	if w.err != nil || h.Mark == l.end {
		w.mu.Unlock()
		return
	}
	end, fillers, notes := h.Mark, h.fillerCount, len(l.notes)
	l.notes = append(l.notes, h.notes...)
	w.order = records{}
	w.buf = h.append(append(w.buf[:0], make([]byte, headBytes)...))
	w.buf = append(w.buf, w.records...)
	w.records, h.fillers, h.notes = w.records[:0], h.fillers[:0], h.notes[:0]
	h.first, h.n, h.fillerCount = h.States, 0, 0
	w.written.Broadcast()
	w.mu.Unlock()
	frame(w.buf)
	if _, err := l.file.WriteAt(w.buf, l.good); err != nil {
		l.notes = l.notes[:notes]
		w.fail(errors.Join(err, l.file.Truncate(l.good)))
		return
	}
	l.good += int64(len(w.buf))
	l.stats.Bytes, l.stats.Blocks, l.stats.CacheFillers, l.end = l.good, l.stats.Blocks+1, l.stats.CacheFillers+fillers, end
	signal(w.dirty)
}

// sync syncs the file after blocks were written, but not too often.
func (w *writer) sync() {
	for range w.dirty {
		if err := w.log.file.Sync(); err != nil {
			w.fail(err)
		}
		select {
		case <-w.stop:
		case <-time.After(syncEvery):
		}
	}
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%s cannot be written: %w", w.log.name, err)
	}
	w.written.Broadcast()
}

func (w *writer) close() error {
	w.closed.Do(func() {
		close(w.stop)
		w.done.Wait()
		if err := w.log.file.Close(); err != nil {
			w.fail(err)
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.err
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.log.name, os.ErrClosed)
	} else if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return err
}

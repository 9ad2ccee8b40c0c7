package explore

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/explore/stateset"
)

// Results do not depend on the number of workers: a batch of edges is finished in the order in which batches were
// gathered, with or without the second worker, and states are numbered then.

// worker is a second worker that looks up the targets of edges. It first reads the edges of batches handed to it, see
// reading. It has exclusive use of the visited set. Batches come back in the order in which they were gathered. With
// the zero value, batches are looked up at once, by the first worker.
type worker struct {
	work, done chan *Batch
	away       int // number of unfinished batches
	free       []*Batch
	flushing   bool
	prepare    func(*Batch) // called before a batch is looked up, by the first worker
	look       func(*Batch)
	finish     func(context.Context, *Batch) error
}

// maxAway is the maximum number of batches at the worker.
const maxAway = stateset.MostPending / gathered

// begin starts the worker, if there are two (Options.Go) and the frontier hands out several states at once. The worker
// looks up prepared batches, and finish receives each result.
func (l *Loop) begin(prepare, look func(*Batch), finish func(context.Context, *Batch) error) {
	w := &l.worker
	w.prepare, w.look, w.finish = prepare, look, finish
	if l.opts.Go == nil || l.atOnce == 0 {
		return
	}
	w.work, w.done = make(chan *Batch, maxAway), make(chan *Batch, maxAway)
	l.reading = l.newReading()
	own, r := *w, l.reading
	l.opts.Go(func() { own.run(r) })
}

// run is the loop of the worker. A batch that it cannot read completely comes back unread, and later ones wait for its
// return.
func (w *worker) run(r *reading) {
	defer close(w.done)
	var waiting []*Batch
	unread := (*Batch)(nil)
	for b := range w.work {
		if unread != nil && b != unread {
			waiting = append(waiting, b)
			continue
		}
		waiting, unread = slices.Insert(waiting, 0, b), nil
		for len(waiting) > 0 && unread == nil {
			b, waiting = waiting[0], waiting[1:]
			if b.unread && !r.readAll(b) {
				unread = b
			} else {
				w.look(b)
			}
			w.done <- b
		}
	}
}

// end waits for the worker to end. Its remaining look-ups are dropped.
func (l *Loop) end() {
	w := &l.worker
	if w.work == nil {
		return
	}
	close(w.work)
	for b := range w.done {
		b.reset()
		w.free = append(w.free, b)
	}
	w.work, w.done, w.away = nil, nil, 0
	l.reading = nil
	l.batch.reset()
}

// dispatch sends the batch to be looked up, and finishes batches that were looked up already.
func (l *Loop) dispatch(ctx context.Context) error {
	w, b := &l.worker, l.batch
	w.prepare(b)
	if w.work == nil {
		w.look(b)
		return w.finish(ctx, b)
	}
	l.gathered(b)
	w.away++
	w.work <- b
	if k := len(w.free); k > 0 {
		l.batch, w.free = w.free[k-1], w.free[:k-1]
	} else {
		l.batch = l.newBatch()
	}
	for l.out.Stopped == "" && w.away > 0 && (w.away == maxAway || len(w.done) > 0) {
		if err := l.back(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flush completes the look-up of everything gathered, and finishes it.
func (l *Loop) flush(ctx context.Context) error {
	w := &l.worker
	w.flushing = true
	defer func() { w.flushing = false }()
	if err := l.dispatch(ctx); err != nil {
		return err
	}
	for l.out.Stopped == "" && w.away > 0 {
		if err := l.back(ctx); err != nil {
			return err
		}
	}
	if l.waiting != nil && l.out.Stopped == "" {
		return l.leave(ctx)
	}
	return nil
}

// back finishes the next batch that comes back, or sends it again if it was not read.
func (l *Loop) back(ctx context.Context) error {
	b := <-l.worker.done
	if b.unread {
		return l.readBack(ctx, b)
	}
	return l.finished(ctx, b)
}

func (l *Loop) finished(ctx context.Context, b *Batch) error {
	w := &l.worker
	w.away--
	w.free = append(w.free, b)
	if b.handed {
		l.reading.away--
	}
	return w.finish(ctx, b)
}

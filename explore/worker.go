package explore

import "context"

// worker is a second worker, which looks up what edges lead to. The visited set is its own; batches go to it and come
// back in the same order. The zero value does nothing, so that batches are looked up at once.
type worker struct {
	work, done chan *Batch
	away       int // batches
	free       []*Batch
	settling   bool
	prepare    func(*Batch) // before a batch is looked up
	look       func(*Batch)
	finish     func(context.Context, *Batch) error
}

// maxAway is how many batches may be away.
const maxAway = 8

// begin starts the worker, if there is to be one. It looks up batches that were prepared, and finish takes what comes back.
func (l *Loop) begin(prepare, look func(*Batch), finish func(context.Context, *Batch) error) {
	w := &l.worker
	w.prepare, w.look, w.finish = prepare, look, finish
	if l.opts.Go == nil || l.atOnce == 0 {
		return
	}
	w.work, w.done = make(chan *Batch, maxAway), make(chan *Batch, maxAway)
	work, done := w.work, w.done
	l.opts.Go(func() {
		for b := range work {
			look(b)
			done <- b
		}
		close(done)
	})
}

// end waits for the worker to end. What it still looked up is dropped.
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
	l.batch.reset()
}

// dispatch has the batch looked up, and finishes what was looked up already.
func (l *Loop) dispatch(ctx context.Context) error {
	w, b := &l.worker, l.batch
	w.prepare(b)
	if w.work == nil {
		w.look(b)
		return w.finish(ctx, b)
	}
	w.work <- b
	w.away++
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

// settle has all that was gathered looked up and finished.
func (l *Loop) settle(ctx context.Context) error {
	w := &l.worker
	w.settling = true
	defer func() { w.settling = false }()
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

// back finishes the next batch that comes back.
func (l *Loop) back(ctx context.Context) error {
	w := &l.worker
	b := <-w.done
	w.away--
	w.free = append(w.free, b)
	return w.finish(ctx, b)
}

package explore

import "context"

// worker is a second worker, which looks up what edges lead to, and reads edges when there is nothing to be looked up, see reading. The
// visited set is its own; batches are looked up, and come back, in the order in which they were gathered. The zero value does nothing, so
// that batches are looked up at once.
type worker struct {
	read, work, done chan *Batch
	gathered         []*Batch // in order: those that the worker was not given to be looked up
	away             int      // batches that are not finished
	free             []*Batch
	settling         bool
	prepare          func(*Batch) // before a batch is looked up
	look             func(*Batch)
	finish           func(context.Context, *Batch) error
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
	w.read, w.work, w.done = make(chan *Batch, maxAway), make(chan *Batch, maxAway), make(chan *Batch, maxAway)
	l.reading = l.newReading()
	own, r := *w, l.reading
	l.opts.Go(func() { own.run(r) })
}

// run is what the worker does. Look-ups come first, as what they find is waited for.
func (w *worker) run(r *reading) {
	defer close(w.done)
	for {
		var b *Batch
		select {
		case b = <-w.work:
		default:
			select {
			case b = <-w.work:
			case b = <-w.read:
			}
		}
		switch {
		case b == nil:
			return
		case b.unread:
			r.readAll(b)
		default:
			w.look(b)
		}
		w.done <- b
	}
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
	w.read, w.work, w.done, w.gathered, w.away = nil, nil, nil, nil, 0
	l.reading = nil
	l.batch.reset()
}

// dispatch has the batch looked up, and finishes what was looked up already.
func (l *Loop) dispatch(ctx context.Context) error {
	w, b := &l.worker, l.batch
	if w.work == nil {
		w.prepare(b)
		w.look(b)
		return w.finish(ctx, b)
	}
	l.reading.gathered(b)
	w.gathered = append(w.gathered, b)
	w.away++
	w.give()
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

// give gives the worker what is to be looked up next.
func (w *worker) give() {
	for len(w.gathered) > 0 && !w.gathered[0].unread {
		b := w.gathered[0]
		w.gathered = w.gathered[1:]
		w.prepare(b)
		w.work <- b
	}
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

// back finishes the next batch that comes back, or has it looked up if it was read.
func (l *Loop) back(ctx context.Context) error {
	w := &l.worker
	b := <-w.done
	if b.unread {
		return l.readBack(ctx, b)
	}
	w.away--
	w.free = append(w.free, b)
	return w.finish(ctx, b)
}

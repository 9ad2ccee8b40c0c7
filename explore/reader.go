package explore

import (
	"context"
	"sync"
)

// Readable is a graph from which edges can be read, as long as it knows all that they follow from.
type Readable interface {
	Graph
	// Reader returns what reads edges; nil: nothing can.
	Reader() Reader
}

// Reader reads edges. Several may do so at a time, each in a goroutine of its own, but not while Roots or Expand of the graph go on.
type Reader interface {
	// Read does what Expand does, unless that takes more than to read: then it returns false, and what it appended is dropped.
	Read(state []uint32, e *Edges) bool
	// Verifies reports whether Expand does more with the number'th state than to append edges. That changes nothing that is read, and does not
	// depend on when it is done.
	Verifies(number int) bool
}

// reading has the second worker read edges, too, when it has nothing else to do: of batches that are handed to it, with the states that edges
// lead from. States that cannot be read are expanded in order, so that the graph comes to know things in the same order as without.
type reading struct {
	mu     sync.Mutex // of the graph
	own    Reader
	other  Reader // the second worker's
	away   int    // batches that are being read
	states int    // as many as a batch has
	missed bool   // a state of the batch that is gathered could not be read
	ready  bool   // none of the one before
}

// readAtOnce is how many states are read at once: nothing else can be done with the graph meanwhile.
const readAtOnce = 16

// inHand is how many batches wait for the second worker, at least, when there are any to be read.
const inHand = 2

// newReading is nil when the second worker is not to read. Where an exploration stops that counts states depends on what is in a batch, and what else a
// state needs that is expanded, only the first one has.
func (l *Loop) newReading() *reading {
	g, ok := l.graph.(Readable)
	if !ok || l.bounded != nil || l.opts.Reducer != nil || l.journal != nil || l.waiting != nil || l.opts.MaxStates > 0 {
		return nil
	}
	r := &reading{own: g.Reader(), other: g.Reader()}
	if r.own == nil {
		return nil
	}
	return r
}

// list appends the edges from the state that was entered last. The first error is that of Expand.
func (l *Loop) list(ctx context.Context, b *Batch) (err, found error) {
	r, k := l.reading, len(b.ids)-1
	if r == nil || r.missed && r.away == 0 {
		return l.graph.Expand(b.parent(k), l.open, &b.Edges), nil
	}
	known, err := l.readHere(b, k, l.open)
	if known {
		return err, nil
	}
	r.missed = true
	for r.away > 0 {
		if found := l.back(ctx); found != nil || l.out.Stopped != "" {
			return nil, found
		}
	}
	return l.expandHere(b, k, l.open), nil
}

// readHere appends the edges from a state of a batch, and reports whether they are known. The error is that of Expand.
func (l *Loop) readHere(b *Batch, k, number int) (known bool, err error) {
	verify := k >= b.verified && l.reading.own.Verifies(number)
	known = read(l.reading.own, b.parent(k), &b.Edges, verify)
	if known && verify {
		err = l.expandHere(b, k, number)
	}
	return known, err
}

func (l *Loop) expandHere(b *Batch, k, number int) error {
	l.reading.mu.Lock()
	defer l.reading.mu.Unlock()
	return l.graph.Expand(b.parent(k), number, &b.Edges)
}

// read reports whether the edges from a state could be read. They are there then, unless they are only tried.
func read(r Reader, state []uint32, e *Edges, try bool) bool {
	edges, unlisted, steps := len(e.Ends), e.Unlisted, e.Steps
	known := r.Read(state, e)
	if !known || try {
		e.cut(edges)
		e.Turn, e.Unlisted, e.Steps = 0, unlisted, steps
	}
	return known
}

// gathered notes that a batch was gathered.
func (r *reading) gathered(b *Batch) {
	if r != nil && !b.handed {
		r.states, r.ready, r.missed = len(b.ids), !r.missed, false
	}
}

// hand has the second worker read the next states, if it has little to do, and reports whether it has.
func (l *Loop) hand(ctx context.Context) (bool, error) {
	r, w, b := l.reading, &l.worker, l.batch
	if r == nil || !r.ready || len(b.ids) > 0 || len(w.work) >= inHand {
		return false, nil
	}
	b.number = l.open
	for len(b.ids) < r.states && l.next() {
		if tree, _, ok := l.enter(&l.item); ok {
			l.begins(b)
			b.enter(tree, l.item.ID)
			b.By, b.depth = l.by(b), l.item.Depth+1
			b.by = append(b.by, b.By)
			if k := len(b.ids) - 1; b.verified == k && (!r.own.Verifies(l.open) || l.verify(b, k)) {
				b.verified++
			}
			l.open++
		}
	}
	if len(b.ids) == 0 {
		return false, nil
	}
	b.unread, b.handed = true, true
	r.away++
	return true, l.dispatch(ctx)
}

// verify does what Expand does more with a state than to append edges, and reports whether that could be done, and found nothing.
func (l *Loop) verify(b *Batch, k int) bool {
	known := read(l.reading.own, b.parent(k), &b.Edges, true) && l.expandHere(b, k, b.number+k) == nil
	b.cut(0)
	b.Turn, b.Unlisted, b.Steps = 0, 0, 0
	return known
}

// readAll reads the edges of a batch, and reports whether it could.
func (r *reading) readAll(b *Batch) bool {
	for len(b.last) < len(b.ids) {
		if !r.some(b) {
			return false
		}
	}
	b.unread = false
	return true
}

// some reads edges of a batch, and reports whether it could.
func (r *reading) some(b *Batch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for end := min(len(b.last)+readAtOnce, len(b.ids)); len(b.last) < end; b.leave() {
		k := b.resume()
		if k == b.verified || !read(r.other, b.parent(k), &b.Edges, false) {
			return false
		}
		b.full++
	}
	return true
}

// readBack lists the edges of a batch that the second worker did not read, and has it looked up. It is the first that was not looked up.
func (l *Loop) readBack(ctx context.Context, b *Batch) error {
	w := &l.worker
	err := l.complete(b)
	b.unread, b.partial = false, err != nil
	w.work <- b
	if err == nil {
		return nil
	}
	id := b.ids[len(b.last)-1]
	if found := l.finished(ctx, <-w.done); found != nil || l.out.Stopped != "" {
		return found
	}
	l.out.Trail, l.out.AtEdge = l.frontier.Trail(id), true
	return err
}

// complete lists the edges of a batch that the second worker did not read.
func (l *Loop) complete(b *Batch) (err error) {
	own := l.batch
	l.batch = b // see Limit
	defer func() { l.batch = own }()
	for ; err == nil && len(b.last) < len(b.ids); b.leave() {
		k := b.resume()
		known := false
		if known, err = l.readHere(b, k, b.number+k); !known {
			err = l.expandHere(b, k, b.number+k)
		}
		if err == nil {
			b.full++
		}
	}
	return err
}

// resume goes on with the next state whose edges were not listed yet.
func (b *Batch) resume() (parent int) {
	k := len(b.last)
	b.By, b.Turn = b.by[k], 0
	return k
}

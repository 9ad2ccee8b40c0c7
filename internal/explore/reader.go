package explore

import (
	"context"
	"sync"

	"github.com/macemc/macemc/internal/explore/graph"
)

// reading lets the second worker read edges, too, when it is idle. It reads those of batches handed to it with their
// parents. States that cannot be read are expanded in order, so that the graph fills its caches in the same order as
// with one worker.
type reading struct {
	mu     sync.Mutex // guards the graph
	own    graph.Reader
	other  graph.Reader // the second worker's
	away   int          // batches being read
	states int          // usual number of states in a batch
	missed int          // states that could not be read since the start of the last batch gathered here
	tree   []uint32
}

// missedShare is the inverse of the share of a batch, besides one state, that may be missed for batches to be handed on.
// Each miss stalls the second worker briefly.
const missedShare = 256

func (r *reading) missedMany() bool { return r.missed > 1+r.states/missedShare }

// readAtOnce is the number of states read under one lock of the graph.
const readAtOnce = 16

// inHand is the minimum number of batches that wait for the second worker, if there are any to read.
const inHand = 4

// newReading returns nil if the second worker must not read. With a limit on states, the stopping point would depend on
// the content of batches. The other excluded options need data for each expanded state that only the first worker has.
func (l *Loop) newReading() *reading {
	g, ok := l.graph.(graph.Readable)
	if !ok || l.bounded != nil || l.opts.Reducer != nil || l.journal != nil || l.waiting != nil || l.opts.MaxStates > 0 {
		return nil
	}
	r := &reading{own: g.Reader(), other: g.Reader()}
	if r.own == nil {
		return nil
	}
	return r
}

// list appends the edges from the state entered last. If listed is false, the state and the batch were handed on
// instead. err is the error of Expand.
func (l *Loop) list(ctx context.Context, b *Batch) (listed bool, err, found error) {
	r, k := l.reading, len(b.ids)-1
	if r == nil || r.missedMany() && r.away == 0 {
		return true, l.graph.Expand(b.parent(k), l.open, &b.Edges), nil
	}
	known, err := l.readHere(b, k, l.open)
	if known {
		return true, err, nil
	}
	if r.missed++; r.away > 0 && !r.missedMany() {
		return false, nil, l.handLast(ctx, b)
	}
	for r.away > 0 {
		if found := l.back(ctx); found != nil || l.out.Stopped != "" {
			return false, nil, found
		}
	}
	return true, l.expandHere(b, k, l.open), nil
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

// read reports whether the edges from a state could be read. It appends them unless try is set.
func read(r graph.Reader, state []uint32, e *graph.Edges, try bool) bool {
	edges, unlisted, steps := len(e.Ends), e.Unlisted, e.Steps
	known := r.Read(state, e)
	if !known || try {
		e.Truncate(edges)
		e.EdgeIndex, e.Unlisted, e.Steps = 0, unlisted, steps
	}
	return known
}

// gathered records that a batch was gathered.
func (l *Loop) gathered(b *Batch) {
	if r := l.reading; r != nil && !b.handed {
		if r.missed = 0; len(b.Ends) >= l.atOnce {
			r.states = len(b.ids)
		}
	}
}

// hand gives the next states to the second worker to read, if it has little to do, and reports whether it did.
func (l *Loop) hand(ctx context.Context) (bool, error) {
	r, w, b := l.reading, &l.worker, l.batch
	if r == nil || r.missedMany() || len(b.ids) > 0 || len(w.work) >= inHand {
		return false, nil
	}
	l.fill(b)
	if len(b.ids) == 0 {
		return false, nil
	}
	return true, l.handOn(ctx, b)
}

// handLast hands on the gathered edges. The last state could not be read. The second worker reaches it after those that
// it is reading.
func (l *Loop) handLast(ctx context.Context, b *Batch) error {
	r, k := l.reading, len(b.ids)-1
	r.tree = append(r.tree[:0], b.parents[k*b.stride:]...)
	b.parents, b.ids = b.parents[:k*b.stride], b.ids[:k]
	if missed := r.missed; k > 0 {
		if err := l.dispatch(ctx); err != nil || l.out.Stopped != "" {
			return err
		}
		b, r.missed = l.batch, missed
	}
	l.include(b, r.tree)
	l.fill(b)
	return l.handOn(ctx, b)
}

// fill fills a batch with the next states, up to the usual number.
func (l *Loop) fill(b *Batch) {
	for len(b.ids) < l.reading.states && l.next() {
		if tree, _, ok := l.enter(&l.item); ok {
			l.include(b, tree)
		}
	}
}

// include adds the current item to a batch that is to be read.
func (l *Loop) include(b *Batch, tree []uint32) {
	if l.begins(b); len(b.ids) == 0 {
		b.number = l.open
	}
	b.enter(tree, l.item.ID)
	b.By, b.depth = l.by(b), l.item.Depth+1
	b.by = append(b.by, b.By)
	l.open++
}

// handOn hands a batch to the second worker for reading.
func (l *Loop) handOn(ctx context.Context, b *Batch) error {
	l.vouch(b)
	b.unread, b.handed = true, true
	l.reading.away++
	return l.dispatch(ctx)
}

// vouch counts the leading states of a batch that need only be read.
func (l *Loop) vouch(b *Batch) {
	for b.verified < len(b.ids) && (!l.reading.own.Verifies(b.number+b.verified) || l.verify(b, b.verified)) {
		b.verified++
	}
}

// verify performs the part of Expand beyond appending edges, and reports whether that was possible without a finding.
func (l *Loop) verify(b *Batch, k int) bool {
	e := &b.Edges
	edges, index, unlisted, steps := len(e.Ends), e.EdgeIndex, e.Unlisted, e.Steps
	b.resume(k)
	known := read(l.reading.own, b.parent(k), e, true) && l.expandHere(b, k, b.number+k) == nil
	e.Truncate(edges)
	e.EdgeIndex, e.Unlisted, e.Steps = index, unlisted, steps
	return known
}

// readAll reads the edges of a batch, and reports whether it could read all.
func (r *reading) readAll(b *Batch) bool {
	for len(b.last) < len(b.ids) {
		if !r.some(b) {
			return false
		}
	}
	b.unread = false
	return true
}

// some reads the edges of some states of a batch, and reports whether it could.
func (r *reading) some(b *Batch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for end := min(len(b.last)+readAtOnce, len(b.ids)); len(b.last) < end; b.leave() {
		k := len(b.last)
		b.resume(k)
		if k == b.verified || !read(r.other, b.parent(k), &b.Edges, false) {
			return false
		}
		b.full++
	}
	return true
}

// readBack lists the edges that the second worker could not read, and lets it continue. The batch is the first that was
// not looked up.
func (l *Loop) readBack(ctx context.Context, b *Batch) error {
	w := &l.worker
	l.reading.missed++
	err := l.complete(b)
	b.unread, b.partial = err == nil && len(b.last) < len(b.ids), err != nil
	w.work <- b
	if err == nil {
		return nil
	}
	id := b.ids[len(b.last)-1]
	if found := l.finished(ctx, <-w.done); found != nil || l.out.Stopped != "" {
		return found
	}
	l.out.Path, l.out.AtEdge = l.frontier.Path(id), true
	return err
}

// complete lists the edges of the first state that the second worker could not read, and of the following ones if many
// were missed.
func (l *Loop) complete(b *Batch) (err error) {
	own := l.batch
	l.batch = b // see Limit
	defer func() { l.batch = own }()
	for first := true; err == nil && len(b.last) < len(b.ids) && (first || l.reading.missedMany()); first = false {
		k, known := len(b.last), false
		b.resume(k)
		if known, err = l.readHere(b, k, b.number+k); !known {
			err = l.expandHere(b, k, b.number+k)
		}
		if err == nil {
			b.full++
		}
		b.leave()
	}
	if b.verified = max(b.verified, len(b.last)); err == nil {
		l.vouch(b)
	}
	return err
}

// resume makes a state the next one to list edges of.
func (b *Batch) resume(k int) { b.By, b.EdgeIndex = b.by[k], 0 }

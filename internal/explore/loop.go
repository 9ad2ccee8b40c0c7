package explore

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Loop is an exploration.
type Loop struct {
	opts     Options
	graph    graph.Graph
	visited  stateset.Visited
	whole    stateset.Whole   // visited, if it implements it
	bounded  stateset.Bounded // visited, if it implements it
	frontier Frontier
	ordered  Ordered           // frontier, if it implements it
	recent   stateset.HotCache // for batches prepared by the first worker
	lately   stateset.HotCache // for batches with edges at the second worker
	worker   worker
	reading  *reading // nil if the second worker reads no edges
	batch    *Batch
	item     Item // the state being expanded
	atOnce   int
	out      Result
	unasked  int         // edges since limits were checked
	overdue  atomic.Bool // the batch in progress takes long, and the exploration should end
	open     int         // states expanded, including the last batches
	limited  string
	rest     []restItem
	keep     []uint32 // scratch
	setBytes int
	growth   int
	met      graph.FoundState
	metIn    *Batch // the batch of met, and its index among the new states
	metAs    int
	space    *Space          // nil without an analysis
	journal  *journal        // nil without a log
	waiting  *pendingBatches // nil if the set determines at once which states are new
	rows     rows            // of expanded states
	early    bool            // rows are kept while states are visited
}

// New makes an exploration of a graph. The error is about the options.
func New(g graph.Graph, opts Options) (*Loop, error) {
	if opts.MaxDepth < 0 || opts.MaxStates < 0 || opts.MaxBytes < 0 {
		return nil, errors.New("explore: MaxDepth, MaxStates and MaxBytes must not be negative")
	}
	if opts.Visited.New == nil {
		opts.Visited = stateset.Kinds[0]
	}
	if opts.Frontier.New == nil {
		opts.Frontier = Frontiers[0]
	}
	l := &Loop{opts: opts, graph: g}
	var err error
	if l.visited, err = newVisited(g, &opts); err != nil {
		return nil, err
	}
	l.whole, _ = l.visited.(stateset.Whole)
	l.bounded, _ = l.visited.(stateset.Bounded)
	words := g.Words()
	if l.whole != nil {
		words = 2 // of a key
	}
	if delayed, ok := l.visited.(stateset.Deferred); ok {
		l.waiting, l.frontier = newWaiting(delayed, opts.Spill), opts.Frontier.Spilled(words, opts.Spill)
	} else {
		l.frontier = opts.Frontier.New(words)
	}
	l.ordered, _ = l.frontier.(Ordered)
	l.atOnce = l.frontier.AtOnce()
	l.batch = l.newBatch()
	l.met.PathTo = l.pathMet
	namer, ok := opts.Analysis.(Namer)
	l.rows.width, l.rows.names, l.early = l.visited.Width(), ok && namer.Names(), l.keepsRows()
	if l.whole != nil && l.bounded == nil && (opts.Analysis == nil || l.ordered == nil) {
		l.whole.OmitNumbers()
	}
	if l.whole == nil && l.rows.names {
		l.rows.words = g.Words()
	}
	if opts.Log != nil {
		return l, l.newJournal(opts.Log)
	}
	return l, nil
}

// Run explores. It is called once.
func (l *Loop) Run(ctx context.Context) Result {
	defer l.close()
	defer l.hurry(ctx)()
	err := l.run(ctx)
	out := &l.out
	if errors.Is(err, ErrLimit) {
		out.Stopped, err = cmp.Or(out.Stopped, l.limited), nil
	}
	kept, waiting := l.frontier.Bytes()
	out.Bytes, out.Frontier = l.bytes()+kept, waiting
	if out.Spilled = l.waiting != nil && l.waiting.set.Pending(); out.Spilled {
		out.Disk = l.waiting.onDisk
	}
	out.Omission = l.visited.Omission(out.States)
	if err == nil && out.Stopped == "" && l.opts.Analysis != nil {
		err = l.analyze(ctx)
	}
	if held := l.held(); held != nil {
		err = held // its paths may be wrong
	}
	out.Err, out.Complete = err, err == nil && out.Stopped == ""
	return *out
}

func (l *Loop) run(ctx context.Context) error {
	l.begin(l.prepare, l.lookUp, l.take)
	defer l.end()
	if l.journal != nil {
		if err := l.replay(ctx); err != nil || l.out.Stopped != "" {
			return err
		}
	}
	if l.out.States == 0 {
		if err := l.roots(ctx, nil); err != nil {
			return err
		}
	}
	for l.out.Stopped == "" {
		if err := l.late(); err != nil {
			return err
		}
		if handed, err := l.hand(ctx); err != nil {
			return err
		} else if handed {
			continue
		}
		if !l.next() {
			if err := l.flush(ctx); err != nil || l.out.Stopped != "" {
				return err
			}
			if !l.frontier.More() && len(l.rest) == 0 {
				break
			}
			continue
		}
		if err := l.expand(ctx); err != nil {
			return err
		}
		if err := l.proceed(ctx); err != nil {
			return err
		}
	}
	if l.out.Stopped == "" && l.out.Expanded < l.out.States {
		l.out.Stopped, l.out.Depth = StoppedDepth, l.opts.MaxDepth
	}
	return nil
}

// proceed dispatches the gathered batch if it is large enough.
func (l *Loop) proceed(ctx context.Context) error {
	if r := l.reading; r != nil && len(l.worker.done) > 0 { // the second worker may be waiting
		if err := l.back(ctx); err != nil || l.out.Stopped != "" {
			return err
		}
	}
	if states := len(l.batch.last); states > 0 && max(states, len(l.batch.Ends)) >= l.atOnce {
		if err := l.dispatch(ctx); err != nil {
			return err
		}
	}
	if l.waiting != nil && l.waiting.due && l.out.Stopped == "" {
		return l.flush(ctx)
	}
	return nil
}

// next sets item to the state to be expanded next. States with left-out edges to follow come first.
func (l *Loop) next() bool {
	if n := len(l.rest); n > 0 {
		r := l.rest[n-1]
		l.rest = l.rest[:n-1]
		l.item = Item{Record: r.record, ID: r.id, Depth: r.depth, Rest: true}
		return true
	}
	l.item.Rest = false
	return l.frontier.Pop(&l.item)
}

// roots finds the roots, or in replay those in a block.
func (l *Loop) roots(ctx context.Context, logged *Block) error {
	b := l.batch
	b.root = true
	b.enter(make([]uint32, b.stride), 0)
	err := l.graph.Roots(&b.Edges)
	if err == nil && logged != nil {
		err = l.follow(0, l.journal.wanted(logged, 0))
	}
	if b.partial = err != nil; b.partial && logged != nil {
		b.Truncate(0)
	}
	b.leave()
	if found := l.flush(ctx); found != nil || l.out.Stopped != "" {
		return found
	}
	return err
}

// expand lists the edges from a state.
func (l *Loop) expand(ctx context.Context) error {
	item := &l.item
	tree, first, ok := l.enter(item)
	if !ok {
		return nil
	}
	b := l.batch
	b.again = !first && !item.Rest
	from := len(b.Ends)
	l.begins(b)
	b.enter(tree, item.ID)
	state := tree[:b.words]
	b.depth = item.Depth + 1
	b.By = l.by(b)
	listed, err, found := l.list(ctx, b)
	if !listed {
		return found
	}
	if l.opts.Reducer != nil {
		l.reduce(item, state, from)
	}
	b.leave()
	if err != nil {
		return l.failed(ctx, item, err)
	}
	if l.journal != nil {
		l.journal.expanded(item.ID, state, &b.Edges, from)
	}
	if first {
		l.open++
		b.full++
	}
	return nil
}

// failed ends the exploration with an error of Expand, unless an earlier edge has a finding.
func (l *Loop) failed(ctx context.Context, item *Item, err error) error {
	l.batch.partial = true
	if found := l.flush(ctx); found != nil || l.out.Stopped != "" {
		return found
	}
	l.out.Path, l.out.AtEdge = l.frontier.Path(item.ID), true
	return err
}

// enter makes an item the state being expanded. ok is false if it is not to be expanded, first is true if it was not
// expanded before. If whole states are stored, tree begins with the state, see [stateset.Whole].
func (l *Loop) enter(item *Item) (tree []uint32, first, ok bool) {
	if l.opts.MaxDepth > 0 && int(item.Depth) >= l.opts.MaxDepth {
		return nil, false, false
	}
	tree = item.Record
	if l.whole != nil {
		tree = l.whole.ReadTree(keyOf(item.Record))
	}
	first, ok = !item.Rest, true
	if l.bounded != nil {
		key := graph.Fingerprint{}
		if l.whole != nil {
			key.Lo = keyOf(item.Record)
		} else {
			key = l.graph.Fingerprint(tree)
		}
		first, ok = l.bounded.Open(key.Lo, key.Hi, item.Depth)
	}
	if ok {
		l.out.Depth = max(l.out.Depth, int(item.Depth))
	}
	return tree, first, ok
}

func keyOf(record []uint32) uint64 { return uint64(record[0])<<32 | uint64(record[1]) }

// finish processes the states of a batch that turned out to be new.
func (l *Loop) finish(ctx context.Context, b *Batch) error {
	l.setBytes, l.growth = b.bytes, b.growth
	b.final = l.opts.MaxDepth > 0 && int(b.depth) == l.opts.MaxDepth && !b.root && l.opts.Frontier.Shortest && l.opts.Reducer == nil &&
		l.journal == nil
	l.frontier.Push(b)
	if err := l.held(); err != nil {
		return err
	}
	l.metIn, l.met.Root = b, b.root
	before := l.out.Transitions
	if !b.root && !b.again {
		l.out.Transitions += b.edges
	}
	if l.journal != nil && l.journal.replay && len(b.fresh) < len(b.Ends) && !b.partial {
		return l.changed("some are there twice")
	}
	for k, name := range b.fresh {
		if name&stateset.Again != 0 {
			continue
		}
		err := l.add(b, k, b.news[k].note)
		switch {
		case err == nil:
			continue
		case l.atOnce == 0:
			l.out.Expanded += b.full
		case !b.root: // edges after this one do not count
			l.out.Transitions = before + int(b.news[k].until)
			if l.ordered != nil && l.ordered.Monotone() && l.opts.Reducer == nil {
				l.out.Expanded = int(b.news[k].From) - 1 // those before, regardless of batch boundaries
			}
		}
		return err
	}
	l.keepRows(b)
	l.out.Steps += b.Steps
	l.out.Expanded += b.full
	l.scheduleRest(b)
	if l.journal != nil {
		if err := l.logged(b); err != nil {
			return err
		}
	}
	if l.unasked += b.edges; (l.unasked >= gathered || l.worker.flushing && l.worker.away == 0) && !l.waiting.busy() {
		l.stop(ctx)
	}
	b.reset()
	return nil
}

// add checks a new state.
func (l *Loop) add(b *Batch, k int, note uint8) error {
	if err := l.late(); err != nil {
		return err
	}
	m := &l.met
	m.Barred = false
	m.State, m.Number, m.Note, l.metAs = b.vectors[k*b.words:][:b.words], l.out.States, note, k
	l.out.States++
	live, err := l.graph.Check(m)
	if err == nil && l.opts.Analysis != nil && l.ordered != nil {
		err = l.opts.Analysis.Visit(uint32(m.Number), live || m.Barred, m.Note)
	}
	if err != nil {
		l.out.Path = m.Path()
		return err
	}
	if live {
		l.out.Live++
	}
	return nil
}

// pathMet returns the edge indexes to the state being checked.
func (l *Loop) pathMet() []uint32 {
	n := l.metIn.Found(l.metAs)
	if n.From == 0 {
		return []uint32{n.EdgeIndex}
	}
	return append(l.frontier.Path(n.From-1), n.EdgeIndex)
}

// close releases memory that the garbage collector does not manage.
func (l *Loop) close() {
	l.rows.drop()
	l.recent.Free()
	l.lately.Free()
	l.visited.Close()
	l.frontier.Close()
	if l.waiting != nil {
		l.waiting.spool.Close()
	}
}

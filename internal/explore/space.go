package explore

import (
	"context"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Space presents all states to an analysis, numbered in the order in which they were found, which is that of their
// distance.
type Space struct {
	loop    *Loop
	ordered Ordered
	finder  stateset.Finder
	numbers []uint32 // by place: the state; nil if places are numbers
	visit   func(id uint32, row StateEdges, to []uint32)
	row, to []uint32 // scratch
	shown   int      // number of kept rows shown
}

// StateEdges presents a state and its edges to an analysis.
type StateEdges struct {
	row         graph.Row
	space       *Space // nil if row is used
	id          uint32
	kept, names []uint32 // of edges
	state       []uint32 // nil if the visited set stores it, or nothing does
}

// From returns the state that the edges lead from. It is valid until the next call. It is nil if the visited set stores
// no states, see [Space.Holds], and the analysis is not a [Namer] that needs names.
func (s *StateEdges) From() []uint32 {
	switch {
	case s.space == nil:
		return s.row.From()
	case s.space.Holds():
		return s.space.State(s.id)
	}
	return s.state
}

// Names returns the names of all edges, if the analysis is a [Namer] that needs them.
func (s *StateEdges) Names() []uint32 {
	if s.space == nil {
		return s.row.Names()
	}
	return s.names
}

// Recovers reports whether an edge belongs to the recovery relation.
func (s *StateEdges) Recovers(k int) bool {
	if s.space == nil {
		return s.row.Note(k)&graph.Recovery != 0
	}
	return s.kept[k]&kept != 0
}

// Len returns the number of states.
func (s *Space) Len() uint32 { return uint32(s.loop.out.States) }

// Origin returns the predecessor of a state, plus one, or 0 for a root.
func (s *Space) Origin(id uint32) uint32 {
	from, _ := s.ordered.Origin(id)
	return from
}

// Path returns the edge indexes of a shortest path to a state, see [Frontier].
func (s *Space) Path(id uint32) []uint32 { return s.ordered.Path(id) }

// Reserve returns [ErrLimit] if so many more bytes exceed the limit, even after it has dropped the kept edges.
func (s *Space) Reserve(bytes int) error {
	if s.loop.over(bytes) {
		return ErrLimit
	}
	return nil
}

// Holds reports whether the visited set stores states, so that State can be called.
func (s *Space) Holds() bool { return s.loop.whole != nil }

// State returns a state, for use by an analysis. It is valid until the next call.
func (s *Space) State(id uint32) []uint32 {
	return s.loop.whole.ReadTree(s.loop.whole.Key(id))[:s.loop.batch.words]
}

// analyze runs the analysis.
func (l *Loop) analyze(ctx context.Context) error {
	if l.ordered == nil {
		return l.judgeAgain(ctx)
	}
	s := &Space{loop: l, ordered: l.ordered}
	l.space = s
	if l.rows.full = false; l.out.States > mostKept { // otherwise fewer rows may be needed than were kept until there was no room
		l.rows.drop()
	}
	defer func() { l.space = nil }()
	var ok bool
	if l.out.Spilled {
		return nil // edges would have to be looked up on disk
	}
	if s.finder, ok = l.visited.(stateset.Finder); !ok || l.whole == nil && !l.ordered.Monotone() {
		l.out.LacksFinder = !ok
		return nil
	}
	l.begin((*Batch).named, s.lookUp, s.finish)
	defer l.end()
	if l.whole == nil {
		if err := s.number(ctx); err != nil {
			return notJudged(err)
		}
	}
	return notJudged(l.opts.Analysis.Analyze(ctx, s))
}

func notJudged(err error) error {
	if err == ErrLimit {
		return nil
	}
	return err
}

// judgeAgain visits all states once more, by a queue.
func (l *Loop) judgeAgain(ctx context.Context) error {
	l.close()
	opts := l.opts
	opts.Frontier, opts.MaxDepth, opts.MaxStates, opts.Progress = Frontiers[0], 0, 0, nil
	again, err := New(l.graph, opts)
	if err != nil {
		return err
	}
	out := again.Run(ctx)
	l.out.Path, l.out.AtEdge = out.Path, out.AtEdge
	l.out.Bytes, l.out.Frontier = max(l.out.Bytes, out.Bytes), max(l.out.Frontier, out.Frontier)
	return out.Err
}

// Pass iterates over the wanted states in ascending order, or, with down, in roughly descending order. It calls want
// for each state before it is expanded. It calls visit with the edges of each state and their targets;
// [stateset.NoPlace] stands for an unvisited state. States with all edges kept are not expanded again. If the visited
// set does not store states, the others come last, in ascending order, and want is called once more. The error is that
// of Expand, or [ErrLimit].
func (s *Space) Pass(ctx context.Context, down bool, want func(id uint32) bool, visit func(id uint32, row StateEdges, to []uint32)) error {
	return s.pass(ctx, down, false, want, visit)
}

// PassKept iterates over the states with kept edges, like Pass. Edges that sleep, see [graph.Edges], may be missing,
// unless the analysis is a [Namer] that needs names.
func (s *Space) PassKept(ctx context.Context, down bool, want func(id uint32) bool,
	visit func(id uint32, row StateEdges, to []uint32)) error {
	return s.pass(ctx, down, true, func(id uint32) bool { return s.loop.rows.has(id) && want(id) }, visit)
}

// pass is Pass. With sparse, rows that lack edges suffice.
func (s *Space) pass(ctx context.Context, down, sparse bool, want func(id uint32) bool,
	visit func(id uint32, row StateEdges, to []uint32)) error {
	s.visit = visit
	l, n := s.loop, s.Len()
	var last memory.Bitset // states to visit last
	for k := range n {
		id := k
		if down {
			id = n - 1 - k
		}
		if !want(id) {
			continue
		}
		again, err := false, error(nil)
		if l.rows.has(id) && (sparse || !l.rows.sparse(id)) {
			again, err = s.again(ctx, id)
		}
		switch {
		case err != nil || again:
		case l.whole != nil:
			err = s.gather(ctx, id, nil)
		default:
			if last == nil {
				last = make(memory.Bitset, n/64+1)
			}
			last.Add(id)
		}
		if err != nil {
			return err
		}
	}
	if err := l.flush(ctx); err != nil || last == nil {
		return err
	}
	if err := s.regenerate(ctx, s.needed(last.Has), func(id uint32, state []uint32) (graph.Row, error) {
		if !last.Has(id) || !want(id) {
			return graph.Row{}, nil
		}
		if err := s.gather(ctx, id, state); err != nil {
			return graph.Row{}, err
		}
		return l.batch.row(len(l.batch.last) - 1), nil
	}); err != nil {
		return err
	}
	return l.flush(ctx)
}

// again shows the kept edges of a state, after those of earlier states. It reports whether they are still kept.
func (s *Space) again(ctx context.Context, id uint32) (bool, error) {
	l := s.loop
	if s.shown++; s.shown%gathered == 0 {
		if err := l.limit(ctx); err != nil || !l.rows.has(id) {
			return false, err
		}
	}
	if b := l.batch; max(len(b.ids), len(b.Ends)) >= gathered {
		more := l.dispatch
		if l.rows.known(id) {
			more = l.flush
		}
		if err := more(ctx); err != nil || !l.rows.has(id) {
			return false, err
		}
	}
	switch b := l.batch; {
	case !l.rows.known(id):
		l.rows.enter(b, id)
	case len(b.ids)+l.worker.away > 0:
		row := l.rows.of(id)
		b.held, b.rows = append(b.held, held{len(b.ids), len(row)}), append(b.rows, row...)
		b.enterBare(id)
		b.leave()
	default:
		s.row = append(s.row[:0], l.rows.of(id)...) // rows may be dropped while this one is shown
		s.show(id, s.row)
	}
	return true, nil
}

// show shows the kept edges of a state.
func (s *Space) show(id uint32, row []uint32) {
	kept, names, state := s.loop.rows.parts(row)
	s.to = placesOf(kept, s.to[:0])
	s.visit(id, StateEdges{space: s, id: id, kept: kept, names: names, state: state}, s.to)
}

// gather adds the edges of a state to the batch. If whole states are stored, the state is requested after others are
// shown, since they may request states, too.
func (s *Space) gather(ctx context.Context, id uint32, state []uint32) error {
	l := s.loop
	b := l.batch
	if len(b.Ends) >= gathered {
		if err := l.limit(ctx); err != nil {
			return err
		}
		if err := l.dispatch(ctx); err != nil {
			return err
		}
		b = l.batch
	}
	if l.whole != nil {
		state = l.whole.ReadTree(l.whole.Key(id))
	}
	b.enter(state, id)
	err := s.expand(id, state[:b.words], &b.Edges)
	b.leave()
	return err
}

// expand appends all edges from a state.
func (s *Space) expand(id uint32, state []uint32, e *graph.Edges) error {
	err := s.loop.graph.Expand(state, -1, e)
	if err != nil {
		s.loop.out.Path, s.loop.out.AtEdge = s.Path(id), true
	}
	return err
}

func (s *Space) lookUp(b *Batch) {
	s.loop.resolve(b)
	b.places = s.finder.FindAll(&b.keys, b.places)
	if s.numbers == nil {
		return
	}
	for t, place := range b.places {
		if place != stateset.NoPlace {
			b.places[t] = s.numbers[place]
		}
	}
}

func (s *Space) finish(_ context.Context, b *Batch) error {
	r, waits, rows := &s.loop.rows, b.held, b.rows
	for k, id := range b.ids {
		if len(waits) > 0 && waits[0].parent == k {
			s.show(id, rows[:waits[0].words])
			waits, rows = waits[1:], rows[waits[0].words:]
			continue
		}
		row := b.row(k)
		to := b.places[row.Begin:row.End]
		switch {
		case r.has(id) && !r.sparse(id):
			r.know(id, to)
		case !r.full:
			s.loop.keepRow(b, k, to)
		}
		if !s.Holds() && !r.names {
			row.State = nil
		}
		s.visit(id, StateEdges{row: row}, to)
	}
	b.reset()
	return nil
}

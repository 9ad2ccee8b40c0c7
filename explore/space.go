package explore

import (
	"context"
	"slices"
)

// Space is what a judge is shown: all states, numbered in the order in which they were found, which is that of their distance.
type Space struct {
	loop    *Loop
	ordered Ordered
	finder  Finder
	numbers []uint32 // by place: the state; nil: places are numbers
	want    func(id uint32) bool
	visit   func(id uint32, row Shown, to []uint32)
	row, to []uint32 // scratch
	shown   int      // rows that were kept
}

// Shown is what a judge sees of a state and its edges.
type Shown struct {
	row   Row
	space *Space // nil: row is meant
	id    uint32
	kept  []uint32 // edges, and behind them names if they are asked for
}

// From is the state whose edges these are; valid until the next call.
func (s *Shown) From() []uint32 {
	if s.space == nil {
		return s.row.From()
	}
	return s.space.State(s.id)
}

// Names are those of all edges, if the judge is a [Namer] that asks for them.
func (s *Shown) Names() []uint32 {
	if s.space == nil {
		return s.row.Names()
	}
	return s.kept[len(s.kept)/2:]
}

// Recovers reports whether an edge is one of the recovery relation.
func (s *Shown) Recovers(k int) bool {
	if s.space == nil {
		return s.row.Note(k)&Recovery != 0
	}
	return s.kept[k]&kept != 0
}

// Len is how many states there are.
func (s *Space) Len() uint32 { return uint32(s.loop.out.States) }

// Origin is the state that a state was found from, plus one; 0: it is a root.
func (s *Space) Origin(id uint32) uint32 {
	from, _ := s.ordered.Origin(id)
	return from
}

// Trail is the turns to a state, by as few edges as possible, see [Frontier].
func (s *Space) Trail(id uint32) []uint32 { return s.ordered.Trail(id) }

// Reserve reports by [ErrLimit] that there is no room for so many bytes. Edges that are kept are let go of before.
func (s *Space) Reserve(bytes int) error {
	if s.loop.over(bytes) {
		return ErrLimit
	}
	return nil
}

// Holds reports whether the visited set holds states, so that State can be called.
func (s *Space) Holds() bool { return s.loop.whole != nil }

// State is a state, for a call of what a judge does with it; valid until the next call.
func (s *Space) State(id uint32) []uint32 {
	return s.loop.whole.Enter(s.loop.whole.Key(id))[:s.loop.batch.words]
}

// judge has the judge judge.
func (l *Loop) judge(ctx context.Context) error {
	if l.ordered == nil {
		return l.judgeAgain(ctx)
	}
	s := &Space{loop: l, ordered: l.ordered}
	l.space = s
	l.rows.full = false // fewer may be asked for than were kept until there was no room
	defer func() { l.space = nil }()
	var ok bool
	if l.out.Spilled {
		return nil // it would take looking up each edge on disk
	}
	if s.finder, ok = l.visited.(Finder); !ok || l.whole == nil && !l.ordered.Monotone() {
		return nil
	}
	l.begin((*Batch).named, s.lookUp, s.finish)
	defer l.end()
	if l.whole == nil {
		if err := s.number(ctx); err != nil {
			return notJudged(err)
		}
	}
	return notJudged(l.opts.Judge.Judge(ctx, s))
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
	l.out.Trail, l.out.AtEdge = out.Trail, out.AtEdge
	l.out.Bytes, l.out.Frontier = max(l.out.Bytes, out.Bytes), max(l.out.Frontier, out.Frontier)
	return out.Err
}

// Pass goes through the states that are wanted, in ascending order, or, with down, in one that descends more or less: each is asked for
// before it is expanded. It calls visit with the edges of each, and the states that they lead to, [NoPlace] for one that was not visited.
// States whose edges are kept are not expanded again. The error is that of Expand, or [ErrLimit].
func (s *Space) Pass(ctx context.Context, down bool, want func(id uint32) bool, visit func(id uint32, row Shown, to []uint32)) error {
	s.want, s.visit = want, visit
	if l := s.loop; l.whole == nil {
		if err := s.regenerate(ctx, s.needed(want), s.gather); err != nil {
			return err
		}
		return l.settle(ctx)
	}
	l, n := s.loop, s.Len()
	for k := range n {
		id := k
		if down {
			id = n - 1 - k
		}
		if !want(id) {
			continue
		}
		if l.rows.has(id) {
			if err := s.again(ctx, id); err != nil {
				return err
			}
			continue
		}
		if err := s.gather(ctx, id, nil); err != nil {
			return err
		}
	}
	return l.settle(ctx)
}

// again shows the edges of a state that are kept, once those that come before have been shown.
func (s *Space) again(ctx context.Context, id uint32) error {
	l := s.loop
	if s.shown++; s.shown%gathered == 0 {
		if err := l.limit(ctx); err != nil {
			return err
		}
		if !l.rows.has(id) {
			return s.gather(ctx, id, nil)
		}
	}
	if b := l.batch; len(b.ids) >= gathered {
		if err := l.settle(ctx); err != nil {
			return err
		}
	} else if len(b.ids)+l.worker.away > 0 {
		b.held = append(b.held, held{len(b.ids), slices.Clone(l.rows.of(id, l.names))})
		b.enter(make([]uint32, b.stride), id)
		b.leave()
		return nil
	}
	s.row = append(s.row[:0], l.rows.of(id, l.names)...) // rows may be let go of while this one is shown
	s.show(id, s.row)
	return nil
}

// show shows the edges of a state that are kept.
func (s *Space) show(id uint32, row []uint32) {
	n := len(row)
	if s.loop.names {
		n /= 2
	}
	s.to = placesOf(row[:n], s.to[:0])
	s.visit(id, Shown{space: s, id: id, kept: row}, s.to)
}

// gather adds the edges of a state to the batch. If whole states are kept, the state is asked for once others have been shown, as these may ask, too.
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
		state = l.whole.Enter(l.whole.Key(id))
	}
	b.enter(state, id)
	err := s.expand(id, state[:b.words], &b.Edges)
	b.leave()
	return err
}

// expand appends all edges from a state.
func (s *Space) expand(id uint32, state []uint32, e *Edges) error {
	err := s.loop.graph.Expand(state, -1, e)
	if err != nil {
		s.loop.out.Trail, s.loop.out.AtEdge = s.Trail(id), true
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
		if place != NoPlace {
			b.places[t] = s.numbers[place]
		}
	}
}

func (s *Space) finish(_ context.Context, b *Batch) error {
	waits := b.held
	for k, id := range b.ids {
		if len(waits) > 0 && waits[0].parent == k {
			s.show(id, waits[0].row)
			waits = waits[1:]
			continue
		}
		begin, end := b.begin(k), int(b.last[k])
		to := b.places[begin:end]
		if s.Holds() && !s.loop.rows.full {
			s.loop.keepRow(id, b.Notes[begin:end], to, b.Names[begin:end])
		}
		s.visit(id, Shown{row: Row{&b.Edges, begin, end, b.parent(k)}}, to)
	}
	b.reset()
	return nil
}

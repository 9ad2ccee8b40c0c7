package explore

import (
	"context"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// States cannot be recovered from fingerprints, but from the way they were found: expanded states are expanded again,
// in the same order, along the edges by which new states were found.

// needed returns the set of the wanted states and all their predecessors.
func (s *Space) needed(want func(id uint32) bool) memory.Bitset {
	need := make(memory.Bitset, s.Len()/64+1)
	for id := s.Len(); id > 0; {
		id--
		if !need.Has(id) && !want(id) {
			continue
		}
		need.Add(id)
		if from := s.Origin(id); from != 0 {
			need.Add(from - 1)
		}
	}
	return need
}

// regenerate calls each with the states of need, which must be closed under predecessors. each returns all edges of the
// state, or none.
func (s *Space) regenerate(ctx context.Context, need memory.Bitset, each func(id uint32, state []uint32) (graph.Row, error)) error {
	l := s.loop
	words := l.graph.Words()
	e := &graph.Edges{Width: l.visited.Width()}
	waiting := newQueue(words).(*queue)
	defer waiting.Close()
	var to []uint32
	child := uint32(0)
	// follow queues the states found from one, and calls list if its edges are missing.
	follow := func(from uint32, state []uint32, row graph.Row, list func() error) error {
		for ; child < s.Len(); child++ {
			at, edge := s.ordered.Origin(child)
			if at > from {
				break
			}
			if at < from || !need.Has(child) {
				continue
			}
			if row.Edges == nil {
				e.Truncate(0)
				if err := list(); err != nil {
					return err
				}
				row.Edges = e
			}
			to = row.To(int(edge), state, to[:0])
			waiting.push(to, 0)
		}
		return nil
	}
	err := follow(0, make([]uint32, words), graph.Row{}, func() error { return l.graph.Roots(e) })
	next := uint32(0)
	var state []uint32
	for id := uint32(0); id < s.Len() && err == nil; id++ {
		if !need.Has(id) {
			continue
		}
		record, _ := waiting.next(next)
		state = append(state[:0], record...)
		if next++; next%gathered == 0 {
			err = l.limit(ctx)
		}
		row := graph.Row{}
		if err == nil {
			row, err = each(id, state)
		}
		if err == nil {
			err = follow(id+1, state, row, func() error { return s.expand(id, state, e) })
		}
	}
	return err
}

// number determines which state is at which place of the visited set.
func (s *Space) number(ctx context.Context) error {
	l := s.loop
	places := s.finder.Places()
	if uint64(places) >= uint64(stateset.NoPlace) || l.over(4*places) {
		return ErrLimit
	}
	s.numbers = make([]uint32, places)
	if l.rows.knows(s.Len()) {
		s.numberKnown()
		return nil
	}
	all := make(memory.Bitset, s.Len()/64+1)
	for i := range all {
		all[i] = ^uint64(0)
	}
	var k stateset.Keys
	var ids, found []uint32
	flush := func() {
		found = s.finder.FindAll(&k, found[:0])
		for i, place := range found {
			s.numbers[place] = ids[i]
		}
		k.Lo, k.Hi, ids = k.Lo[:0], k.Hi[:0], ids[:0]
	}
	err := s.regenerate(ctx, all, func(id uint32, state []uint32) (graph.Row, error) {
		f := l.graph.Fingerprint(state)
		k.Lo, k.Hi, ids = append(k.Lo, f.Lo), append(k.Hi, f.Hi), append(ids, id)
		if len(ids) == gathered {
			flush()
		}
		return graph.Row{}, nil
	})
	flush()
	return err
}

// numberKnown is number if the fingerprints are known.
func (s *Space) numberKnown() {
	r := &s.loop.rows
	var k stateset.Keys
	var found []uint32
	for begin := 0; begin < int(s.Len()); begin += gathered {
		end := min(begin+gathered, int(s.Len()))
		k.Lo = r.order[0].Words[begin:end]
		if r.width == 2 {
			k.Hi = r.order[1].Words[begin:end]
		}
		found = s.finder.FindAll(&k, found[:0])
		for i, place := range found {
			s.numbers[place] = uint32(begin + i)
		}
	}
	r.lose()
}

// limit returns ErrLimit if an analysis must stop. It drops kept rows first.
func (l *Loop) limit(ctx context.Context) error {
	if l.over(0) || ctx.Err() != nil {
		return ErrLimit
	}
	return nil
}

package explore

import "slices"

// stack is a last-in, first-out frontier. Few states wait, and the edge indexes to each follow from the states below
// it.
type stack struct {
	words int
	items []uint32 // records, each followed by its depth and edge index
	trail []uint32
	most  int
}

func newStack(words int) Frontier { return &stack{words: words} }

func (s *stack) AtOnce() int { return 0 }

func (s *stack) Push(b *Batch) {
	for k := b.Len() - 1; k >= 0; k-- { // the first goes on top
		edge := b.news[k].EdgeIndex
		s.items = append(append(s.items, b.record(k)...), uint32(b.depth), edge)
	}
	s.most = max(s.most, 4*(cap(s.items)+cap(s.trail)))
}

func (s *stack) Pop(item *Item) bool {
	at := len(s.items) - s.words - 2
	if at < 0 {
		return false
	}
	top := s.items[at:]
	s.items = s.items[:at]
	depth, edge := top[s.words], top[s.words+1]
	s.trail = append(s.trail[:depth], edge)
	item.Record, item.Depth = top[:s.words], int32(depth)
	return true
}

func (s *stack) More() bool { return len(s.items) > 0 }

func (s *stack) Path(uint32) []uint32 { return slices.Clone(s.trail) }

func (s *stack) Bytes() (kept, waiting int) { return 0, s.most }

func (s *stack) Close() {}

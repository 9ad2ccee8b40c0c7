package explore

import (
	"slices"

	"github.com/macemc/macemc/internal/explore/graph"
)

// restItem is a state with left-out edges to follow.
type restItem struct {
	record []uint32 // its own
	id     uint32
	depth  int32
}

// reducedState is a state with some edges left out.
type reducedState struct {
	parent int // in the batch
	depth  int32
	record int // start of its record
}

// reduce drops the edges from an index on that are not needed at present.
func (l *Loop) reduce(item *Item, state []uint32, from int) {
	b := l.batch
	row := graph.Row{Edges: &b.Edges, Begin: from, End: len(b.Ends), State: state}
	l.keep = l.opts.Reducer.Sufficient(state, row, l.keep[:0])
	switch {
	case item.Rest:
		l.keep = complement(l.keep, row.Len())
	case len(l.keep) < row.Len():
		b.reduced = append(b.reduced, reducedState{len(b.ids) - 1, item.Depth, len(b.left)})
		b.left = append(b.left, item.Record...)
	}
	b.Keep(from, l.keep)
}

// complement returns the numbers below n that are not in an ascending list. It overwrites the list.
func complement(list []uint32, n int) (others []uint32) {
	for k := range uint32(n) {
		if len(list) > 0 && list[0] == k {
			list = list[1:]
			continue
		}
		others = append(others, k)
	}
	return others
}

// scheduleRest schedules the left-out edges of states where the cycle proviso requires it, see [Reducer].
func (l *Loop) scheduleRest(b *Batch) {
	for k, r := range b.reduced {
		state := b.parent(r.parent)
		anyNew := slices.ContainsFunc(b.fresh, func(t uint32) bool {
			return int(t) >= b.begin(r.parent) && t < b.last[r.parent]
		})
		if l.opts.Reducer.Rest(state, anyNew) {
			end := len(b.left)
			if k+1 < len(b.reduced) {
				end = b.reduced[k+1].record
			}
			l.rest = append(l.rest, restItem{slices.Clone(b.left[r.record:end]), b.ids[r.parent], r.depth})
		}
	}
}

package explore

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
)

func TestQueue_ReusesParts(t *testing.T) {
	for _, c := range []struct{ from, name, bytes uint32 }{ // words and names of two bytes, some of which need four later, or at once
		{0, 0, 8}, {0, 60_000, 10}, {0, 1 << 30, 10}, {60_000, 0, 14}, {60_000, 59_000, 16}, {1 << 20, 1 << 30, 16},
	} {
		q := newQueue(3).(*queue)
		next := uint32(0)
		for id := range uint32(10_000) {
			n := c.from + id
			q.push([]uint32{n, n + 1, n + 2}, c.name+id)
			for ; next < id/2; next++ {
				n := c.from + next
				if v, name := q.next(next); !slices.Equal(v, []uint32{n, n + 1, n + 2}) || name != c.name+next {
					t.Fatalf("record %d is %v, %d", next, v, name)
				}
			}
		}
		if waiting := 10_000 - next; q.most() > int(c.bytes*(waiting+2*queuePart)) {
			t.Errorf("%d bytes for %d records", q.most(), waiting)
		}
		q.Close()
	}
}

// States at the maximum depth wait in no queue, but their predecessors are stored.
func TestQueue_WithoutFinalStates(t *testing.T) {
	spill := &stateset.Spill{Dir: t.TempDir(), Bytes: 1 << 20}
	for _, f := range []Frontier{newQueue(2), newSpooled(2, spill)} {
		b := &Batch{words: 2, fresh: []uint32{0}, news: []newState{{Origin: Origin{From: 0, EdgeIndex: 5}, by: 7}}, vectors: []uint32{1, 2}}
		f.Push(b)
		var item Item
		if !f.More() || !f.Pop(&item) || !slices.Equal(item.Record, []uint32{1, 2}) || item.By != 7 {
			t.Errorf("%T: popped %+v", f, item)
		}
		b.final, b.news[0].Origin = true, Origin{From: 1, EdgeIndex: 6}
		f.Push(b)
		if f.More() || f.Pop(&item) {
			t.Errorf("%T: popped %+v", f, item)
		}
		if trail := f.Path(1); !slices.Equal(trail, []uint32{5, 6}) {
			t.Errorf("%T: trail %d", f, trail)
		}
		f.Close()
	}
}

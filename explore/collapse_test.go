package explore

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The set must be a set: whatever is added comes back, and is told from all else.
func TestCollapseIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(2, 9).Draw(t, "words")
		var order []int32
		for i := range words {
			order = append(order, int32(i))
		}
		c := newCollapse(rapid.Permutation(order).Draw(t, "order"))
		var roots pairs
		var base []uint32
		tree := make([]uint32, c.size())
		numbers := map[string]uint32{}
		var vectors [][]uint32
		word := rapid.SampledFrom([]uint32{0, 1, 2, 3, 1 << 20, 1<<32 - 2})
		for range rapid.IntRange(1, 200).Draw(t, "adds") {
			if len(vectors) > 0 { // a successor of some vector
				base = make([]uint32, c.size())
				c.unfold(roots.list.at(uint32(rapid.IntRange(0, len(vectors)-1).Draw(t, "base"))), base)
				copy(tree, base[:words])
			}
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				tree[rapid.IntRange(0, words-1).Draw(t, "at")] = word.Draw(t, "word")
			}
			v := slices.Clone(tree[:words])
			c.complete(tree, base)
			id, added := roots.intern(c.root(tree))
			want, known := numbers[fmt.Sprint(v)]
			if !known {
				want = uint32(len(vectors))
				numbers[fmt.Sprint(v)] = want
				vectors = append(vectors, v)
			}
			if id != want || added == known {
				t.Fatalf("%v: number %d, added: %v; want %d, %v", v, id, added, want, !known)
			}
		}
		for i, v := range vectors {
			c.unfold(roots.list.at(uint32(i)), tree)
			if !slices.Equal(tree[:words], v) {
				t.Fatalf("number %d is %v, was %v", i, tree[:words], v)
			}
		}
	})
}

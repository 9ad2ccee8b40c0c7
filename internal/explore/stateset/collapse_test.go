package stateset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
)

// The set is exact: added vectors come back, and are distinguished from all others.
func TestCollapseIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(2, 9).Draw(t, "words")
		c := newCollapse(words, drawTogether(t, words))
		var roots pairs
		var base []uint32
		tree := make([]uint32, c.size())
		numbers := map[string]uint32{}
		var vectors [][]uint32
		word := rapid.SampledFrom([]uint32{0, 1, 2, 3, 1 << 20, 1<<32 - 2})
		for range rapid.IntRange(1, 200).Draw(t, "adds") {
			if len(vectors) > 0 { // a successor of some vector
				base = make([]uint32, c.size())
				c.unfold(roots.list.At(uint32(rapid.IntRange(0, len(vectors)-1).Draw(t, "base"))), base)
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
			c.unfold(roots.list.At(uint32(i)), tree)
			if !slices.Equal(tree[:words], v) {
				t.Fatalf("number %d is %v, was %v", i, tree[:words], v)
			}
		}
	})
}

// drawTogether draws sets of words, independent of the words that change.
func drawTogether(t *rapid.T, words int) [][]int32 {
	return rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(words)-1), 0, 3, rapid.ID), 0, 70).Draw(t, "together")
}

// A tree has each word as a leaf once, and each inner node as a child of one other, after its children. All words that
// never change are below one node with no changing word below.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(2, 200).Draw(t, "words")
		together := drawTogether(t, words)
		left, right := newTree(words, together)
		seen := make([]int, words+len(left))
		leaves := make([]int, words+len(left))
		changed := make([]bool, words+len(left))
		for _, set := range together {
			for _, word := range set {
				changed[word] = true
			}
		}
		never := 0
		for i := range words {
			leaves[i] = 1
			if !changed[i] {
				never++
			}
		}
		apart := 0
		for k := range left {
			for _, child := range []int32{left[k], right[k]} {
				seen[child]++
				if int(child) >= words+k {
					t.Fatalf("node %d has a child %d", words+k, child)
				}
				leaves[words+k] += leaves[child]
				changed[words+k] = changed[words+k] || changed[child]
			}
			if !changed[words+k] {
				apart = max(apart, leaves[words+k])
			}
		}
		for i, n := range seen[:len(seen)-1] {
			if n != 1 {
				t.Fatalf("%d is a child of %d nodes", i, n)
			}
		}
		if len(left) != words-1 || leaves[len(leaves)-1] != words {
			t.Fatalf("%d inner nodes, %d leaves of %d", len(left), leaves[len(leaves)-1], words)
		}
		if words <= mostCompared && never > 1 && apart != never {
			t.Fatalf("of %d words that do not change %d are apart", never, apart)
		}
	})
}

// The keys of many edges resolved together are those of their targets, for vectors with as many words as a set can
// hold, and more. This holds even if more pairs are looked up than are cached, and without allocations.
func TestResolve(t *testing.T) {
	for _, words := range []int{2, 3, 9, 31, 33, 62, 63, 64, 65, 70} {
		rnd := rand.New(rand.NewPCG(uint64(words), 1))
		var together [][]int32
		for range 20 {
			together = append(together, []int32{int32(rnd.IntN(words)), int32(rnd.IntN(words))})
		}
		c := &exact{collapse: *newCollapse(words, together)}
		c.tree = make([]uint32, c.size())
		root := &graph.Edges{}
		root.End(graph.Fingerprint{}, 0)
		c.ResolveTargets(root, nil, []uint32{1})
		keys := []uint64{root.Lo[0]}
		resolve := func() {}
		for round := range 40 {
			e := &graph.Edges{}
			var trees, last []uint32
			var want [][]uint32
			for range 1 + round%2*100 { // few, and many
				trees = append(trees, c.ReadTree(keys[rnd.IntN(len(keys))])...)
				from := trees[len(trees)-c.size():][:words]
				for range rnd.IntN(20) {
					to := slices.Clone(from)
					for range rnd.IntN(4) {
						at, value := rnd.IntN(words), uint32(rnd.IntN(1+5*round))
						to[at] = value
						e.Change(at, value)
					}
					e.End(graph.Fingerprint{}, 0)
					want = append(want, to)
				}
				last = append(last, uint32(len(e.Ends)))
			}
			c.ResolveTargets(e, trees, last)
			for t0, key := range e.Lo {
				if got := c.ReadTree(key)[:words]; !slices.Equal(got, want[t0]) {
					t.Fatalf("%d words, round %d: edge %d leads to %v, want %v", words, round, t0, got, want[t0])
				}
			}
			keys = append(keys, e.Lo...)
			resolve = func() { c.ResolveTargets(e, trees, last) }
		}
		if n := testing.AllocsPerRun(5, resolve); n > 0 {
			t.Errorf("%d words: %v allocations", words, n)
		}
	}
}

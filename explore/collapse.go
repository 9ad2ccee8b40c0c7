package explore

import "math/bits"

// collapse is a set of vectors, stored as binary trees: a leaf is a word, an inner node a pair of
// numbers that is interned, a vector the number of its root. States that differ in a few words share
// all else, so that a vector takes little more than its root, and nothing is lost: the set is exact.
//
// Vectors have at least two words.
type collapse struct {
	words int
	left  []int32 // per inner node, bottom up: its children; words first, then inner nodes
	right []int32
	above []uint64 // by word: set of the inner nodes above it but for the root; nil: there are too many
	inner pairs
	hot   []hotPair // by hash: inner nodes that were looked up lately
}

// hotPair is an inner node that was looked up; no pair means none, as pairs of
// two zeros are always looked up.
type hotPair struct {
	pair uint64
	id   uint32
}

const hotBits = 12

// narrow is how many words a vector may have for sets of them to be kept in a word.
const narrow = 64

// newCollapse makes a set of vectors of so many words. What changes together, see [Graph], does not matter for what is in the set, but for how many inner
// nodes are looked up.
func newCollapse(words int, together [][]int32) *collapse {
	c := &collapse{words: words}
	c.left, c.right = newTree(words, together)
	if words <= narrow {
		c.above = make([]uint64, c.size()+1)
		for k := len(c.left) - 2; k >= 0; k-- {
			set := c.above[words+k] | 1<<k
			c.above[c.left[k]], c.above[c.right[k]] = set, set
		}
		c.above = c.above[:words]
	}
	return c
}

// size is how many numbers a tree takes: words, then inner nodes but for the root.
func (c *collapse) size() int { return c.words + len(c.left) - 1 }

// unfold writes the tree of a root: its words, and the numbers of its inner nodes but for the root. It reads only what was there when the root was.
func (c *collapse) unfold(p uint64, tree []uint32) {
	last := len(c.left) - 1
	tree[c.left[last]], tree[c.right[last]] = uint32(p>>32), uint32(p)
	inner := c.inner.list.published()
	for k := last - 1; k >= 0; k-- {
		p := inner[tree[c.words+k]]
		tree[c.left[k]], tree[c.right[k]] = uint32(p>>32), uint32(p)
	}
}

// complete brings inner nodes up to date.
func (c *collapse) complete(tree, base []uint32) {
	for k := range len(c.left) - 1 {
		l, r := c.left[k], c.right[k]
		if base != nil && tree[l] == base[l] && tree[r] == base[r] {
			tree[c.words+k] = base[c.words+k]
			continue
		}
		tree[c.words+k], _ = c.inner.intern(c.pair(k, tree))
	}
}

// over is the set of inner nodes above some words of a narrow vector, but for the root.
func (c *collapse) over(words uint64) (nodes uint64) {
	for ; words != 0; words &= words - 1 {
		nodes |= c.above[bits.TrailingZeros64(words)]
	}
	return nodes
}

// update brings a set of inner nodes up to date.
func (c *collapse) update(tree []uint32, nodes uint64) {
	if c.hot == nil {
		c.hot = make([]hotPair, 1<<hotBits)
	}
	for ; nodes != 0; nodes &= nodes - 1 {
		k := bits.TrailingZeros64(nodes)
		pair := c.pair(k, tree)
		h := &c.hot[hash(pair)>>(64-hotBits)]
		if h.pair != pair || pair == 0 {
			h.pair = pair
			h.id, _ = c.inner.intern(pair)
		}
		tree[c.words+k] = h.id
	}
}

// pair is what an inner node stands for.
func (c *collapse) pair(k int, tree []uint32) uint64 {
	return uint64(tree[c.left[k]])<<32 | uint64(tree[c.right[k]])
}

func (c *collapse) root(tree []uint32) uint64 { return c.pair(len(c.left)-1, tree) }

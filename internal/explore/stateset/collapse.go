package stateset

import (
	"math/bits"
	"slices"
)

// collapse is a set of vectors, stored as binary trees. A leaf is a word, an inner node an interned pair of numbers,
// and a vector is the number of its root. States that differ in a few words share everything else, so that a vector
// takes little more than its root. The set is exact.
//
// Vectors have at least two words.
type collapse struct {
	words  int
	left   []int32 // per inner node, bottom up: its children; words first, then inner nodes
	right  []int32
	above  []uint64      // by word: set of the inner nodes above it, without the root; nil if there are too many
	height []uint8       // per inner node, without the root; nil if there are too many
	stale  [][]staleNode // by height: the inner nodes to be updated
	inner  pairs
	missed []uint64  // scratch: pairs
	places []uint32  // their tree positions
	hot    []hotPair // by hash: inner nodes looked up recently
}

// staleNode is an inner node of the tree at an index.
type staleNode struct{ tree, k uint32 }

// hotPair is an inner node that was looked up.
type hotPair struct {
	pair uint64
	id   uint32
}

const hotBits = 13

// narrow is the maximum number of words of a vector for which a word can hold a set of its words.
const narrow = 64

// newCollapse makes a set of vectors of so many words. The sample together, see [graph.Graph], does not affect the
// content of the set, only the number of inner nodes looked up.
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
		c.heights()
		c.hot = make([]hotPair, 1<<hotBits)
		c.hot[Hash(0)>>(64-hotBits)].pair = 1 // a look-up of a pair of zeros must not hit at the start
	}
	return c
}

// heights makes room for inner nodes by their height.
func (c *collapse) heights() {
	heights := make([]uint8, c.size()+1)
	for k := range len(c.left) - 1 {
		h := max(heights[c.left[k]], heights[c.right[k]])
		c.height = append(c.height, h)
		if heights[c.words+k] = h + 1; int(h) == len(c.stale) {
			c.stale = append(c.stale, nil)
		}
	}
}

// size returns the number of words of a tree: words, then inner nodes without the root.
func (c *collapse) size() int { return c.words + len(c.left) - 1 }

// unfold writes the tree of a root: its words, and the numbers of its inner nodes without the root. It reads only
// entries as old as the root.
func (c *collapse) unfold(p uint64, tree []uint32) {
	last := len(c.left) - 1
	tree[c.left[last]], tree[c.right[last]] = uint32(p>>32), uint32(p)
	inner := c.inner.list.Published()
	for k := last - 1; k >= 0; k-- {
		p := inner[tree[c.words+k]]
		tree[c.left[k]], tree[c.right[k]] = uint32(p>>32), uint32(p)
	}
}

// complete updates all inner nodes.
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

// over returns the set of inner nodes above some words of a narrow vector, without the root.
func (c *collapse) over(words uint64) (nodes uint64) {
	for ; words != 0; words &= words - 1 {
		nodes |= c.above[bits.TrailingZeros64(words)]
	}
	return nodes
}

// change marks a set of inner nodes, in the tree at an index, for update.
func (c *collapse) change(at int, nodes uint64) {
	for ; nodes != 0; nodes &= nodes - 1 {
		k := bits.TrailingZeros64(nodes)
		level := &c.stale[c.height[k]]
		*level = append(*level, staleNode{uint32(at), uint32(k)})
	}
}

// update updates the marked inner nodes of some trees. Nodes of the same height are independent, so that many memory
// reads overlap. It does not branch on hits in hot, because they are unpredictable.
func (c *collapse) update(trees []uint32) {
	for height, stale := range c.stale {
		n := len(stale)
		c.missed, c.places = slices.Grow(c.missed[:0], n)[:n], slices.Grow(c.places[:0], n)[:n]
		missed, places, n := c.missed, c.places, 0
		for _, node := range stale {
			tree, at := trees[node.tree:], node.tree+uint32(c.words)+node.k
			pair := c.pair(int(node.k), tree)
			h := &c.hot[Hash(pair)>>(64-hotBits)]
			trees[at] = h.id
			missed[n], places[n] = pair, at
			differs := h.pair ^ pair
			n += int((differs | -differs) >> 63)
		}
		c.inner.prefetch(missed[:n])
		for i, pair := range missed[:n] {
			id, _ := c.inner.intern(pair)
			trees[places[i]] = id
			c.hot[Hash(pair)>>(64-hotBits)] = hotPair{pair, id}
		}
		c.stale[height] = stale[:0]
	}
}

// renew updates a set of inner nodes of one tree.
func (c *collapse) renew(tree []uint32, nodes uint64) {
	for ; nodes != 0; nodes &= nodes - 1 {
		k := bits.TrailingZeros64(nodes)
		pair := c.pair(k, tree)
		h := &c.hot[Hash(pair)>>(64-hotBits)]
		if h.pair != pair {
			id, _ := c.inner.intern(pair)
			*h = hotPair{pair, id}
		}
		tree[c.words+k] = h.id
	}
}

// pair returns the pair that an inner node stands for.
func (c *collapse) pair(k int, tree []uint32) uint64 {
	return uint64(tree[c.left[k]])<<32 | uint64(tree[c.right[k]])
}

func (c *collapse) root(tree []uint32) uint64 { return c.pair(len(c.left)-1, tree) }

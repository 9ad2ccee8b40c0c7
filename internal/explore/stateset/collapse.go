package stateset

import (
	"math/bits"
	"slices"
)

// collapse is a set of vectors, stored as binary trees: a leaf is a word, an inner node a pair of
// numbers that is interned, a vector the number of its root. States that differ in a few words share
// all else, so that a vector takes little more than its root, and nothing is lost: the set is exact.
//
// Vectors have at least two words.
type collapse struct {
	words  int
	left   []int32 // per inner node, bottom up: its children; words first, then inner nodes
	right  []int32
	above  []uint64      // by word: set of the inner nodes above it but for the root; nil: there are too many
	height []uint8       // per inner node but for the root; nil: there are too many
	stale  [][]staleNode // by height: those that are to be brought up to date
	inner  pairs
	missed []uint64  // scratch: pairs
	places []uint32  // what they are in
	hot    []hotPair // by hash: inner nodes that were looked up lately
}

// staleNode is an inner node of a tree, which begins at a place.
type staleNode struct{ tree, k uint32 }

// hotPair is an inner node that was looked up.
type hotPair struct {
	pair uint64
	id   uint32
}

const hotBits = 13

// narrow is how many words a vector may have for sets of them to be kept in a word.
const narrow = 64

// newCollapse makes a set of vectors of so many words. What changes together, see [graph.Graph], does not matter for what is in the set, but for how many inner
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
		c.heights()
		c.hot = make([]hotPair, 1<<hotBits)
		c.hot[Hash(0)>>(64-hotBits)].pair = 1 // that a pair of zeros was looked up must not be believed from the start
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

// size is how many numbers a tree takes: words, then inner nodes but for the root.
func (c *collapse) size() int { return c.words + len(c.left) - 1 }

// unfold writes the tree of a root: its words, and the numbers of its inner nodes but for the root. It reads only what was there when the root was.
func (c *collapse) unfold(p uint64, tree []uint32) {
	last := len(c.left) - 1
	tree[c.left[last]], tree[c.right[last]] = uint32(p>>32), uint32(p)
	inner := c.inner.list.Published()
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

// change has a set of inner nodes of a tree, which begins at a place, brought up to date by update.
func (c *collapse) change(at int, nodes uint64) {
	for ; nodes != 0; nodes &= nodes - 1 {
		k := bits.TrailingZeros64(nodes)
		level := &c.stale[c.height[k]]
		*level = append(*level, staleNode{uint32(at), uint32(k)})
	}
}

// update brings inner nodes of some trees up to date. Those of one height do not hang on one another, so that memory is asked for many at a time.
// What is in hot cannot be guessed, so it does not branch by that.
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

// renew brings a set of inner nodes of one tree up to date.
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

// pair is what an inner node stands for.
func (c *collapse) pair(k int, tree []uint32) uint64 {
	return uint64(tree[c.left[k]])<<32 | uint64(tree[c.right[k]])
}

func (c *collapse) root(tree []uint32) uint64 { return c.pair(len(c.left)-1, tree) }

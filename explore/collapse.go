package explore

import "math/bits"

// collapse is a set of vectors, stored as binary trees: a leaf is a word, an inner node a pair of
// numbers that is interned, a vector the number of its root. States that differ in a few words share
// all else, so that a vector takes little more than its root, and nothing is lost: the set is exact.
//
// Vectors have at least two words.
type collapse struct {
	words  int
	left   []int32 // per inner node, bottom up: its children; words first, then inner nodes
	right  []int32
	above  []uint64 // by word: set of the inner nodes above it but for the root; nil: there are too many
	levels []uint64 // sets of inner nodes but for the root, by height
	inner  pairs
	missed []uint64  // scratch: pairs
	places []uint32  // what they are in
	hot    []hotPair // by hash: inner nodes that were looked up lately
}

// hotPair is an inner node that was looked up; no pair means none, as pairs of
// two zeros are always looked up.
type hotPair struct {
	pair uint64
	id   uint32
}

const hotBits = 13

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
		c.levels = c.heights()
	}
	return c
}

// heights are sets of inner nodes but for the root, those of one height in each, ascending.
func (c *collapse) heights() (levels []uint64) {
	height := make([]int, c.size()+1)
	for k := range len(c.left) - 1 {
		h := max(height[c.left[k]], height[c.right[k]])
		if height[c.words+k] = h + 1; h == len(levels) {
			levels = append(levels, 0)
		}
		levels[h] |= 1 << k
	}
	return levels
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

// update brings sets of inner nodes of some trees up to date. Those of one height do not hang on one another, so that memory
// is asked for many at a time.
func (c *collapse) update(trees []uint32, sets []uint64) {
	if c.hot == nil {
		c.hot = make([]hotPair, 1<<hotBits)
	}
	for _, level := range c.levels {
		c.missed, c.places = c.missed[:0], c.places[:0]
		for t, set := range sets {
			for nodes := set & level; nodes != 0; nodes &= nodes - 1 {
				k := bits.TrailingZeros64(nodes)
				at := t * c.size()
				pair := c.pair(k, trees[at:])
				h := &c.hot[hash(pair)>>(64-hotBits)]
				if h.pair == pair && pair != 0 {
					trees[at+c.words+k] = h.id
					continue
				}
				c.missed, c.places = append(c.missed, pair), append(c.places, uint32(at+c.words+k))
			}
		}
		c.inner.prefetch(c.missed)
		for i, pair := range c.missed {
			id, _ := c.inner.intern(pair)
			trees[c.places[i]] = id
			c.hot[hash(pair)>>(64-hotBits)] = hotPair{pair, id}
		}
	}
}

// pair is what an inner node stands for.
func (c *collapse) pair(k int, tree []uint32) uint64 {
	return uint64(tree[c.left[k]])<<32 | uint64(tree[c.right[k]])
}

func (c *collapse) root(tree []uint32) uint64 { return c.pair(len(c.left)-1, tree) }

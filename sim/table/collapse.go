package table

import "math/bits"

// collapse is a set of vectors, stored as binary trees: a leaf is a word, an inner node a pair of
// numbers that is interned, a vector the number of its root. States that differ in a few words share
// all else, so that a vector takes little more than its root, and nothing is lost: the set is exact.
//
// Vectors have at least two words. They are numbered from 0 in the order in which they were added.
type collapse struct {
	words int
	left  []int32 // per inner node, bottom up: its children; words first, then inner nodes
	right []int32
	inner pairs
	roots pairs
}

// newCollapse makes a set of vectors. The order in which their words become leaves does not matter for
// what is in the set, but those that change together should be neighbours.
func newCollapse(order []int32) *collapse {
	c := &collapse{words: len(order)}
	words, level := len(order), order
	for len(level) > 1 {
		var up []int32
		for i := 0; i+1 < len(level); i += 2 {
			c.left, c.right = append(c.left, level[i]), append(c.right, level[i+1])
			up = append(up, int32(words+len(c.left)-1))
		}
		if len(level)%2 == 1 {
			up = append(up, level[len(level)-1])
		}
		level = up
	}
	return c
}

// size is how many numbers a tree takes: words, then inner nodes but for the root.
func (c *collapse) size() int { return c.words + len(c.left) - 1 }

// unfold writes the tree of a vector: its words, and the numbers of its inner nodes but for the root.
func (c *collapse) unfold(id uint32, tree []uint32) {
	last := len(c.left) - 1
	p := c.roots.list[id]
	tree[c.left[last]], tree[c.right[last]] = uint32(p>>32), uint32(p)
	for k := last - 1; k >= 0; k-- {
		p := c.inner.list[tree[c.words+k]]
		tree[c.left[k]], tree[c.right[k]] = uint32(p>>32), uint32(p)
	}
}

// add adds a vector, the words of tree. The rest of tree is scratch; base is the tree of a vector that
// is in the set and has much in common with it, nil if there is none.
func (c *collapse) add(tree, base []uint32) (id uint32, added bool) {
	last := len(c.left) - 1
	for k := range last {
		l, r := c.left[k], c.right[k]
		if base != nil && tree[l] == base[l] && tree[r] == base[r] {
			tree[c.words+k] = base[c.words+k]
			continue
		}
		tree[c.words+k], _ = c.inner.intern(uint64(tree[l])<<32 | uint64(tree[r]))
	}
	return c.roots.intern(uint64(tree[c.left[last]])<<32 | uint64(tree[c.right[last]]))
}

// len is the number of vectors.
func (c *collapse) len() int { return len(c.roots.list) }

// bytes is the memory that the set takes.
func (c *collapse) bytes() int { return c.inner.bytes() + c.roots.bytes() }

// pairs interns pairs of numbers.
type pairs struct {
	list  []uint64
	index []uint32 // open addressing: number in list, plus one; 0: free
	shift uint
}

const minPairs = 1 << 10

func (p *pairs) slot(pair uint64) int {
	return int((pair ^ pair>>29) * 0x9E3779B97F4A7C15 >> p.shift)
}

func (p *pairs) intern(pair uint64) (id uint32, added bool) {
	if len(p.list) >= len(p.index)/4*3 {
		p.grow()
	}
	mask := len(p.index) - 1
	i := p.slot(pair)
	for ; p.index[i] != 0; i = (i + 1) & mask {
		if n := p.index[i] - 1; p.list[n] == pair {
			return n, false
		}
	}
	id = uint32(len(p.list))
	p.list = append(p.list, pair)
	p.index[i] = id + 1
	return id, true
}

func (p *pairs) grow() {
	size := max(minPairs, 2*len(p.index))
	p.index = make([]uint32, size)
	p.shift = uint(64 - bits.TrailingZeros(uint(size)))
	mask := size - 1
	for n, pair := range p.list {
		i := p.slot(pair)
		for p.index[i] != 0 {
			i = (i + 1) & mask
		}
		p.index[i] = uint32(n) + 1
	}
}

func (p *pairs) bytes() int { return 8*cap(p.list) + 4*cap(p.index) }

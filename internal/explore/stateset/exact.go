package stateset

import (
	"slices"

	"github.com/macemc/macemc/internal/explore/graph"
)

// exact is a visited set of whole states: a collapse with roots as keys, and the set of these keys, which numbers
// states in the order of their arrival.
type exact struct {
	collapse
	roots roots
	tree  []uint32 // of the entered state
	trees []uint32 // of states that some edges lead to
}

// fewEdges is the number of edges below which overlapping memory reads do not pay, as with a stack.
const fewEdges = 64

// resolvedAtOnce is the number of edges with trees made together, so that the trees stay in the cache.
const resolvedAtOnce = 512

func newExact(g graph.Graph) *exact {
	c := &exact{collapse: *newCollapse(g.Words(), g.Together())}
	c.tree = make([]uint32, c.size())
	return c
}

func (c *exact) Width() int { return 0 }

// OmitNumbers implements [Whole].
func (c *exact) OmitNumbers() { c.roots.unnumbered() }

// AddAll implements [Visited].
func (c *exact) AddAll(k *Keys, fresh []uint32) []uint32 { return c.roots.addAll(k, fresh) }

// AddNumbered implements [Whole].
func (c *exact) AddNumbered(k *Keys, fresh, numbers []uint32) (allFresh, allNumbers []uint32) {
	c.roots.prefetch(k.Lo)
	for i, root := range k.Lo {
		number, added := c.roots.intern(root)
		if numbers = append(numbers, number); added {
			fresh = append(fresh, k.Edges[i])
		}
	}
	return fresh, numbers
}

// Places implements [Finder]. Places are the numbers of states.
func (c *exact) Places() int { return c.roots.list.N }

// FindAll implements [Finder].
func (c *exact) FindAll(k *Keys, places []uint32) []uint32 {
	c.roots.prefetch(k.Lo)
	for _, root := range k.Lo {
		places = append(places, c.roots.find(root))
	}
	return places
}

// Key implements [Whole].
func (c *exact) Key(number uint32) uint64 { return c.roots.list.At(number) }

// Size implements [Whole].
func (c *exact) Size() int { return c.size() }

// ReadTree implements [Whole].
func (c *exact) ReadTree(key uint64) []uint32 {
	c.unfold(key, c.tree)
	return c.tree
}

// ResolveTargets implements [Whole].
func (c *exact) ResolveTargets(e *graph.Edges, trees, last []uint32) {
	if trees == nil || c.above == nil || len(e.Ends) < fewEdges {
		c.resolveEach(e, trees, last)
		return
	}
	parent := 0
	for from, n := 0, len(e.Ends); from < n; from += resolvedAtOnce {
		to := min(from+resolvedAtOnce, n)
		parent = c.follow(e, trees, last, parent, from, to)
		c.update(c.trees)
		for t, at := from, 0; t < to; t, at = t+1, at+c.size() {
			e.Lo[t] = c.root(c.trees[at:])
		}
	}
}

// follow makes the trees of the states that some edges lead to, and marks inner nodes for update. parent is the known
// parent of the edges before the first one, or an earlier one. follow returns the parent of the last edge.
func (c *exact) follow(e *graph.Edges, parents, last []uint32, parent, from, to int) int {
	size := c.size()
	c.trees = c.trees[:0]
	begin := e.ChangesBefore(from)
	for t := from; t < to; t++ {
		for t >= int(last[parent]) {
			parent++
		}
		at := len(c.trees)
		c.trees = append(c.trees, parents[parent*size:][:size]...)
		tree, words := c.trees[at:], uint64(0)
		for _, change := range e.Changes[begin:e.Ends[t]] {
			tree[change>>32] = uint32(change)
			words |= 1 << (change >> 32 & (narrow - 1))
		}
		begin = e.Ends[t]
		c.change(at, c.over(words))
	}
	return parent
}

// resolveEach is ResolveTargets, one edge at a time.
func (c *exact) resolveEach(e *graph.Edges, trees, last []uint32) {
	c.trees = slices.Grow(c.trees[:0], c.size())[:c.size()]
	var base []uint32
	for k, t := 0, 0; k < len(last); k++ {
		if trees != nil {
			base = trees[k*c.size():][:c.size()]
		}
		for ; t < int(last[k]); t++ {
			if base == nil {
				clear(c.trees)
			} else {
				copy(c.trees, base)
			}
			words := uint64(0)
			for _, change := range e.Changed(t) {
				c.trees[change>>32] = uint32(change)
				words |= 1 << (change >> 32 & (narrow - 1))
			}
			if base != nil && c.above != nil {
				c.renew(c.trees, c.over(words))
			} else {
				c.complete(c.trees, base)
			}
			e.Lo[t] = c.root(c.trees)
		}
	}
}

// Bytes implements [Visited].
func (c *exact) Bytes() (now, growth int) {
	return c.roots.bytes() + c.inner.bytes() + 16*len(c.hot), c.roots.growth() + c.inner.growth()
}

// Omission implements [Visited]: the set is exact.
func (c *exact) Omission(int) float64 { return 0 }

// Close implements [Visited].
func (c *exact) Close() {
	c.inner.free()
	c.roots.free()
}

package explore

import "math/bits"

// exact is a visited set of whole states: a collapse, whose roots are keys, and the set of these, in which states are numbered
// as they come.
type exact struct {
	collapse
	roots roots
	tree  []uint32 // of the state that was entered
	to    []uint32 // of that which an edge leads to
}

func newExact(g Graph) *exact {
	c := &exact{collapse: *newCollapse(g.Words(), g.Together())}
	c.tree, c.to = make([]uint32, c.size()), make([]uint32, c.size())
	return c
}

func (c *exact) Width() int { return 0 }

// Unnumbered implements [Whole].
func (c *exact) Unnumbered() { c.roots.unnumbered() }

// AddAll implements [Visited].
func (c *exact) AddAll(k *Keys, fresh []uint32) []uint32 { return c.roots.addAll(k, fresh) }

// AddNumbered implements [Whole].
func (c *exact) AddNumbered(k *Keys, fresh, numbers []uint32) (allFresh, allNumbers []uint32) {
	c.roots.prefetch(k.Lo)
	for i, root := range k.Lo {
		number, added := c.roots.intern(root)
		if numbers = append(numbers, number); added {
			fresh = append(fresh, k.Names[i])
		}
	}
	return fresh, numbers
}

// Places implements [Finder]: they are the numbers of states.
func (c *exact) Places() int { return c.roots.list.n }

// FindAll implements [Finder].
func (c *exact) FindAll(k *Keys, places []uint32) []uint32 {
	c.roots.prefetch(k.Lo)
	for _, root := range k.Lo {
		places = append(places, c.roots.find(root))
	}
	return places
}

// Key implements [Whole].
func (c *exact) Key(number uint32) uint64 { return c.roots.list.at(number) }

// Size implements [Whole].
func (c *exact) Size() int { return c.size() }

// Enter implements [Whole].
func (c *exact) Enter(key uint64) []uint32 {
	c.unfold(key, c.tree)
	return c.tree
}

// Resolve implements [Whole].
func (c *exact) Resolve(e *Edges, base []uint32, from, to int) {
	if base == nil {
		clear(c.to[:c.words])
	} else {
		copy(c.to, base)
	}
	begin := e.changesBefore(from)
	for t := from; t < to; t++ {
		changed := uint64(0)
		for _, change := range e.Changes[begin:e.Ends[t]] {
			c.to[change>>32] = uint32(change)
			changed |= 1 << (change >> 32 & (narrow - 1))
		}
		begin = e.Ends[t]
		if base != nil && c.above != nil {
			over := c.over(changed)
			c.update(c.to, over)
			e.Lo[t] = c.root(c.to)
			restore(c.to, base, changed)
			restore(c.to[c.words:], base[c.words:], over)
			continue
		}
		c.complete(c.to, base)
		e.Lo[t] = c.root(c.to)
		if clear(c.to[:c.words]); base != nil {
			copy(c.to, base)
		}
	}
}

// restore makes a set of numbers in a tree, by place, what they are in another one.
func restore(tree, base []uint32, set uint64) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		tree[i] = base[i]
	}
}

// Bytes implements [Visited].
func (c *exact) Bytes() (now, growth int) {
	return c.roots.bytes() + c.inner.bytes() + 16*len(c.hot), c.roots.growth() + c.inner.growth()
}

// Omission implements [Visited]: no two states are taken for one.
func (c *exact) Omission(int) float64 { return 0 }

// Close implements [Visited].
func (c *exact) Close() {
	c.inner.free()
	c.roots.free()
}

package explore

import "math/bits"

// exact is a visited set of whole states: a collapse, whose roots are keys, and the set of these, in which states are numbered
// as they come.
type exact struct {
	collapse
	roots roots
	tree  []uint32 // of the state that was entered
	base  []uint32 // of that which edges lead from
	to    []uint32 // and of that which one leads to
	wants []uint64 // scratch: pairs
}

// side is a child of the root: a word, or an inner node, whose pair may have to be looked up.
type side struct {
	id      uint32
	unknown bool
	pair    uint64
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

// Expanded implements [Whole].
func (c *exact) Expanded(e *Edges, base []uint32, from, to int) {
	c.base = base
	if base == nil {
		clear(c.to[:c.words])
	} else {
		copy(c.to, base)
	}
	begin := e.changesBefore(from)
	for _, end := range e.Ends[from:to] {
		changed := uint64(0)
		for _, change := range e.Changes[begin:end] {
			c.to[change>>32] = uint32(change)
			changed |= 1 << (change >> 32 & (narrow - 1))
		}
		begin = end
		if base != nil && c.above != nil {
			e.tops = append(e.tops, c.push(changed))
			continue
		}
		c.complete(c.to, base)
		top := c.top()
		e.tops = append(e.tops, [2]side{{id: c.to[top[0]]}, {id: c.to[top[1]]}})
		if clear(c.to[:c.words]); base != nil {
			copy(c.to, base)
		}
	}
}

// push makes the tree of an edge, which changes a set of words, and then that of the state that was entered again.
func (c *exact) push(changed uint64) (sides [2]side) {
	over := c.over(changed)
	for i, at := range c.top() {
		if k := int(at) - c.words; k >= 0 && over>>k&1 == 1 {
			sides[i].unknown = true
			over &^= 1 << k
		} else if k < 0 {
			sides[i].id = c.to[at]
		} else {
			sides[i].id = c.base[at]
		}
	}
	c.update(c.to, over)
	for i, at := range c.top() {
		if sides[i].unknown {
			sides[i].pair = c.pair(int(at)-c.words, c.to)
		}
	}
	for ; changed != 0; changed &= changed - 1 {
		i := bits.TrailingZeros64(changed)
		c.to[i] = c.base[i]
	}
	for ; over != 0; over &= over - 1 {
		i := c.words + bits.TrailingZeros64(over)
		c.to[i] = c.base[i]
	}
	return sides
}

// Resolve implements [Whole].
func (c *exact) Resolve(e *Edges) {
	c.wants = c.wants[:0]
	for i := range e.tops {
		for k := range e.tops[i] {
			if t := &e.tops[i][k]; t.unknown {
				c.wants = append(c.wants, t.pair)
			}
		}
	}
	c.inner.prefetch(c.wants)
	for i := range e.tops {
		top := &e.tops[i]
		for k := range top {
			if t := &top[k]; t.unknown {
				t.id, _ = c.inner.intern(t.pair)
			}
		}
		e.Lo[i] = uint64(top[0].id)<<32 | uint64(top[1].id)
	}
	e.tops = e.tops[:0]
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

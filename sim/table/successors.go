package table

import "math/bits"

// successors are states that were come to and not yet looked up. They are looked up many at a time,
// see pairs.prefetch, in the order in which they were come to.
type successors struct {
	list    []successor
	vectors []uint32
	pairs   []uint64 // scratch
}

// successorsAtOnce is how many are waited for.
const successorsAtOnce = 128

type successor struct {
	from     uint32  // the state that it was come to from, plus one
	ordinary bool    // by a step of the recovery relation
	top      [2]side // children of the root
}

// side is a child of the root: a word, or an inner node, whose pair may have to be looked up.
type side struct {
	id      uint32
	unknown bool
	pair    uint64
}

// push adds the state of the world to those that are to be looked up, and goes back to the one that is
// expanded.
func (x *explorer) push(from uint32, ordinary bool) {
	c, w := x.seen, x.w
	s := successor{from: from, ordinary: ordinary}
	last := len(c.left) - 1
	top := [2]int32{c.left[last], c.right[last]}
	x.found.vectors = append(x.found.vectors, w.v...)
	if c.above == nil {
		c.complete(x.tree, x.base)
		s.top[0].id, s.top[1].id = x.tree[top[0]], x.tree[top[1]]
		copy(x.tree, x.base)
	} else {
		over := c.over(w.changed)
		here := over
		for i, at := range top {
			if k := int(at) - c.words; k < 0 || over>>k&1 == 0 {
				s.top[i].id = x.tree[at]
			} else {
				s.top[i].unknown = true
				here &^= 1 << k
			}
		}
		c.update(x.tree, here)
		for i, at := range top {
			if s.top[i].unknown {
				s.top[i].pair = c.pair(int(at)-c.words, x.tree)
			}
		}
		for words := w.changed; words != 0; words &= words - 1 {
			i := bits.TrailingZeros64(words)
			x.tree[i] = x.base[i]
		}
		for ; here != 0; here &= here - 1 {
			i := c.words + bits.TrailingZeros64(here)
			x.tree[i] = x.base[i]
		}
	}
	w.changed = 0
	x.found.list = append(x.found.list, s)
}

// settle looks up what was pushed, and adds what is new. The world's state is lost.
func (x *explorer) settle() error {
	f, c := &x.found, x.seen
	f.pairs = f.pairs[:0]
	for i := range f.list {
		for k := range f.list[i].top {
			if t := &f.list[i].top[k]; t.unknown {
				f.pairs = append(f.pairs, t.pair)
			}
		}
	}
	c.inner.prefetch(f.pairs)
	f.pairs = f.pairs[:0]
	for i := range f.list {
		s := &f.list[i]
		for k := range s.top {
			if t := &s.top[k]; t.unknown {
				t.id, _ = c.inner.intern(t.pair)
			}
		}
		f.pairs = append(f.pairs, uint64(s.top[0].id)<<32|uint64(s.top[1].id))
	}
	c.roots.prefetch(f.pairs)
	for i := range f.list {
		x.out.Transitions++
		id, added := c.roots.intern(f.pairs[i])
		if !added {
			continue
		}
		copy(x.w.v, f.vectors[i*c.words:])
		if err := x.add(id, &f.list[i]); err != nil {
			return err
		}
	}
	f.list, f.vectors = f.list[:0], f.vectors[:0]
	return nil
}

// add keeps what is to be known of a new state, which is that of the world, and checks it.
func (x *explorer) add(id uint32, s *successor) error {
	w := x.w
	x.parents.append(s.from)
	if err := w.Check(); err != nil {
		x.bad, x.badEvent = id+1, -1
		return err
	}
	live := w.Live()
	if live {
		x.out.Live++
	}
	if x.goals {
		x.recovers.append(int(id), live)
		x.ordinary.append(int(id), s.ordinary)
	}
	if n := x.seen.len(); n&(n-1) == 0 {
		return x.audit(id)
	}
	return nil
}

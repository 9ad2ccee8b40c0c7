package table

import (
	"context"
	"math/bits"
)

// successors are states that were come to and not yet looked up. They are looked up many at a time,
// see pairs.prefetch, in the order in which they were come to.
type successors struct {
	list    []successor
	vectors []uint32
	tops    [][2]side // when exact: children of the roots
	prints  []print   // else
	pairs   []uint64  // scratch
	next    uint32    // states before it have been expanded, once these are looked up
	added   []bool    // whether they are new
	bytes   int       // of the set of fingerprints
}

// successorsAtOnce is how many are waited for.
const successorsAtOnce = 256

type successor struct {
	from     uint32 // the state that it was come to from, plus one
	ordinary bool   // by a step of the recovery relation
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
	f, w := x.found, x.w
	f.list = append(f.list, successor{from: from, ordinary: ordinary})
	f.vectors = append(f.vectors, w.v...)
	switch {
	case x.prints != nil:
		x.pushPrint()
	case x.seen.above == nil:
		x.seen.complete(x.tree, x.base)
		top := x.seen.top()
		f.tops = append(f.tops, [2]side{{id: x.tree[top[0]]}, {id: x.tree[top[1]]}})
		copy(x.tree, x.base)
	default:
		x.pushTree()
	}
	w.changed = 0
}

func (x *explorer) pushTree() {
	c := x.seen
	var sides [2]side
	over := c.over(x.w.changed)
	for i, at := range c.top() {
		if k := int(at) - c.words; k >= 0 && over>>k&1 == 1 {
			sides[i].unknown = true
			over &^= 1 << k
		} else if k < 0 {
			sides[i].id = x.tree[at]
		} else {
			sides[i].id = x.base[at]
		}
	}
	c.update(x.tree, over)
	for i, at := range c.top() {
		if sides[i].unknown {
			sides[i].pair = c.pair(int(at)-c.words, x.tree)
		}
	}
	x.found.tops = append(x.found.tops, sides)
	x.putBack()
	for ; over != 0; over &= over - 1 {
		i := c.words + bits.TrailingZeros64(over)
		x.tree[i] = x.base[i]
	}
}

// putBack undoes the changes of the words of a narrow vector.
func (x *explorer) putBack() {
	for words := x.w.changed; words != 0; words &= words - 1 {
		i := bits.TrailingZeros64(words)
		x.tree[i] = x.base[i]
	}
}

func (x *explorer) pushPrint() {
	p, words := x.prints, x.seen.words
	if words > narrow {
		x.found.prints = append(x.found.prints, p.of(x.w.v))
		copy(x.tree, x.base)
		return
	}
	x.found.prints = append(x.found.prints, x.changedPrint())
	x.putBack()
}

// changedPrint is the fingerprint of the world's narrow vector, made from that of the state that is expanded.
func (x *explorer) changedPrint() print {
	p, f := x.prints, x.print
	for changed := x.w.changed; changed != 0; changed &= changed - 1 {
		i := bits.TrailingZeros64(changed)
		if x.tree[i] != x.base[i] {
			p.sub(&f, i, x.base[i])
			p.add(&f, i, x.tree[i])
		}
	}
	return f
}

// lookUp looks up what was pushed. With fingerprints it touches nothing but them, and f.
func (x *explorer) lookUp(f *successors) {
	if x.prints == nil {
		x.lookUpTrees(f)
		return
	}
	for i := range f.prints {
		x.prints.prefetch(&f.prints[i])
	}
	for i := range f.prints {
		f.added = append(f.added, x.prints.insert(&f.prints[i]))
	}
	f.bytes = x.prints.bytes()
}

// finish adds what turned out to be new. The world's state is lost.
func (x *explorer) finish(ctx context.Context, f *successors) error {
	x.printBytes = f.bytes
	for i, added := range f.added {
		x.out.Transitions++
		if !added {
			continue
		}
		copy(x.w.v, f.vectors[i*x.seen.words:])
		if err := x.add(uint32(x.len()), f.list[i].from, f.list[i].ordinary); err != nil {
			return err
		}
	}
	x.stop(ctx, f.next)
	f.reset()
	return nil
}

func (f *successors) reset() {
	f.list, f.vectors, f.added = f.list[:0], f.vectors[:0], f.added[:0]
	f.tops, f.prints = f.tops[:0], f.prints[:0]
}

func (x *explorer) lookUpTrees(f *successors) {
	c := x.seen
	f.pairs = f.pairs[:0]
	for i := range f.tops {
		for k := range f.tops[i] {
			if t := &f.tops[i][k]; t.unknown {
				f.pairs = append(f.pairs, t.pair)
			}
		}
	}
	c.inner.prefetch(f.pairs)
	f.pairs = f.pairs[:0]
	for i := range f.tops {
		top := &f.tops[i]
		for k := range top {
			if t := &top[k]; t.unknown {
				t.id, _ = c.inner.intern(t.pair)
			}
		}
		f.pairs = append(f.pairs, uint64(top[0].id)<<32|uint64(top[1].id))
	}
	c.roots.prefetch(f.pairs)
	for _, pair := range f.pairs {
		_, added := c.roots.intern(pair)
		f.added = append(f.added, added)
	}
}

// add keeps what is to be known of a new state, which is that of the world, and checks it.
func (x *explorer) add(id, from uint32, ordinary bool) error {
	w := x.w
	x.parents.append(from)
	if x.prints != nil {
		x.waiting.append(w.v)
	}
	if x.capture.ids != nil {
		return x.capture.take(id, w.v) // all else was found out before
	}
	if err := w.Check(); err != nil {
		x.bad, x.badEvent = id+1, -1
		return err
	}
	w.noteState()
	live := w.Live()
	if live {
		x.out.Live++
	}
	if x.goals {
		x.recovers.append(int(id), live)
		x.ordinary.append(int(id), ordinary)
	}
	if n := x.len(); n&(n-1) == 0 && (x.prints == nil || n <= auditedPrints) {
		return x.audit(id)
	}
	return nil
}

// auditedPrints is up to which state audits are made when a path is dear.
const auditedPrints = 1 << 12

package table

import (
	"context"
	"errors"
	"math/bits"

	"github.com/macemc/macemc/sim"
)

// successors are states that were come to and not yet looked up. They are looked up many at a time,
// see pairs.prefetch, in the order in which they were come to.
type successors struct {
	words   int
	first   uint32   // number of the first state that they were come to from; the others follow
	parents []uint32 // the packed vectors of these
	last    []uint32 // by parent: the end of its transitions
	steps   int      // of handlers among them, but for those taken slowly

	// By transition.
	ends    []uint32 // of what it changes
	notes   []uint8
	prints  []uint64 // fingerprints; roots when exact
	others  []uint64 // their second words, if they have any
	tops    [][2]side
	changes []uint64 // a word's place and value

	kept       []uint32 // transitions that do not lead where an earlier one of late did
	keptPrints []uint64
	keptOthers []uint64

	pairs []uint64 // scratch
	there []uint32 // scratch
	next  uint32   // states before it have been expanded, once these are looked up

	fresh   []uint32 // transitions that lead to new states
	vectors []uint32 // of these states, packed
	bytes   int      // of the set of fingerprints or roots
	growth  int      // see pairs.growth
}

// successorsAtOnce is how many are waited for: fewer, and two workers wake each other more than they work.
const successorsAtOnce = 4096

// side is a child of the root: a word, or an inner node, whose pair may have to be looked up.
type side struct {
	id      uint32
	unknown bool
	pair    uint64
}

// pushTrees makes the trees of the transitions from one on, from the tree of the state that is expanded.
func (x *explorer) pushTrees(f *successors, from int) {
	c := x.seen
	copy(x.tree, x.base)
	begin := uint32(0)
	if from > 0 {
		begin = f.ends[from-1]
	}
	for _, end := range f.ends[from:] {
		changed := uint64(0)
		for _, change := range f.changes[begin:end] {
			x.tree[change>>32] = uint32(change)
			changed |= 1 << (change >> 32 & (narrow - 1))
		}
		begin = end
		if c.above == nil {
			c.complete(x.tree, x.base)
			top := c.top()
			f.tops = append(f.tops, [2]side{{id: x.tree[top[0]]}, {id: x.tree[top[1]]}})
			copy(x.tree, x.base)
			continue
		}
		f.tops = append(f.tops, x.pushTree(changed))
	}
}

func (x *explorer) pushTree(changed uint64) (sides [2]side) {
	c := x.seen
	over := c.over(changed)
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
	for ; changed != 0; changed &= changed - 1 {
		i := bits.TrailingZeros64(changed)
		x.tree[i] = x.base[i]
	}
	for ; over != 0; over &= over - 1 {
		i := c.words + bits.TrailingZeros64(over)
		x.tree[i] = x.base[i]
	}
	return sides
}

// sift leaves out what was come to lately, so that it need not be looked up. When exact, it finds out the roots of
// trees, which stand for states like fingerprints do.
func (x *explorer) sift(f *successors) {
	if x.seen != nil {
		x.seen.resolve(f)
	}
	x.recent.sift(f)
}

// lookUp looks up what is left. It touches nothing but the set of fingerprints, or of roots, and f.
func (x *explorer) lookUp(f *successors) {
	if p := x.prints; p != nil {
		f.fresh = p.insertAll(f.kept, f.keptPrints, f.keptOthers, f.fresh)
		f.bytes = p.bytes()
	} else {
		roots := &x.seen.roots
		f.fresh = roots.internAll(f.kept, f.keptPrints, f.fresh)
		f.bytes, f.growth = roots.bytes(), roots.growth()
	}
	f.build()
}

// changed lists what a transition changes.
func (f *successors) changed(t int) []uint64 {
	begin := uint32(0)
	if t > 0 {
		begin = f.ends[t-1]
	}
	return f.changes[begin:f.ends[t]]
}

// to is where a transition from a packed vector leads. It is valid until the next call.
func (f *successors) to(t int, from []uint32) []uint32 {
	f.there = append(f.there[:0], from...)
	for _, change := range f.changed(t) {
		f.there[change>>32] = uint32(change)
	}
	return f.there
}

// build makes the vectors of new states.
func (f *successors) build() {
	parent := 0
	for _, t := range f.fresh {
		for t >= f.last[parent] {
			parent++
		}
		at := len(f.vectors)
		f.vectors = append(f.vectors, f.parents[parent*f.words:][:f.words]...)
		for _, change := range f.changed(int(t)) {
			f.vectors[at+int(change>>32)] = uint32(change)
		}
	}
}

// finish adds what turned out to be new. The world's state is lost.
func (x *explorer) finish(ctx context.Context, f *successors) error {
	x.setBytes, x.setGrowth = f.bytes, f.growth
	parent, before := uint32(0), x.out.Transitions
	for k, t := range f.fresh {
		for t >= f.last[parent] {
			parent++
		}
		x.wait(f, k, t)
		if err := x.add(f.vectors[k*f.words:][:f.words], f.first+parent+1, f.notes[t]); err != nil {
			x.out.Transitions = before + int(t) + 1
			return err
		}
	}
	x.out.Transitions = before + len(f.ends)
	x.w.stats.Steps += f.steps
	x.stop(ctx, f.next)
	f.reset()
	return nil
}

// wait makes a new state wait to be expanded: its vector, or its root.
func (x *explorer) wait(f *successors, k int, t uint32) {
	if x.prints != nil {
		x.waiting.append(f.vectors[k*f.words:][:f.words])
		return
	}
	root := f.prints[t]
	x.waiting.append([]uint32{uint32(root >> 32), uint32(root)})
}

func (f *successors) reset() {
	f.steps = 0
	f.parents, f.last, f.ends, f.notes = f.parents[:0], f.last[:0], f.ends[:0], f.notes[:0]
	f.prints, f.others, f.tops, f.changes = f.prints[:0], f.others[:0], f.tops[:0], f.changes[:0]
	f.fresh, f.vectors = f.fresh[:0], f.vectors[:0]
}

// resolve finds the roots of the trees that were pushed.
func (c *collapse) resolve(f *successors) {
	f.pairs = f.pairs[:0]
	for i := range f.tops {
		for k := range f.tops[i] {
			if t := &f.tops[i][k]; t.unknown {
				f.pairs = append(f.pairs, t.pair)
			}
		}
	}
	c.inner.prefetch(f.pairs)
	for i := range f.tops {
		top := &f.tops[i]
		for k := range top {
			if t := &top[k]; t.unknown {
				t.id, _ = c.inner.intern(t.pair)
			}
		}
		f.prints[i] = uint64(top[0].id)<<32 | uint64(top[1].id)
	}
}

// add keeps what is to be known of a new state, and checks it. From is the state that it was found from, plus
// one, 0: it is a first state; note is what is known of the transition.
func (x *explorer) add(v []uint32, from uint32, note uint8) error {
	id := uint32(x.len())
	x.parents.append(from)
	if x.capture.ids != nil {
		return x.capture.take(id, v) // all else was found out before
	}
	live, err := x.check(id, v, from == 0, note)
	bar := x.known(err)
	if x.opts.Known != nil {
		x.barred.append(int(id), bar)
	}
	if err != nil && !bar {
		x.bad, x.badEvent, x.badPicks = id+1, -1, nil
		return err
	}
	if live {
		x.out.Live++
	}
	if live && x.onward != nil {
		x.bad, x.badEvent, x.badPicks = id+1, -1, nil
		return errLive
	}
	if x.goals {
		x.recovers.append(int(id), live || bar)
		x.ordinary.append(int(id), note&noteOrdinary != 0)
	}
	if n := x.len(); !bar && n&(n-1) == 0 && (x.prints == nil || n <= auditedPrints) {
		return x.audit(id, v)
	}
	return nil
}

// check checks a new state, and tells whether it is live. Properties that have not read what the transition
// changed are what they were.
func (x *explorer) check(id uint32, v []uint32, first bool, note uint8) (live bool, err error) {
	defer sim.CatchState(&err) // of properties that panic
	w := x.w
	p := &w.properties
	sampled := w.samples.sampled(int(id) + 1)
	check, cover := first || sampled, w.covering.unmet > 0
	for i := range p.always {
		q := &p.always[i]
		check = check || q.inFlight || note&noteLocal != 0 && q.nodes>>(note&noteNode)&1 == 1
	}
	if !check && !cover && len(p.eventually) == 0 {
		return true, nil
	}
	x.sites.unpack(v, w.v)
	if check {
		if err := w.Check(); err != nil {
			return false, err
		}
	}
	if sampled {
		if err := w.unchanged(); err != nil {
			return false, err
		}
	}
	if cover {
		w.noteState()
	}
	return w.Live(), nil
}

// known reports whether an error of check is the violation of a known property, behind which nothing is visited.
func (x *explorer) known(err error) bool {
	if err == nil || x.opts.Known == nil {
		return false
	}
	var f *sim.Finding
	return errors.As(err, &f) && f.Kind == sim.Safety && x.opts.Known[f.Property]
}

// auditedPrints is up to which state audits are made when a path is dear.
const auditedPrints = 1 << 12

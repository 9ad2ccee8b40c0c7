package explore

import "github.com/macemc/macemc/internal/explore/stateset"

// resolve makes fingerprints of the edges of a batch keys of whole states, if these are kept.
func (l *Loop) resolve(b *Batch) {
	if l.whole == nil {
		return
	}
	l.whole.Resolve(&b.Edges, b.trees(), b.last)
}

// What is done with the edges of a batch is done where they are, as processors are slow to tell each other: where it was gathered, or, for a batch
// whose edges the second worker read or gave keys, there.

// prepare says what of a batch is to be looked up.
func (l *Loop) prepare(b *Batch) {
	if !b.handed && l.whole == nil {
		l.sift(b, &l.recent)
	}
}

// sift leaves out edges to states that were come to lately.
func (l *Loop) sift(b *Batch, r *stateset.HotCache) {
	if b.numbered() || l.bounded != nil || l.opts.Spill != nil && l.opts.Spill.Young > 0 {
		b.named()
	} else {
		r.Sift(&b.Edges, &b.keys)
	}
}

// lookUp looks up a batch. It touches nothing but the batch, the visited set, and lately.
func (l *Loop) lookUp(b *Batch) {
	if b.handed || l.whole != nil {
		l.resolve(b)
		l.sift(b, &l.lately)
	}
	b.keys.Depth = b.depth
	if b.numbered() {
		b.fresh, b.places = l.whole.AddNumbered(&b.keys, b.fresh, b.places)
	} else {
		b.fresh = l.visited.AddAll(&b.keys, b.fresh)
	}
	b.bytes, b.growth = l.visited.Bytes()
	if w := l.waiting; w != nil {
		b.waits, b.due = w.set.Pending(), w.set.Due()
	}
	if b.handed {
		b.build(l.whole != nil)
	}
}

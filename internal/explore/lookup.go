package explore

import "github.com/macemc/macemc/internal/explore/stateset"

// resolve replaces fingerprints of edges by keys of whole states, if whole states are stored.
func (l *Loop) resolve(b *Batch) {
	if l.whole == nil {
		return
	}
	l.whole.ResolveTargets(&b.Edges, b.trees(), b.last)
}

// Edges of a batch are processed on the worker that has them in its cache, because transfers between processors are
// slow. That is the worker that gathered the batch, or the second worker if it read the edges or made their keys.

// prepare selects the edges of a batch to be looked up.
func (l *Loop) prepare(b *Batch) {
	if !b.handed && l.whole == nil {
		l.sift(b, &l.recent)
	}
}

// sift leaves out edges to states that were found recently.
func (l *Loop) sift(b *Batch, r *stateset.HotCache) {
	if b.numbered() || l.bounded != nil || l.opts.Spill != nil && l.opts.Spill.Young > 0 {
		b.named()
	} else {
		r.Sift(&b.Edges, &b.keys)
	}
}

// lookUp looks up a batch. It accesses only the batch, the visited set, and lately.
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

package table

import (
	"context"
	"errors"
	"math/bits"
	"slices"
)

const checkContext = 1 << 10 // states

// liveness finds the dead states, once all states have been visited. Edges are not stored. The state
// that a state was found from is known, which settles most states; the others are expanded again,
// back and forth, until that settles no more: each time round one more step of a way to a live state
// may lead against the direction of the round.
func (x *explorer) liveness(ctx context.Context) error {
	if !x.goals || len(x.sampled()) > 0 {
		return nil // an answer that was not in a sample might lead on
	}
	n := uint32(x.seen.len())
	for id := n; id > 0; id-- {
		if x.recovers.has(id - 1) {
			x.recoversTo(id - 1)
		}
	}
	for again, up := true, false; again; up = !up {
		again = false
		for k := range n {
			id := k
			if !up {
				id = n - 1 - k
			}
			if k%checkContext == 0 && ctx.Err() != nil {
				return nil
			}
			if x.recovers.has(id) {
				continue
			}
			ok, err := x.leadsOn(id)
			if errors.Is(err, errLimit) {
				return nil
			}
			if err != nil {
				return err
			}
			if ok {
				again = true
				x.recovers.add(id)
				x.recoversTo(id)
			}
		}
	}
	x.out.LivenessChecked = true
	x.out.Dead = int(n)
	for _, word := range x.recovers {
		x.out.Dead -= bits.OnesCount64(word)
	}
	if x.out.Dead > 0 {
		x.unlimited()
		return x.dead()
	}
	return nil
}

// recoversTo settles the states that a state which recovers was found from.
func (x *explorer) recoversTo(id uint32) {
	for x.ordinary.has(id) {
		id = x.parent(id) - 1
		if x.recovers.has(id) {
			return
		}
		x.recovers.add(id)
	}
}

// leadsOn reports whether some step of the recovery relation leads to a state that recovers.
func (x *explorer) leadsOn(id uint32) (bool, error) {
	x.see(id)
	f := x.found
	f.reset()
	if err := x.successors(f); err != nil {
		x.bad = id + 1
		return false, err
	}
	for t := range f.ends {
		if f.notes[t]&noteOrdinary != 0 {
			x.lead(f, t)
			if to, _ := x.seen.add(x.tree, x.base); x.recovers.has(to) {
				return true, nil
			}
		}
	}
	return false, nil
}

// see makes a state the one that is expanded.
func (x *explorer) see(id uint32) {
	x.seen.unfold(id, x.base)
	x.here = x.base[:x.sites.words]
}

// parent is the state that a state was found from, plus one; 0: it is a first state.
func (x *explorer) parent(id uint32) uint32 {
	if x.deep != nil {
		return x.deep.parents.at(id)
	}
	return x.parents.at(id)
}

// dead describes the nearest state that is dead. The one that it was found from is not, so that the last step
// is what matters.
func (x *explorer) dead() error {
	chain, err := x.nearestDead()
	if err != nil {
		return err
	}
	x.out.DeadCritical = len(chain) - 1
	x.out.DeadPath = x.along(chain)
	x.see(chain[len(chain)-1])
	x.w.restore(x.unpacked(x.here))
	x.out.DeadOutOfEvents = !slices.ContainsFunc(x.w.list(nil), x.w.ordinary)
	return nil
}

// nearestDead returns the states on a shortest way from the start to one that is dead, both included.
func (x *explorer) nearestDead() ([]uint32, error) {
	if x.deep != nil {
		return x.deep.nearestDead()
	}
	first := uint32(0) // states are numbered by their distance
	for x.recovers.has(first) {
		first++
	}
	chain := []uint32{first}
	for s := x.parents.at(first); s != 0; s = x.parents.at(s - 1) {
		chain = append(chain, s-1)
	}
	slices.Reverse(chain)
	return chain, nil
}

// nearestDead goes through the states once more, breadth first.
func (d *depthFirst) nearestDead() ([]uint32, error) {
	x, w := d.x, d.x.w
	type queued struct{ id, from uint32 } // from is the place in the queue, plus one
	var queue []queued
	met := make(bitset, len(x.recovers))
	// arrive queues the state whose words are in tree, and returns the way to it when it is dead.
	arrive := func(from uint32, base []uint32) []uint32 {
		id, _ := x.seen.add(x.tree, base)
		if met.has(id) {
			return nil
		}
		met.add(id)
		queue = append(queue, queued{id, from})
		if x.recovers.has(id) {
			return nil
		}
		var chain []uint32
		for at := uint32(len(queue)); at != 0; at = queue[at-1].from {
			chain = append(chain, queue[at-1].id)
		}
		slices.Reverse(chain)
		return chain
	}
	for x.answers.Reset(); x.answers.Next(); {
		if err := w.start(&x.answers); err != nil {
			x.bad, x.badEvent, x.badPicks = 0, -1, x.answers.Path()
			return nil, err
		}
		x.sites.pack(w.v, x.tree[:x.sites.words])
		if chain := arrive(0, nil); chain != nil {
			return chain, nil
		}
	}
	for k := 0; ; k++ { // some state is dead
		if x.barred != nil && x.barred.has(queue[k].id) {
			continue
		}
		x.see(queue[k].id)
		f := x.found
		f.reset()
		if err := x.successors(f); err != nil {
			x.bad = queue[k].id + 1
			return nil, err
		}
		for t := range f.ends {
			x.lead(f, t)
			if chain := arrive(uint32(k+1), x.base); chain != nil {
				return chain, nil
			}
		}
	}
}

// lead makes tree the words of the state that a transition leads to.
func (x *explorer) lead(f *successors, t int) {
	copy(x.tree, x.here)
	for _, change := range f.changed(t) {
		x.tree[change>>32] = uint32(change)
	}
}

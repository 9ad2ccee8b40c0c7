package table

import (
	"context"
	"math/bits"
)

const checkContext = 1 << 10 // states

// liveness finds the dead states, once all states have been visited. Edges are not stored. The state
// that a state was found from is known, which settles most states; the others are expanded again,
// back and forth, until that settles no more: each time round one more step of a way to a live state
// may lead against the direction of the round.
func (x *explorer) liveness(ctx context.Context) error {
	if !x.goals {
		return nil
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
		x.dead()
	}
	return nil
}

// recoversTo settles the states that a state which recovers was found from.
func (x *explorer) recoversTo(id uint32) {
	for x.ordinary.has(id) {
		id = x.parents.at(id) - 1
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
	begin := uint32(0)
	for t, end := range f.ends {
		if f.notes[t]&noteOrdinary != 0 {
			copy(x.tree, x.here)
			for _, change := range f.changes[begin:end] {
				x.tree[change>>32] = uint32(change)
			}
			if to, _ := x.seen.add(x.tree, x.base); x.recovers.has(to) {
				return true, nil
			}
		}
		begin = end
	}
	return false, nil
}

// see makes a state the one that is expanded.
func (x *explorer) see(id uint32) {
	x.seen.unfold(id, x.base)
	x.here = x.base[:x.sites.words]
}

// dead describes the first state that is dead. The one that it was found from is not, so that the last
// step is what matters.
func (x *explorer) dead() {
	first := uint32(0)
	for x.recovers.has(first) {
		first++
	}
	for s := x.parents.at(first); s != 0; s = x.parents.at(s - 1) {
		x.out.DeadCritical++
	}
	x.out.DeadPath = x.path(first+1, -1, nil)
	x.see(first)
	x.w.restore(x.unpacked(x.here))
	events := x.w.list(nil)
	x.out.DeadOutOfEvents = len(events) == 0 || events[0].Kind.Injection()
}

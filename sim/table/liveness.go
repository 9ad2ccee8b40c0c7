package table

import (
	"context"
	"math/bits"
	"slices"

	"github.com/macemc/macemc/sim"
)

// recovering reports whether the step that was taken last is one of the recovery relation: nothing was
// injected, and all answers have weight.
func (x *explorer) recovering(ev sim.Event) bool {
	return !ev.Kind.Injection() && !x.w.inside && !x.answers.never
}

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
	w := x.w
	x.enter(id)
	up := w.up
	for i, ev := range x.events {
		if ev.Kind.Injection() {
			break // they are listed last
		}
		for x.answers.Reset(); x.answers.Next(); {
			if err := w.advance(ev, &x.answers); err != nil {
				x.bad, x.badEvent, x.badPicks = id+1, i, x.answers.Path()
				return false, err
			}
			if x.recovering(ev) {
				if to, _ := x.seen.add(x.tree, x.base); x.recovers.has(to) {
					return true, nil
				}
			}
			copy(x.tree, x.base)
			w.up = up
		}
	}
	return false, nil
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
	x.enter(chain[len(chain)-1])
	x.out.DeadOutOfEvents = len(x.events) == 0 || x.events[0].Kind.Injection()
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
	// arrive queues the state of the world, and returns the way to it when it is dead.
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
		if chain := arrive(0, nil); chain != nil {
			return chain, nil
		}
	}
	for k := 0; ; k++ { // some state is dead
		x.enter(queue[k].id)
		up := w.up
		for i, ev := range x.events {
			for x.answers.Reset(); x.answers.Next(); {
				if err := w.advance(ev, &x.answers); err != nil {
					x.bad, x.badEvent, x.badPicks = queue[k].id+1, i, x.answers.Path()
					return nil, err
				}
				if chain := arrive(uint32(k+1), x.base); chain != nil {
					return chain, nil
				}
				copy(x.tree, x.base)
				w.up = up
			}
		}
	}
}

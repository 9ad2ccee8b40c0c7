package table

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// without returns a node configuration without the datagrams that are dead there. What is in flight to a node that is down stays: so all that is dropped could
// have been delivered.
func (r *reduction) without(node int, id uint32) uint32 {
	here := r.sites.tables[node].list[id]
	bag := here.inbox
	if bag == 0 || !r.w.engine.up(here.local) {
		return id
	}
	for place := 0; place < len(r.w.inboxes.list[bag].items); {
		a := r.delivery(node, r.w.inboxes.list[bag].items[place])
		if !r.isDead(claim{here.local, a}) {
			place++
			continue
		}
		if o := r.step(here.local, a); o != nil {
			for k := range o.list {
				r.w.steps.leaves.at(o.list[k].leaf).met = true // it happens, for nothing
			}
		}
		bag = r.w.inboxes.taken(bag, int32(place))
	}
	if bag == here.inbox {
		return id
	}
	return r.sites.config(node, here.local, bag)
}

// isDead reports whether a datagram is dropped.
func (r *reduction) isDead(c claim) bool { return r.assume(&r.deadMessages, c, r.dead) }

// dead decides whether the delivery of a datagram does nothing, or no quorum can take it, in all local states that the node comes to from one, by known steps,
// and by crashes and boots, which may happen as long as the limit of crashes is not reached.
func (r *reduction) dead(c claim) bool {
	met := map[uint32]bool{c.local: true}
	all := []uint32{c.local}
	add := func(x uint32) {
		if !met[x] {
			met[x] = true
			all = append(all, x)
		}
	}
	for k := 0; k < len(all); k++ {
		x := all[k]
		l := r.local(x)
		if r.tooLong(c.local, x, len(all)) {
			return false
		}
		if l.up && !r.idle(x, c.act) {
			return false
		}
		for _, list := range [...][]uint32{l.own, l.known} {
			for _, f := range list {
				if !r.after(x, f, add) {
					return false
				}
			}
		}
		if l.up && !r.mutated(noRestart) && !r.crash(x, l, add) {
			return false
		}
	}
	if !r.mutated(noDeliveries) {
		for _, x := range all {
			if r.local(x).up && !r.forQuorum(x, &r.nodes[r.local(x).node].acts[c.act]) { // it may still be delivered, which matters to what comes before it
				r.know(x, c.act)
			}
		}
	}
	return true
}

// idle reports whether a datagram changes nothing in a local state of a node that is up.
func (r *reduction) idle(x, a uint32) bool {
	if it := &r.nodes[r.local(x).node].acts[a]; r.forQuorum(x, it) {
		return !r.canTake(x, it)
	}
	o := r.step(x, a)
	return o != nil && o.noop
}

// after adds the local states that an event leads to.
func (r *reduction) after(x, f uint32, add func(uint32)) bool {
	o := r.step(x, f)
	if o == nil {
		return true
	}
	for k := range o.list {
		if !o.list[k].failed {
			add(o.list[k].next)
		}
	}
	return !o.unsure
}

// crash adds the local states that a crash leads to, between steps or inside one that is known.
func (r *reduction) crash(x uint32, l *localState, add func(uint32)) bool {
	e := r.w.engine
	if e.sys.Crashes == 0 || !r.w.mayCrash(l.node) {
		return true
	}
	for kept := range e.locals.list[x].state.Unsynced() + 1 {
		down, err := e.crashed(x, kept)
		if err != nil {
			return false
		}
		add(down)
	}
	for _, list := range [...][]uint32{l.own, l.known} {
		for _, f := range list {
			o := r.step(x, f)
			if o == nil {
				continue
			}
			for k := range o.list {
				if !r.crashInside(l, &o.list[k], add) {
					return false
				}
			}
		}
	}
	return true
}

// crashInside adds the local states that crashes inside a step lead to.
func (r *reduction) crashInside(l *localState, o *outcome, add func(uint32)) bool {
	e := r.w.engine
	leaf := e.steps.leaves.at(o.leaf)
	if leaf.err != nil || leaf.outlast == 0 {
		return true
	}
	node := sim.NodeID(l.node)
	for _, way := range e.cutsOf(leaf, kernel.EffectKind.Outlasts) {
		c := leaf.cut(way)
		for kept := range e.crashedInside(node, o.leaf, c).outcomes {
			down, err := e.survived(node, o.leaf, c, kept)
			if err != nil {
				return false
			}
			add(down)
		}
	}
	return true
}

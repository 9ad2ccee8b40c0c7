package table

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// walkLimit is how many local states are gone through at most to decide a claim, and walkLeast how many may be whatever happened: after each
// walk of a node that came to the limit, those that follow have half of it, so that not all time goes into walks without an end.
const walkLimit, walkLeast = 2000, 125

// walkBulk is how many bytes more than its first one a local state may take before a walk that comes to it is given up: what a node has
// not synced may grow from state to state.
const walkBulk = 16 << 10

// mostEndless is how many walks of a node end so before an exploration that is to hurry gives up.
const mostEndless = 100

// tooLong reports whether a walk through so many local states of a node is given up, which began in first and has come to x.
func (r *reduction) tooLong(first, x uint32, states int) bool {
	all := r.w.engine.locals.list
	n := &r.nodes[all[x].node]
	if states <= max(walkLimit>>n.endless, walkLeast) && bulkOf(&all[x]) <= bulkOf(&all[first])+walkBulk {
		return r.limited()
	}
	if n.endless++; n.endless == mostEndless && r.hurried {
		r.err = errAgain
	}
	return true
}

// singletonAmple decides whether event t, which can happen in a local state l, commutes with all that the node may do there without it. W is
// the least set of local states with l in it and x.f whenever x is, for each event f but t that can happen in x: one of the node's
// own, or a delivery that is known to happen in x.t. For all of these, outcome by outcome,
//
//   - t can happen in x and in x.f, and f in x.t,
//   - x.f.t and x.t.f are the same, and each event sends, announces and fails the same in both orders,
//   - going from x to x.t shows no property anything better.
//
// What quorums take is looked at by quorumsCommute.
//
// The steps that this looks at become known: what is known of x.t is then looked at in x, too.
func (r *reduction) singletonAmple(c claim) bool {
	t := c.act
	first := r.step(c.local, t)
	if first == nil || !first.plain {
		return false
	}
	node := r.local(c.local).node
	met := map[uint32]bool{c.local: true}
	waiting := []uint32{c.local}
	for len(waiting) > 0 {
		x := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if r.tooLong(c.local, x, len(met)) {
			return false
		}
		of := r.step(x, t)
		r.know(x, t)
		for k := range of.list {
			y := of.list[k].next
			r.meet(y)
			if x != y && !r.mutated(noVisibility) && r.visible(node, x, y) {
				return false
			}
			goOn := func(f uint32) bool {
				next, ok := r.commute(x, y, f, t, k, of)
				for _, z := range next {
					if !met[z] && !r.mutated(noWalk) {
						met[z] = true
						waiting = append(waiting, z)
					}
				}
				return ok
			}
			for _, f := range r.local(x).own {
				if f != t && !goOn(f) {
					return false
				}
			}
			if r.w.quorums.any && !r.quorumsCommute(x, t, of, goOn) {
				return false
			}
			after := r.local(y)
			for n := 0; n < len(after.known); n++ { // they may become more meanwhile
				if f := after.known[n]; f != t && r.delivers(node, f) && !goOn(f) {
					return false
				}
			}
		}
	}
	return true
}

// isSingletonAmple reports whether an event is followed alone.
func (r *reduction) isSingletonAmple(c claim) bool {
	return r.assume(&r.assumptions, c, r.singletonAmple)
}

// limited reports whether there is no more time or memory to decide anything.
func (r *reduction) limited() bool {
	if r.err == nil && r.g.answers.limit != nil {
		r.err = r.g.answers.limit()
	}
	return r.err != nil
}

// commute compares an event f in x, and the k'th outcome of t behind it, with f in y, where that outcome of t leads from x. It returns where f
// leads from x.
func (r *reduction) commute(x, y, f, t uint32, k int, of *outcomes) (next []uint32, ok bool) {
	there := r.step(x, f)
	if there == nil {
		return nil, true // t makes it possible
	}
	r.know(x, f)
	here := r.step(y, f)
	if there.unsure || here == nil || here.unsure || len(there.list) != len(here.list) {
		return nil, false
	}
	r.know(y, f)
	first := &of.list[k]
	for b := range there.list {
		p, q := &there.list[b], &here.list[b]
		if p.failed != q.failed || p.ordinary != q.ordinary || !slices.Equal(p.tells, q.tells) || !slices.Equal(p.sends, q.sends) {
			return next, false
		}
		if p.failed {
			continue
		}
		r.meet(p.next)
		r.meet(q.next)
		next = append(next, p.next)
		last := r.step(p.next, t)
		if last == nil || !last.plain || len(last.list) != len(of.list) {
			return next, false
		}
		if z := &last.list[k]; z.next != q.next && !r.mutated(noCommuting) || !slices.Equal(z.sends, first.sends) {
			return next, false
		}
	}
	return next, true
}

// fits reports whether an event that is alone in the local state of a node is so in a state: no fault that may still strike can
// have to do with it, and who it sends something to is up.
func (r *reduction) fits(v []uint32, node int, c *candidate) bool {
	f := &r.sites.globals[v[r.sites.global]]
	left := &r.w.netGlobals.list[f.net].state.Left
	if c.takes && (left[sim.Loss] > 0 || left[sim.Dup] > 0) && !r.mutated(noLoss) {
		return false
	}
	crashes, halts := crashesLeft(f.budget) > 0 && !r.mutated(noCrashes), haltsLeft(f.budget) > 0 && !r.mutated(noHalts)
	fails := func(node int) bool { return crashes && r.w.mayCrash(node) || halts && r.w.mayHalt(node) }
	if fails(node) {
		return false
	}
	for k := range c.does.list {
		for _, o := range c.does.list[k].sends {
			if !r.sites.tables[o.peer].up[v[o.peer]] && !r.mutated(noReceivers) || fails(int(o.peer)) {
				return false
			}
		}
	}
	return true
}

// candidate is an event that can happen at a node configuration.
type candidate struct {
	act   uint32
	does  *outcomes
	takes bool     // it takes a datagram
	next  []uint32 // by outcome: the node configuration of the node, but for what it sends to itself
}

// placeState is what is known of a node configuration.
type placeState struct {
	local      *localState
	candidates []candidate
	dropped    uint32 // the node configuration without dead datagrams
	noted      bool   // what can happen is known to
}

// at returns what is known of the node configuration of a node.
func (r *reduction) at(node int, id uint32) *placeState {
	for int(id) >= len(r.places[node]) {
		r.places[node] = append(r.places[node], nil)
	}
	if p := r.places[node][id]; p != nil {
		return p
	}
	here := r.sites.tables[node].list[id]
	p := &placeState{local: r.meet(here.local), dropped: id}
	if r.rules.deadMessages {
		p.dropped = r.without(node, id)
	}
	add := func(a, bag uint32, takes bool) {
		c := candidate{act: a, does: r.step(here.local, a), takes: takes}
		if c.does == nil {
			return
		}
		for k := range c.does.list {
			c.next = append(c.next, r.sites.config(node, c.does.list[k].next, bag))
		}
		p.candidates = append(p.candidates, c)
	}
	for _, a := range p.local.own {
		add(a, here.inbox, false)
	}
	switch {
	case !p.local.up:
	case r.w.quorums.any:
		r.gathered(node, here, add)
	default:
		for place, it := range r.w.inboxes.list[here.inbox].items {
			if !it.same {
				add(r.delivery(node, it), r.w.inboxes.taken(here.inbox, int32(place)), true)
			}
		}
	}
	r.places[node][id] = p
	return p
}

// delivery is the event by which a datagram is delivered.
func (r *reduction) delivery(node int, it inboxItem) uint32 {
	return r.nodes[node].id(act{kind: sim.Deliver, from: it.from, msg: it.msg})
}

// pick returns the event that is followed alone from a state; nil: there is none. One that changes nothing is best.
func (r *reduction) pick(v []uint32) (node int, c *candidate) {
	for _, noop := range [...]bool{true, false} {
		for node := range r.places {
			p := r.at(node, v[node])
			local := r.sites.tables[node].list[v[node]].local
			for k := range p.candidates {
				c := &p.candidates[k]
				if c.does.plain && c.does.noop == noop && r.fits(v, node, c) && r.isSingletonAmple(claim{local, c.act}) {
					return node, c
				}
			}
		}
	}
	return 0, nil
}

package table

import (
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Which set a quorum can take depends on the local state and the set alone, not on what else is in flight. So a set is an event of
// its own. Unlike a delivery it may be possible in x and not in x.t, where it could be learnt: all sets of what was ever
// sent to the node are looked at.

// taking is what the quorums of a local state can take of all that was ever sent to the node.
type taking struct {
	of      int // so much had been sent when that was found out
	acts    []uint32
	in      map[datagram]bool // is in one of the sets
	unknown bool              // it cannot be told: there are too many, or a quorum panics
	sets    map[uint32]bool   // by set: whether it can be taken
	waits   map[uint32]bool   // by message: whether it waits for quorums
}

// sendsOf notes what a step sends to quorums.
func (r *reduction) sendsOf(id, a uint32) {
	o := r.step(id, a)
	if o == nil {
		return
	}
	for k := range o.list {
		for _, s := range o.list[k].sends {
			r.sent(int(s.peer), r.sites.tables[s.peer].all[s.index])
		}
	}
}

// sent notes that a datagram may be in flight to a node.
func (r *reduction) sent(node int, d datagram) {
	if !r.nodes[node].is[d] && r.sym != nil {
		for _, p := range r.sym.permutations() {
			r.mayBeSent(int(p[node]), datagram{p[d.from], d.msg})
		}
	}
	r.mayBeSent(node, d)
}

func (r *reduction) mayBeSent(node int, d datagram) {
	n := &r.nodes[node]
	if !n.is[d] {
		n.is[d] = true
		n.sent = append(n.sent, inboxItem{from: d.from, msg: d.msg})
		r.known++
	}
}

// gathered adds what can happen at a node configuration by datagrams.
func (r *reduction) gathered(node int, here nodeConfig, add func(a, bag uint32, takes bool)) {
	items := r.w.inboxes.list[here.inbox].items
	for _, it := range items {
		r.sent(node, datagram{it.from, it.msg})
	}
	g := r.w.gather(sim.NodeID(node), here.local, here.inbox)
	for _, ev := range g.events[:len(g.events)-len(g.sets)] {
		add(r.delivery(node, items[ev.Slot]), r.w.inboxes.taken(here.inbox, ev.Slot), true)
	}
	for _, s := range g.sets {
		bag := here.inbox
		for _, place := range s.places {
			bag = r.w.inboxes.taken(bag, place)
		}
		add(r.nodes[node].id(act{kind: sim.TakeQuorum, msg: s.id}), bag, true)
	}
}

// takes reports whether a quorum can take a set in a local state.
func (r *reduction) takes(id, set uint32) bool {
	t := &r.local(id).taking
	can, known := t.sets[set]
	if !known {
		s := &r.w.quorums.sets[set]
		var all []inboxItem
		for i := range s.from {
			all = append(all, inboxItem{from: s.from[i], msg: s.msgs[i]})
		}
		made, _ := r.w.assemble(id, all, false)
		can = slices.ContainsFunc(made.Sets, func(m kernel.AssemblySet) bool { return m.Quorum == s.quorum && len(m.Members) == len(all) })
		if t.sets == nil {
			t.sets = map[uint32]bool{}
		}
		t.sets[set] = can
	}
	return can
}

// forQuorum reports whether a datagram waits for quorums in a local state, instead of being delivered.
func (r *reduction) forQuorum(id uint32, a *act) bool {
	l := r.local(id)
	if !r.w.quorums.any || !l.up {
		return false
	}
	waits, known := l.taking.waits[a.msg]
	if !known {
		made, err := r.w.assemble(id, []inboxItem{{from: a.from, msg: a.msg}}, false)
		waits = err == nil && made.Taken[0]
		if l.taking.waits == nil {
			l.taking.waits = map[uint32]bool{}
		}
		l.taking.waits[a.msg] = waits
	}
	return waits
}

// canTake reports whether a quorum may take a datagram in a local state, together with others that were ever sent.
func (r *reduction) canTake(id uint32, a *act) bool {
	r.sent(r.local(id).node, datagram{a.from, a.msg})
	t := r.possible(id)
	return t.unknown || t.in[datagram{a.from, a.msg}]
}

// possible is what the quorums of a local state can take.
func (r *reduction) possible(id uint32) *taking {
	l := r.local(id)
	t, n := &l.taking, &r.nodes[l.node]
	if t.of == len(n.sent) && t.in != nil || !l.up {
		return t
	}
	t.of, t.acts, t.in = len(n.sent), nil, map[datagram]bool{}
	made, err := r.w.assemble(id, n.sent, false)
	if t.unknown = err != nil; t.unknown {
		return t
	}
	for _, s := range made.Sets {
		set := assembled{quorum: s.Quorum}
		for _, k := range s.Members {
			it := n.sent[k]
			set.from, set.msgs = append(set.from, it.from), append(set.msgs, it.msg)
			t.in[datagram{it.from, it.msg}] = true
		}
		t.acts = append(t.acts, n.id(act{kind: sim.TakeQuorum, msg: r.w.setOf(set)}))
	}
	return t
}

// quorumsCommute looks at the sets that can be taken in x, for alone. One that takes nothing of what t takes is an event as any other. One that does
// so may hinder t: it must do what t does, and what either of them leaves in flight be dead then. So an execution that takes it instead of t
// can take t as well, also where there are copies, and go on as before: no step of it takes what t left or did not leave. That needs dead
// datagrams to be dropped, or else states would differ.
func (r *reduction) quorumsCommute(x, t uint32, of *outcomes, goOn func(f uint32) bool) bool {
	can := r.possible(x)
	if can.unknown && !r.mutated(noPromises) {
		return false // what may be wrong in x is to be seen
	}
	node := r.local(x).node
	for _, f := range can.acts {
		switch {
		case f == t:
		case r.mutated(noSets) && !r.local(x).knows[f]:
		case !r.rivals(node, f, t):
			if !goOn(f) {
				return false
			}
		case !r.rules.deadMessages || !r.mutated(noRivals) && !r.replaces(x, f, t, of):
			return false
		}
	}
	return true
}

// breaksPromises asks the quorums of all local states that are known once more about all that was ever sent to the node, and watches them: no state of the whole
// graph has more. It reports whether one breaks what it says: a Need is no longer negative, a function panics or changes something, or there are too many
// sets. (That a Do depends on the order is a step that fails, as any.) That may be in states that there are not: then nothing is left
// out, and all states tell. Without that a broken promise is a violation as any, see quorumsCommute and canTake, but for functions that change
// something, which other searches look for in samples.
func (r *reduction) breaksPromises() bool {
	if !r.w.quorums.any || r.all() || r.mutated(noPromises) {
		return false
	}
	for node := range r.nodes {
		n := &r.nodes[node]
		for _, id := range n.met {
			l := r.local(id)
			if !l.up || l.kept == len(n.sent)+1 {
				continue
			}
			if r.limited() {
				return true
			}
			if _, err := r.w.assemble(id, n.sent, true); err != nil {
				r.nothing("a quorum may not keep what it says in states that would be left out")
				return true
			}
			l.kept = len(n.sent) + 1
		}
	}
	return false
}

// rivals reports whether two events of a node may take the same datagram.
func (r *reduction) rivals(node int, f, t uint32) bool {
	acts := r.nodes[node].acts
	if acts[f].kind != sim.TakeQuorum || acts[t].kind != sim.TakeQuorum {
		return false
	}
	a, b := &r.w.quorums.sets[acts[f].msg], &r.w.quorums.sets[acts[t].msg]
	for i := range a.from {
		if b.has(a.from[i], a.msgs[i]) {
			return true
		}
	}
	return false
}

// replaces reports whether in x a set can be taken instead of another one, t, without a difference.
func (r *reduction) replaces(x, f, t uint32, of *outcomes) bool {
	there := r.step(x, f)
	r.know(x, f)
	if there == nil || there.unsure || len(there.list) != len(of.list) {
		return false
	}
	acts := r.nodes[r.local(x).node].acts
	a, b := &r.w.quorums.sets[acts[f].msg], &r.w.quorums.sets[acts[t].msg]
	for k := range of.list {
		p, q := &there.list[k], &of.list[k]
		if p.failed || !p.ordinary || len(p.tells) > 0 || p.next != q.next || !slices.Equal(p.sends, q.sends) {
			return false
		}
		r.meet(p.next)
		if !r.mutated(noLeftovers) && !(r.leaves(p.next, a, b) && r.leaves(p.next, b, a)) {
			return false
		}
	}
	return true
}

// leaves reports whether what is in set a and not in b is dead in a local state.
func (r *reduction) leaves(id uint32, a, b *assembled) bool {
	node := r.local(id).node
	for i := range a.from {
		if b.has(a.from[i], a.msgs[i]) {
			continue
		}
		m := r.delivery(node, inboxItem{from: a.from[i], msg: a.msgs[i]})
		if !r.isDead(claim{id, m}) {
			return false
		}
	}
	return true
}

package table

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// walker goes along a trail of the reduced graph, and so does the system's world, in which nothing is dropped: what can happen in a
// state without dead datagrams can happen in one with them.
type walker struct {
	r     *reduction
	v     []uint32 // packed, reduced
	real  []uint32 // the world's
	path  choose.Path
	steps int
	turns []int        // by turn: the number of its first step
	names []sim.NodeID // which node of the world each of the reduced state is; nil: the same
}

// exchange notes that the nodes of the reduced state were permuted.
func (k *walker) exchange(p []sim.NodeID) {
	names := make([]sim.NodeID, len(p))
	for i, to := range p {
		names[to] = k.name(sim.NodeID(i))
	}
	k.names = names
}

// name is the node of the world.
func (k *walker) name(id sim.NodeID) sim.NodeID {
	if k.names == nil {
		return id
	}
	return k.names[id]
}

// path is the path by turns, and by turn the number of its first step. It leaves the world at the end.
func (r *reduction) path(trail []uint32) (path choose.Path, turns []int) {
	k := r.walk(trail)
	r.w.restore(k.real)
	return k.path, k.turns
}

func (r *reduction) walk(trail []uint32) *walker {
	w := r.w
	defer w.samples.pause()()
	k := &walker{r: r, v: make([]uint32, r.Words()), path: r.g.roots[trail[0]].Clone(), turns: []int{0}}
	_ = w.start(&repeat{picks: k.path})
	k.real = slices.Clone(w.v)
	r.sites.pack(w.v, k.v)
	r.fromRoot(k.v, k)
	for _, turn := range trail[1:] {
		k.turns = append(k.turns, k.steps+1)
		k.turn(int(turn))
	}
	return k
}

// turn follows an edge.
func (k *walker) turn(turn int) {
	r := k.r
	note := uint8(noteLocal)
	if node, c := r.single(k.v); c != nil {
		note = r.take(k.v, node, c, turn)
		k.take(k.as(node, c.act), c.does.list[turn].picks)
	} else {
		r.sites.unpack(k.v, r.unpacked)
		r.w.restore(r.unpacked)
		_, ev, picks := r.g.step(turn)
		r.sites.pack(r.w.v, k.v)
		k.take(k.same(ev), picks)
	}
	r.onward(k.v, note, false, k)
}

func (k *walker) follow(node int, c *candidate) { k.take(k.as(node, c.act), c.does.list[0].picks) }

// take takes a step in the world; what it asks beyond the picks is answered with the first alternative: no crash.
func (k *walker) take(ev sim.Event, picks []int32) {
	w := k.r.w
	w.restore(k.real)
	defer w.crashesAll()() // it is a path of the system as it is
	at := slices.Index(w.list(nil), ev)
	if at < 0 || k.r.lost {
		k.r.lose()
		return
	}
	k.path = append(k.path, int32(at))
	asked := 0
	src := choose.SourceFunc(func(p choose.Point) int {
		pick := int32(0)
		if !p.InPath() {
			return 0
		}
		if asked < len(picks) {
			pick = picks[asked]
		}
		asked++
		k.path = append(k.path, pick)
		return int(pick)
	})
	_ = w.advance(&ev, src) // it went well before, or is what is shown
	copy(k.real, w.v)
	k.steps++
}

// as is an event of a node, as the world lists it.
func (k *walker) as(node int, a uint32) sim.Event {
	r := k.r
	x := r.nodes[node].acts[a]
	id := k.name(sim.NodeID(node))
	switch x.kind {
	case sim.Deliver:
		from := k.name(x.from)
		return sim.Event{Kind: sim.Deliver, Node: id, Peer: from, Slot: k.slot(int(id), from, x.msg), Msgs: 1}
	case sim.TakeQuorum:
		return k.set(int(id), x.msg)
	}
	l := r.local(k.real[id])
	return at(l.events, slices.Index(l.own, r.nodes[id].id(x)))
}

// at is an event of a list; of none it is one that there is not.
func at(events []sim.Event, k int) sim.Event {
	if k < 0 {
		return sim.Event{Node: -1}
	}
	return events[k]
}

// lose notes that a step of the reduced graph cannot be taken in the world, which would refute that nodes are interchangeable.
func (r *reduction) lose() {
	r.lost = true
	if r.sym != nil && r.rules.mutations == "" {
		r.sym.refute("a run of nodes that were exchanged cannot be executed")
	}
}

// same is an event of the state without dead datagrams, the world being there, as the world lists it.
func (k *walker) same(ev sim.Event) sim.Event {
	w, v := k.r.w, k.r.unpacked
	node := int(ev.Node)
	ev.Node = k.name(ev.Node)
	switch ev.Kind {
	case sim.Deliver, sim.Lose, sim.Duplicate:
		it := w.inboxes.list[v[w.layout.inboxes+node]].items[ev.Slot]
		ev.Peer = k.name(it.from)
		ev.Slot = k.slot(int(ev.Node), ev.Peer, it.msg)
	case sim.TakeQuorum:
		return k.set(int(ev.Node), w.gather(sim.NodeID(node), v[node], v[w.layout.inboxes+node]).sets[ev.Slot].id)
	}
	return ev
}

// set is the event by which a node of the world takes a set.
func (k *walker) set(node int, id uint32) sim.Event {
	w := k.r.w
	if k.names != nil {
		id = k.r.sym.set(k.names, id)
	}
	g := w.gather(sim.NodeID(node), k.real[node], k.real[w.layout.inboxes+node])
	slot := slices.IndexFunc(g.sets, func(s gathered) bool { return s.id == id })
	if slot < 0 {
		return at(nil, slot)
	}
	return g.events[len(g.events)-len(g.sets)+slot]
}

// slot is where the first of some datagrams is in the inbox of a node.
func (k *walker) slot(node int, from sim.NodeID, msg uint32) int32 {
	w := k.r.w
	return int32(slices.IndexFunc(w.inboxes.list[k.real[w.layout.inboxes+node]].items, func(it inboxItem) bool {
		return it.from == from && it.msg == msg
	}))
}

// found is the path to what an exploration found.
func (r *reduction) found(x *explore.Result) choose.Path {
	g := r.g
	if x.Path == nil {
		return g.badPicks
	}
	event, picks := g.badEvent, g.badPicks
	k := r.walk(x.Path)
	if x.AtEdge && event >= 0 {
		r.sites.unpack(k.v, r.unpacked)
		r.w.restore(r.unpacked)
		k.take(k.same(r.w.list(nil)[event]), picks)
	} else if r.sym != nil {
		r.w.restore(k.real)
		r.w.derive()
		if r.w.Check() == nil && r.w.untold() == nil {
			r.lose() // nothing is wrong there
		}
	}
	return k.path
}

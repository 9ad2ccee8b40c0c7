package por

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// walker follows a path of the reduced graph, and executes it in the system's world, where nothing is dropped. An
// event that can happen in a state without dead datagrams can happen in one with them.
type walker struct {
	r      *ReducedGraph
	v      []uint32 // packed, reduced
	real   []uint32 // vector of the world
	path   choose.Path
	steps  int
	starts []int        // by edge: index of its first step
	names  []sim.NodeID // by node of the reduced state: the node of the world; nil means the identity
}

// exchange records a permutation of the nodes of the reduced state.
func (k *walker) exchange(p []sim.NodeID) {
	names := make([]sim.NodeID, len(p))
	for i, to := range p {
		names[to] = k.name(sim.NodeID(i))
	}
	k.names = names
}

// name returns the node of the world for one of the reduced state.
func (k *walker) name(id sim.NodeID) sim.NodeID {
	if k.names == nil {
		return id
	}
	return k.names[id]
}

// Path returns the path along edges, and for each edge the index of its first step. It leaves the world at the end.
func (r *ReducedGraph) Path(trail []uint32) (path choose.Path, starts []int) {
	k := r.walk(trail)
	r.World.Restore(k.real)
	return k.path, k.starts
}

func (r *ReducedGraph) walk(trail []uint32) *walker {
	w := r.World
	defer w.Samples.Pause()()
	k := &walker{r: r, v: make([]uint32, r.Words()), path: r.g.RootPaths[trail[0]].Clone(), starts: []int{0}}
	_ = w.Begin(&statespace.ReplaySource{Picks: k.path})
	k.real = slices.Clone(w.Vector)
	r.Configs.Pack(w.Vector, k.v)
	r.fromRoot(k.v, k)
	for _, edge := range trail[1:] {
		k.starts = append(k.starts, k.steps+1)
		k.followEdge(int(edge))
	}
	return k
}

// followEdge follows an edge.
func (k *walker) followEdge(edge int) {
	r := k.r
	var note uint8
	if node, c := r.single(k.v); c != nil {
		note = r.take(k.v, node, c, edge)
		k.take(k.as(node, c.act), c.does.List[edge].Picks)
	} else {
		r.Configs.Unpack(k.v, r.unpacked)
		r.World.Restore(r.unpacked)
		_, ev, picks := r.g.Take(edge)
		note = uint8(ev.Node) | statespace.NoteLocal
		r.Configs.Pack(r.World.Vector, k.v)
		k.take(k.same(ev), picks)
	}
	r.onward(k.v, note, false, k)
}

func (k *walker) follow(node int, c *candidate) { k.take(k.as(node, c.act), c.does.List[0].Picks) }

// take executes a step in the world. Questions beyond the picks get the first alternative: no crash.
func (k *walker) take(ev netmodel.Event, picks []int32) {
	w := k.r.World
	w.Restore(k.real)
	defer w.Failures.AllowAll()() // the path is one of the unreduced system
	at := slices.Index(w.AllEvents(nil), ev)
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
	_ = w.Advance(&ev, src) // the step succeeded before, or is the failure to show
	copy(k.real, w.Vector)
	k.steps++
}

// as returns the world's form of an event of a node.
func (k *walker) as(node int, a uint32) netmodel.Event {
	r := k.r
	x := r.Nodes[node].Acts[a]
	id := k.name(sim.NodeID(node))
	switch x.Kind {
	case eventkind.Deliver:
		from := k.name(x.From)
		return netmodel.Event{Kind: eventkind.Deliver, Node: id, Peer: from, Slot: k.slot(int(id), from, x.Msg), Msgs: 1}
	case eventkind.TakeQuorum:
		return k.set(int(id), x.Msg)
	}
	l := r.Local(k.real[id])
	return at(l.Events, slices.Index(l.Own, r.Nodes[id].Id(x)))
}

// at returns an event of a list, or an invalid event if k is negative.
func at(events []netmodel.Event, k int) netmodel.Event {
	if k < 0 {
		return netmodel.Event{Node: -1}
	}
	return events[k]
}

// lose records that a step of the reduced graph cannot be executed in the world. That refutes symmetry.
func (r *ReducedGraph) lose() {
	r.lost = true
	if r.Permuter != nil && r.rules.Mutation == "" {
		r.Permuter.Refute("a run with exchanged nodes cannot be executed")
	}
}

// same returns the world's form of an event of the state without dead datagrams. The world is in that state.
func (k *walker) same(ev netmodel.Event) netmodel.Event {
	w, v := k.r.World, k.r.unpacked
	node := int(ev.Node)
	ev.Node = k.name(ev.Node)
	switch {
	case ev.Kind.OfMessage():
		it := w.Inboxes.List[v[w.Layout.Inboxes+node]].Items[ev.Slot]
		ev.Peer = k.name(it.From)
		ev.Slot = k.slot(int(ev.Node), ev.Peer, it.Msg)
	case ev.Kind == eventkind.TakeQuorum:
		return k.set(int(ev.Node), w.Gather(sim.NodeID(node), v[node], v[w.Layout.Inboxes+node]).Sets[ev.Slot].ID)
	}
	return ev
}

// set returns the event by which a node of the world takes a set.
func (k *walker) set(node int, id uint32) netmodel.Event {
	w := k.r.World
	if k.names != nil {
		id = k.r.Permuter.PermuteSet(k.names, id)
	}
	g := w.Gather(sim.NodeID(node), k.real[node], k.real[w.Layout.Inboxes+node])
	slot := slices.IndexFunc(g.Sets, func(s steptree.GatheredSet) bool { return s.ID == id })
	if slot < 0 {
		return at(nil, slot)
	}
	return g.Events[len(g.Events)-len(g.Sets)+slot]
}

// slot returns the index of the first copy of a datagram in the inbox of a node.
func (k *walker) slot(node int, from sim.NodeID, msg uint32) int32 {
	w := k.r.World
	return int32(slices.IndexFunc(w.Inboxes.List[k.real[w.Layout.Inboxes+node]].Items, func(it store.InboxItem) bool {
		return it.From == from && it.Msg == msg
	}))
}

// PathTo returns the path to the finding of an exploration.
func (r *ReducedGraph) PathTo(x *explore.Result) choose.Path {
	g := r.g
	if x.Path == nil {
		return g.BadPicks
	}
	event, picks := g.BadEvent, g.BadPicks
	k := r.walk(x.Path)
	if x.AtEdge && event >= 0 {
		r.Configs.Unpack(k.v, r.unpacked)
		r.World.Restore(r.unpacked)
		k.take(k.same(r.World.AllEvents(nil)[event]), picks)
	} else if r.Permuter != nil {
		r.World.Restore(k.real)
		r.World.Refresh()
		if r.World.Check() == nil && r.World.UnlistedQuorums() == nil {
			r.lose() // that state has no finding
		}
	}
	return k.path
}

package por

import (
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Whether a quorum can take a set depends on the local state and the set alone, not on other messages in flight. So
// a set is an event of its own. Unlike a delivery it may be possible in x and not in x.t, where it would become
// known. Thus all sets of messages ever sent to the node are considered.

// taking lists the sets that the quorums of a local state can take from all datagrams ever sent to the node.
type taking struct {
	of      int // number of sent datagrams when it was computed
	Acts    []uint32
	in      map[statespace.Datagram]bool // members of any of the sets
	Unknown bool                         // there are too many sets, or a quorum panics
	sets    map[uint32]bool              // by set: whether it can be taken
	waits   map[uint32]bool              // by message: whether it waits for quorums
}

// sendsOf records the datagrams that a step sends to quorums.
func (r *ReducedGraph) sendsOf(id, a uint32) {
	o := r.Step(id, a)
	if o == nil {
		return
	}
	for k := range o.List {
		for _, s := range o.List[k].Sends {
			r.sent(int(s.Peer), r.Configs.Tables[s.Peer].All[s.Index])
		}
	}
}

// sent records that a datagram may be in flight to a node.
func (r *ReducedGraph) sent(node int, d statespace.Datagram) {
	if !r.Nodes[node].is[d] && r.Permuter != nil {
		for _, p := range r.Permuter.Permutations() {
			r.mayBeSent(int(p[node]), statespace.Datagram{From: p[d.From], Msg: d.Msg})
		}
	}
	r.mayBeSent(node, d)
}

func (r *ReducedGraph) mayBeSent(node int, d statespace.Datagram) {
	n := &r.Nodes[node]
	if !n.is[d] {
		n.is[d] = true
		n.Sent = append(n.Sent, store.InboxItem{From: d.From, Msg: d.Msg})
		r.known++
	}
}

// gathered adds the events that datagrams enable at a node configuration.
func (r *ReducedGraph) gathered(node int, here statespace.NodeConfig, add func(a, bag uint32, takes bool)) {
	items := r.World.Inboxes.List[here.Inbox].Items
	for _, it := range items {
		r.sent(node, statespace.Datagram{From: it.From, Msg: it.Msg})
	}
	g := r.World.Gather(sim.NodeID(node), here.Local, here.Inbox)
	for _, ev := range g.Events[:len(g.Events)-len(g.Sets)] {
		add(r.Delivery(node, items[ev.Slot]), r.World.Inboxes.Without(here.Inbox, ev.Slot), true)
	}
	for _, s := range g.Sets {
		bag := here.Inbox
		for _, place := range s.Places {
			bag = r.World.Inboxes.Without(bag, place)
		}
		add(r.Nodes[node].Id(Act{Kind: eventkind.TakeQuorum, Msg: s.ID}), bag, true)
	}
}

// takes reports whether a quorum can take a set in a local state.
func (r *ReducedGraph) takes(id, set uint32) bool {
	t := &r.Local(id).taking
	can, known := t.sets[set]
	if !known {
		s := &r.World.Quorums.Sets[set]
		var all []store.InboxItem
		for i := range s.From {
			all = append(all, store.InboxItem{From: s.From[i], Msg: s.Msgs[i]})
		}
		made, _ := r.World.Assemble(id, all, false)
		can = slices.ContainsFunc(made.Sets, func(m declared.AssemblySet) bool { return m.Quorum == s.Quorum && len(m.Members) == len(all) })
		if t.sets == nil {
			t.sets = map[uint32]bool{}
		}
		t.sets[set] = can
	}
	return can
}

// ForQuorum reports whether a datagram waits for quorums in a local state, instead of being delivered.
func (r *ReducedGraph) ForQuorum(id uint32, a *Act) bool {
	l := r.Local(id)
	if !r.World.Quorums.Any || !l.Up {
		return false
	}
	waits, known := l.taking.waits[a.Msg]
	if !known {
		made, err := r.World.Assemble(id, []store.InboxItem{{From: a.From, Msg: a.Msg}}, false)
		waits = err == nil && made.Taken[0]
		if l.taking.waits == nil {
			l.taking.waits = map[uint32]bool{}
		}
		l.taking.waits[a.Msg] = waits
	}
	return waits
}

// canTake reports whether a quorum may take a datagram in a local state, together with others ever sent.
func (r *ReducedGraph) canTake(id uint32, a *Act) bool {
	r.sent(r.Local(id).Node, statespace.Datagram{From: a.From, Msg: a.Msg})
	t := r.Possible(id)
	return t.Unknown || t.in[statespace.Datagram{From: a.From, Msg: a.Msg}]
}

// Possible returns the sets that the quorums of a local state can take.
func (r *ReducedGraph) Possible(id uint32) *taking {
	l := r.Local(id)
	t, n := &l.taking, &r.Nodes[l.Node]
	if t.of == len(n.Sent) && t.in != nil || !l.Up {
		return t
	}
	t.of, t.Acts, t.in = len(n.Sent), nil, map[statespace.Datagram]bool{}
	made, err := r.World.Assemble(id, n.Sent, false)
	if t.Unknown = err != nil; t.Unknown {
		return t
	}
	for _, s := range made.Sets {
		set := steptree.MessageSet{Quorum: s.Quorum}
		for _, k := range s.Members {
			it := n.Sent[k]
			set.From, set.Msgs = append(set.From, it.From), append(set.Msgs, it.Msg)
			t.in[statespace.Datagram{From: it.From, Msg: it.Msg}] = true
		}
		t.Acts = append(t.Acts, n.Id(Act{Kind: eventkind.TakeQuorum, Msg: r.World.SetOf(set)}))
	}
	return t
}

// quorumsCommute checks the sets that can be taken in x, for singletonAmple. A set disjoint from that of t is an
// event like any other. A set that overlaps it may disable t. Then it must do what t does, and what either of them
// leaves in flight must be dead. Thus an execution that takes it instead of t can take t as well, also where there
// are copies, and continue unchanged: no later step takes what t left or did not leave. This requires that dead
// datagrams are dropped, since states would differ otherwise.
func (r *ReducedGraph) quorumsCommute(x, t uint32, of *Outcomes, goOn func(f uint32) bool) bool {
	can := r.Possible(x)
	if can.Unknown && !r.Mutated(NoQuorumContract) {
		return false // a defect in x must be visited
	}
	node := r.Local(x).Node
	for _, f := range can.Acts {
		switch {
		case f == t:
		case r.Mutated(NoSets) && !r.Local(x).Knows[f]:
		case !r.rivals(node, f, t):
			if !goOn(f) {
				return false
			}
		case !r.rules.DeadMessages || !r.Mutated(NoRivals) && !r.replaces(x, f, t, of):
			return false
		}
	}
	return true
}

// breaksQuorumContract evaluates the quorums of all known local states with everything ever sent to the node. No state of
// the full graph has more messages. It reports whether a quorum breaks its contract: a Need is no longer negative,
// a function panics or changes something, or there are too many sets. (A Do that depends on the order is a step
// that fails.) Such a state may be unreachable, so nothing is reduced then, and all states decide. Without a
// reduction a broken contract is a violation like any other, see quorumsCommute and canTake. Functions that change
// something are found by other searches, in samples.
func (r *ReducedGraph) breaksQuorumContract() bool {
	if !r.World.Quorums.Any || r.KeepsAll() || r.Mutated(NoQuorumContract) {
		return false
	}
	for node := range r.Nodes {
		n := &r.Nodes[node]
		for _, id := range n.Reached {
			l := r.Local(id)
			if !l.Up || l.kept == len(n.Sent)+1 {
				continue
			}
			if r.Limited() {
				return true
			}
			if _, err := r.World.Assemble(id, n.Sent, true); err != nil {
				r.disable("a quorum may break its contract in states that would be left out")
				return true
			}
			l.kept = len(n.Sent) + 1
		}
	}
	return false
}

// rivals reports whether two events of a node may take the same datagram.
func (r *ReducedGraph) rivals(node int, f, t uint32) bool {
	acts := r.Nodes[node].Acts
	if acts[f].Kind != eventkind.TakeQuorum || acts[t].Kind != eventkind.TakeQuorum {
		return false
	}
	a, b := &r.World.Quorums.Sets[acts[f].Msg], &r.World.Quorums.Sets[acts[t].Msg]
	for i := range a.From {
		if b.Has(a.From[i], a.Msgs[i]) {
			return true
		}
	}
	return false
}

// replaces reports whether in x set f can be taken instead of set t without a difference.
func (r *ReducedGraph) replaces(x, f, t uint32, of *Outcomes) bool {
	there := r.Step(x, f)
	r.know(x, f)
	if there == nil || there.Unsure || len(there.List) != len(of.List) {
		return false
	}
	acts := r.Nodes[r.Local(x).Node].Acts
	a, b := &r.World.Quorums.Sets[acts[f].Msg], &r.World.Quorums.Sets[acts[t].Msg]
	for k := range of.List {
		p, q := &there.List[k], &of.List[k]
		if p.Failed || !p.Ordinary || len(p.Announced) > 0 || p.Next != q.Next || !slices.Equal(p.Sends, q.Sends) {
			return false
		}
		r.reach(p.Next)
		if !r.Mutated(NoLeftovers) && !(r.leaves(p.Next, a, b) && r.leaves(p.Next, b, a)) {
			return false
		}
	}
	return true
}

// leaves reports whether the members of set a that are not in b are dead in a local state.
func (r *ReducedGraph) leaves(id uint32, a, b *steptree.MessageSet) bool {
	node := r.Local(id).Node
	for i := range a.From {
		if b.Has(a.From[i], a.Msgs[i]) {
			continue
		}
		m := r.Delivery(node, store.InboxItem{From: a.From[i], Msg: a.Msgs[i]})
		if !r.isDead(Claim{id, m}) {
			return false
		}
	}
	return true
}

package por

import (
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/table/store"
)

// A claim about a local state is decided by computing its closure, the local states that certain events lead to.

// closureLimit is the maximum size of a closure. It is halved after each closure of a node that reaches it, down to
// closureLeast, to save time.
const closureLimit, closureLeast = 2000, 125

// closureBulk is the maximum growth in bytes of a local state in a closure, compared with its first state. Unsynced
// writes may grow from state to state.
const closureBulk = 16 << 10

// mostEndless is the number of abandoned closures of a node after which a trial exploration gives up.
const mostEndless = 100

// tooLarge reports whether to abandon a closure that began in local state first, has reached x, and has the given
// number of local states.
func (r *ReducedGraph) tooLarge(first, x uint32, states int) bool {
	all := r.World.Engine.Locals.List
	n := &r.Nodes[all[x].Node]
	if states <= max(closureLimit>>n.endless, closureLeast) && store.BulkOf(&all[x]) <= store.BulkOf(&all[first])+closureBulk {
		return r.Limited()
	}
	if n.endless++; n.endless == mostEndless && r.trial {
		r.Err = ErrAgain
	}
	return true
}

// singletonAmple decides whether event t, enabled in local state l, commutes with everything that the node may do
// before t. Let W be the least set of local states that contains l and is closed under steps other than t: if x is in
// W, then x.f is in W for each event f of the node itself and each delivery f that is known to happen in x.t. For each x
// and f, outcome by outcome, it checks that
//
//   - t can happen in x and in x.f, and f in x.t,
//   - x.f.t and x.t.f are the same, and each event sends, announces and fails the same in both orders,
//   - the step from x to x.t makes no property look better, see visible.
//
// Sets taken by quorums are checked by quorumsCommute.
//
// The steps that this executes become known, and what is known of x.t is then checked in x, too.
func (r *ReducedGraph) singletonAmple(c Claim) bool {
	t := c.Act
	first := r.Step(c.Local, t)
	if first == nil || !first.silent {
		return false
	}
	node := r.Local(c.Local).Node
	visited := map[uint32]bool{c.Local: true}
	waiting := []uint32{c.Local}
	for len(waiting) > 0 {
		x := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if r.tooLarge(c.Local, x, len(visited)) {
			return false
		}
		of := r.Step(x, t)
		r.know(x, t)
		for k := range of.List {
			y := of.List[k].Next
			r.reach(y)
			if x != y && !r.Mutated(NoVisibility) && r.visible(node, x, y) {
				return false
			}
			goOn := func(f uint32) bool {
				next, ok := r.commute(x, y, f, t, k, of)
				for _, z := range next {
					if !visited[z] && !r.Mutated(NoClosure) {
						visited[z] = true
						waiting = append(waiting, z)
					}
				}
				return ok
			}
			for _, f := range r.Local(x).Own {
				if f != t && !goOn(f) {
					return false
				}
			}
			if r.World.Quorums.Any && !r.quorumsCommute(x, t, of, goOn) {
				return false
			}
			after := r.Local(y)
			for n := 0; n < len(after.Known); n++ { // the loop may add more
				if f := after.Known[n]; f != t && r.Delivers(node, f) && !goOn(f) {
					return false
				}
			}
		}
	}
	return true
}

// isSingletonAmple reports whether an event is explored alone.
func (r *ReducedGraph) isSingletonAmple(c Claim) bool {
	return r.assume(&r.assumptions, c, r.singletonAmple)
}

// Limited reports whether the limit of time or memory is reached. Nothing more is decided then.
func (r *ReducedGraph) Limited() bool {
	if r.Err == nil && r.g.Answers.Limit != nil {
		r.Err = r.g.Answers.Limit()
	}
	return r.Err != nil
}

// commute compares two orders of event f and the k'th outcome of t, from local state x: f then t, and t to y then
// f. It returns the local states that f reaches from x.
func (r *ReducedGraph) commute(x, y, f, t uint32, k int, of *Outcomes) (next []uint32, ok bool) {
	there := r.Step(x, f)
	if there == nil {
		return nil, true // only t enables it
	}
	r.know(x, f)
	here := r.Step(y, f)
	if there.Unsure || here == nil || here.Unsure || len(there.List) != len(here.List) {
		return nil, false
	}
	r.know(y, f)
	first := &of.List[k]
	for b := range there.List {
		p, q := &there.List[b], &here.List[b]
		if p.Failed != q.Failed || p.Ordinary != q.Ordinary || !slices.Equal(p.Announced, q.Announced) || !slices.Equal(p.Sends, q.Sends) {
			return next, false
		}
		if p.Failed {
			continue
		}
		r.reach(p.Next)
		r.reach(q.Next)
		next = append(next, p.Next)
		last := r.Step(p.Next, t)
		if last == nil || !last.silent || len(last.List) != len(of.List) {
			return next, false
		}
		if z := &last.List[k]; z.Next != q.Next && !r.Mutated(NoCommuting) || !slices.Equal(z.Sends, first.Sends) {
			return next, false
		}
	}
	return next, true
}

// unaffectedByFaults reports whether an ample event of a local state is ample in a global state: no remaining fault can
// affect it, and its receivers are up.
func (r *ReducedGraph) unaffectedByFaults(v []uint32, node int, c *candidate) bool {
	f := &r.Configs.Globals[v[r.Configs.Global]]
	if c.takes && r.World.NetGlobals.List[f.Net].State.Left.Total() > 0 && !r.Mutated(NoLoss) {
		return false
	}
	crashes, halts := store.CrashesLeft(f.Budget) > 0 && !r.Mutated(NoCrashes), store.HaltsLeft(f.Budget) > 0 && !r.Mutated(NoHalts)
	fails := func(node int) bool {
		return crashes && r.World.Failures.MayCrash(node) || halts && r.World.Failures.MayHalt(node)
	}
	if fails(node) {
		return false
	}
	for k := range c.does.List {
		for _, o := range c.does.List[k].Sends {
			if !r.Configs.Tables[o.Peer].Up[v[o.Peer]] && !r.Mutated(NoReceivers) || fails(int(o.Peer)) {
				return false
			}
		}
	}
	return true
}

// candidate is an event that can happen at a node configuration.
type candidate struct {
	act   uint32
	does  *Outcomes
	takes bool     // it takes a datagram
	next  []uint32 // by outcome: the next node configuration, without what the node sends to itself
}

// configCache caches the candidates of a node configuration.
type configCache struct {
	local      *LocalState
	candidates []candidate
	dropped    uint32 // the node configuration without dead datagrams
	noted      bool   // its enabled events are known
}

// at returns the cached state of a node configuration.
func (r *ReducedGraph) at(node int, id uint32) *configCache {
	for int(id) >= len(r.caches[node]) {
		r.caches[node] = append(r.caches[node], nil)
	}
	if p := r.caches[node][id]; p != nil {
		return p
	}
	here := r.Configs.Tables[node].List[id]
	p := &configCache{local: r.reach(here.Local), dropped: id}
	if r.rules.DeadMessages {
		p.dropped = r.without(node, id)
	}
	add := func(a, bag uint32, takes bool) {
		c := candidate{act: a, does: r.Step(here.Local, a), takes: takes}
		if c.does == nil {
			return
		}
		for k := range c.does.List {
			c.next = append(c.next, r.Configs.Config(node, c.does.List[k].Next, bag))
		}
		p.candidates = append(p.candidates, c)
	}
	for _, a := range p.local.Own {
		add(a, here.Inbox, false)
	}
	switch {
	case !p.local.Up:
	case r.World.Quorums.Any:
		r.gathered(node, here, add)
	default:
		for place, it := range r.World.Inboxes.List[here.Inbox].Items {
			if !it.Same {
				add(r.Delivery(node, it), r.World.Inboxes.Without(here.Inbox, int32(place)), true)
			}
		}
	}
	r.caches[node][id] = p
	return p
}

// Delivery returns the event that delivers a datagram.
func (r *ReducedGraph) Delivery(node int, it store.InboxItem) uint32 {
	return r.Nodes[node].Id(Act{Kind: eventkind.Deliver, From: it.From, Msg: it.Msg})
}

// pick returns the event to explore alone in a state, or nil. It prefers events that change nothing.
func (r *ReducedGraph) pick(v []uint32) (node int, c *candidate) {
	for _, noop := range [...]bool{true, false} {
		for node := range r.caches {
			p := r.at(node, v[node])
			local := r.Configs.Tables[node].List[v[node]].Local
			for k := range p.candidates {
				c := &p.candidates[k]
				if c.does.silent && c.does.noop == noop && r.unaffectedByFaults(v, node, c) && r.isSingletonAmple(Claim{local, c.act}) {
					return node, c
				}
			}
		}
	}
	return 0, nil
}

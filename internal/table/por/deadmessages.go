package por

import (
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// A dead datagram is one that no later step can observe. It has nothing to do with dead states.

// without returns a node configuration without its dead datagrams. Those in flight to a node that is down stay, so
// that each dropped one could have been delivered.
func (r *ReducedGraph) without(node int, id uint32) uint32 {
	here := r.Configs.Tables[node].List[id]
	bag := here.Inbox
	if bag == 0 || !r.World.Engine.IsUp(here.Local) {
		return id
	}
	for place := 0; place < len(r.World.Inboxes.List[bag].Items); {
		a := r.Delivery(node, r.World.Inboxes.List[bag].Items[place])
		if !r.isDead(Claim{here.Local, a}) {
			place++
			continue
		}
		if o := r.Step(here.Local, a); o != nil {
			for k := range o.List {
				r.World.Trees.Leaves.At(o.List[k].Leaf).Taken = true // the step happens, without an effect
			}
		}
		bag = r.World.Inboxes.Without(bag, int32(place))
	}
	if bag == here.Inbox {
		return id
	}
	return r.Configs.Config(node, here.Local, bag)
}

// isDead reports whether a datagram may be dropped.
func (r *ReducedGraph) isDead(c Claim) bool { return r.assume(&r.deadMessages, c, r.dead) }

// dead decides whether a delivery does nothing, or no quorum can take the datagram, in all local states that the
// node reaches from one. It follows known steps, and crashes and boots, which may happen until the crash limit is
// reached.
func (r *ReducedGraph) dead(c Claim) bool {
	visited := map[uint32]bool{c.Local: true}
	all := []uint32{c.Local}
	add := func(x uint32) {
		if !visited[x] {
			visited[x] = true
			all = append(all, x)
		}
	}
	for k := 0; k < len(all); k++ {
		x := all[k]
		l := r.Local(x)
		if r.tooLarge(c.Local, x, len(all)) {
			return false
		}
		if l.Up && !r.idle(x, c.Act) {
			return false
		}
		for _, list := range [...][]uint32{l.Own, l.Known} {
			for _, f := range list {
				if !r.after(x, f, add) {
					return false
				}
			}
		}
		if l.Up && !r.Mutated(NoRestart) && !r.crash(x, l, add) {
			return false
		}
	}
	if !r.Mutated(NoDeliveries) {
		for _, x := range all {
			// It may still be delivered, which matters to earlier events
			if r.Local(x).Up && !r.ForQuorum(x, &r.Nodes[r.Local(x).Node].Acts[c.Act]) {
				r.know(x, c.Act)
			}
		}
	}
	return true
}

// idle reports whether a datagram changes nothing in a local state of a node that is up.
func (r *ReducedGraph) idle(x, a uint32) bool {
	if it := &r.Nodes[r.Local(x).Node].Acts[a]; r.ForQuorum(x, it) {
		return !r.canTake(x, it)
	}
	o := r.Step(x, a)
	return o != nil && o.noop
}

// after adds the local states that an event leads to.
func (r *ReducedGraph) after(x, f uint32, add func(uint32)) bool {
	o := r.Step(x, f)
	if o == nil {
		return true
	}
	for k := range o.List {
		if !o.List[k].Failed {
			add(o.List[k].Next)
		}
	}
	return !o.Unsure
}

// crash adds the local states that a crash leads to, between steps or inside a known one.
func (r *ReducedGraph) crash(x uint32, l *LocalState, add func(uint32)) bool {
	e := r.World.Engine
	if e.Sys.Crashes == 0 || !r.World.Failures.MayCrash(l.Node) {
		return true
	}
	for kept := range e.Locals.List[x].State.Unsynced() + 1 {
		down, err := e.Crashed(x, kept)
		if err != nil {
			return false
		}
		add(down)
	}
	for _, list := range [...][]uint32{l.Own, l.Known} {
		for _, f := range list {
			o := r.Step(x, f)
			if o == nil {
				continue
			}
			for k := range o.List {
				if !r.crashInside(l, &o.List[k], add) {
					return false
				}
			}
		}
	}
	return true
}

// crashInside adds the local states that crashes inside a step lead to.
func (r *ReducedGraph) crashInside(l *LocalState, o *Outcome, add func(uint32)) bool {
	e := r.World.Engine
	leaf := e.Trees.Leaves.At(o.Leaf)
	if leaf.Err != nil || leaf.CrashCuts == 0 {
		return true
	}
	node := sim.NodeID(l.Node)
	for _, way := range e.CutsOf(leaf, stepinfo.EffectKind.SurvivesCrash) {
		c := leaf.CutOf(way)
		for kept := range e.CrashedInside(node, o.Leaf, c).Outcomes {
			down, err := e.Survived(node, o.Leaf, c, kept)
			if err != nil {
				return false
			}
			add(down)
		}
	}
	return true
}

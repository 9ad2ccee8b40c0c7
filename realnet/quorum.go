package realnet

import (
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/sim"
)

// waits stores a datagram for the quorums that take such messages, or drops it beyond a bound. It returns false if
// no quorum takes it.
func (n *Node) waits(it *item) bool {
	if len(n.cfg.System.Quorums) == 0 || !n.run.Takes(n.cfg.Node, it.msg) {
		return false
	}
	if len(n.waiting) < mostHeld {
		n.waiting = append(n.waiting, *it)
	}
	return true
}

// takeSets delivers sets of waiting messages while quorums take any. Of several possible sets it takes the one that
// was complete first. It drops messages that no quorum will take any more.
func (n *Node) takeSets() {
	for len(n.waiting) > 0 && n.broken == nil && !n.frozen {
		all := make([]sim.From[any], len(n.waiting))
		for i := range n.waiting {
			all[i] = sim.From[any]{From: n.waiting[i].peer, Msg: n.waiting[i].msg}
		}
		made, found := n.run.Assemble(n.cfg.Node, all)
		if n.broken = found; found != nil {
			n.log.Error("finding", "kind", found.Kind, "message", found.Message, "stack", found.Stack)
			return
		}
		if len(made.Sets) == 0 {
			n.forget(func(i int) bool { return made.Over[i] })
			return
		}
		first := slices.MinFunc(made.Sets, func(a, b declared.AssemblySet) int {
			return int(slices.Max(a.Members) - slices.Max(b.Members))
		})
		g := handlerEvent{kind: eventkind.TakeQuorum, peer: -1, quorum: first.Quorum}
		for _, k := range first.Members {
			g.set = append(g.set, n.waiting[k])
		}
		n.forget(func(i int) bool { return made.Over[i] || slices.Contains(first.Members, int32(i)) })
		n.step(g)
	}
}

// forget drops waiting messages by index.
func (n *Node) forget(drop func(i int) bool) {
	left := n.waiting[:0]
	for i := range n.waiting {
		if !drop(i) {
			left = append(left, n.waiting[i])
		}
	}
	clear(n.waiting[len(left):])
	n.waiting = left
}

// assembled returns the set of the event, or nil if it is not a TakeQuorum.
func (g *handlerEvent) assembled() *declared.Assembled {
	if g.kind != eventkind.TakeQuorum {
		return nil
	}
	made := &declared.Assembled{Quorum: g.quorum}
	for i := range g.set {
		made.Set = append(made.Set, sim.From[any]{From: g.set[i].peer, Msg: g.set[i].msg})
	}
	return made
}

// received converts a set for the recording.
func received(set []item) (list []recording.Received) {
	for i := range set {
		it := &set[i]
		list = append(list, recording.Received{Peer: it.peer, From: recording.Ref{Incarnation: it.incarnation, Number: it.number}, Data: it.data})
	}
	return list
}

package statespace

import (
	"cmp"
	"slices"
)

const commutingKnown = 1 << 63

// listCommutingPairs puts to sleep the commuting transitions of the node that acted last, in a list of ordinary
// events.
func (g *Graph) listCommutingPairs(list int) {
	by := g.sleepSet.by
	if by == 0 {
		return
	}
	for i := range g.spans {
		sp := &g.spans[i]
		if int(sp.node) != g.Configs.Actor(by) {
			continue
		}
		if g.reads && g.Configs.Commuting[by] == 0 {
			g.unread = true
			return
		}
		sp.asleep = g.Configs.commutingPairs(by, list)
	}
}

// commutingPairs returns the transitions that sleep at a node configuration reached by transition k of the node, as
// bits by place in the list of ordinary events. Each takes a datagram that was there before k, precedes k in the
// list, and leads to the same result in the other order. Places from 63 on never sleep. The datagrams that a node
// sends to one peer may be distinguished by their order.
func (s *NodeConfigs) commutingPairs(k uint32, list int) uint64 {
	if s.Commuting[k] == 0 {
		s.Commuting[k] = commutingKnown | s.findCommutingPairs(k, list)
	}
	return s.Commuting[k] &^ commutingKnown
}

func (s *NodeConfigs) findCommutingPairs(a uint32, list int) (found uint64) {
	p := &s.Tables[s.Actor(a)]
	before, after := p.spanOf(list, s.Origins[a]), p.spanOf(list, s.Transitions[a].Next)
	if s.taking(before, s.Takes[a]) != a {
		return 0
	}
	for i := range min(after.end-after.begin, 63) {
		bAfter := after.begin + i
		b := s.taking(before, s.Takes[bAfter])
		if b == 0 || b >= a || s.taking(after, s.Takes[bAfter]) != bAfter {
			continue
		}
		aAfter := s.taking(p.spanOf(list, s.Transitions[b].Next), s.Takes[a])
		if aAfter != 0 && s.Transitions[aAfter].Next == s.Transitions[bAfter].Next && s.sentAlike([2]uint32{a, bAfter}, [2]uint32{b, aAfter}) {
			found |= 1 << i
		}
	}
	return found
}

// taking returns the only transition of a span that takes a datagram, if it leaves the global part unchanged. It
// returns 0 if there is none, or several.
func (s *NodeConfigs) taking(sp span, datagram uint32) (k uint32) {
	if datagram == 0 {
		return 0
	}
	for i := sp.begin; i < sp.end; i++ {
		if s.Takes[i] == datagram {
			if k != 0 || s.Peers[i] == NeverSleeps {
				return 0
			}
			k = i
		}
	}
	return k
}

// sentAlike reports whether two pairs of transitions send and announce the same, in the same order to each node.
func (s *NodeConfigs) sentAlike(one, other [2]uint32) bool {
	sent := func(moves [2]uint32) (all []EffectOp) {
		for _, k := range moves {
			all = append(all, s.OpsOf(k)...)
		}
		all = slices.DeleteFunc(all, func(o EffectOp) bool { return o.kind() == opSlow })
		slices.SortStableFunc(all, func(a, b EffectOp) int { return cmp.Compare(a.Peer, b.Peer) })
		return all
	}
	return slices.Equal(sent(one), sent(other))
}

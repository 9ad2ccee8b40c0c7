package table

import (
	"cmp"
	"slices"
)

const diamondsKnown = 1 << 63

// listDiamonds has what sleeps at the node that acted last sleep, of what a list of ordinary events has.
func (g *graph) listDiamonds(list int) {
	by := g.asleep.by
	if by == 0 {
		return
	}
	for i := range g.spans {
		sp := &g.spans[i]
		if int(sp.node) != g.sites.actor(by) {
			continue
		}
		if g.reads && g.sites.diamonds[by] == 0 {
			g.unread = true
			return
		}
		sp.asleep = g.sites.diamondsOf(by, list)
	}
}

// diamondsOf are the moves that sleep, by their places in the list of ordinary events, at the site of the node that came there by a move: such that take
// a datagram which was there before, came before that move in the list, and lead to what they lead to in the other order. Those beyond the 63rd
// do not. What datagrams a node sends to one other may be told apart by their order.
func (s *sites) diamondsOf(k uint32, list int) uint64 {
	if s.diamonds[k] == 0 {
		s.diamonds[k] = diamondsKnown | s.findDiamonds(k, list)
	}
	return s.diamonds[k] &^ diamondsKnown
}

func (s *sites) findDiamonds(a uint32, list int) (found uint64) {
	p := &s.places[s.actor(a)]
	before, after := p.spanOf(list, s.origins[a]), p.spanOf(list, s.moves[a].next)
	if s.taking(before, s.takes[a]) != a {
		return 0
	}
	for i := range min(after.end-after.begin, 63) {
		bAfter := after.begin + i
		b := s.taking(before, s.takes[bAfter])
		if b == 0 || b >= a || s.taking(after, s.takes[bAfter]) != bAfter {
			continue
		}
		aAfter := s.taking(p.spanOf(list, s.moves[b].next), s.takes[a])
		if aAfter != 0 && s.moves[aAfter].next == s.moves[bAfter].next && s.sentAlike([2]uint32{a, bAfter}, [2]uint32{b, aAfter}) {
			found |= 1 << i
		}
	}
	return found
}

// taking is the only move of a span that takes a datagram, if it leaves the frame as it is; 0: there is none, or several.
func (s *sites) taking(sp span, datagram uint32) (k uint32) {
	if datagram == 0 {
		return 0
	}
	for i := sp.begin; i < sp.end; i++ {
		if s.takes[i] == datagram {
			if k != 0 || s.peers[i] == neverAsleep {
				return 0
			}
			k = i
		}
	}
	return k
}

// sentAlike reports whether two moves and two others send and announce the same, in the same order to each node.
func (s *sites) sentAlike(one, other [2]uint32) bool {
	sent := func(moves [2]uint32) (all []moveOp) {
		for _, k := range moves {
			all = append(all, s.opsOf(k)...)
		}
		all = slices.DeleteFunc(all, func(o moveOp) bool { return o.kind() == opSlow })
		slices.SortStableFunc(all, func(a, b moveOp) int { return cmp.Compare(a.peer, b.peer) })
		return all
	}
	return slices.Equal(sent(one), sent(other))
}

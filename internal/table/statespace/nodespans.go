package statespace

import "github.com/macemc/macemc/internal/table/world"

// quiet reports whether no message, error or node event can be handled.
func (g *Graph) quiet() bool {
	for i := range g.Configs.Tables {
		p, at := &g.Configs.Tables[i], g.WorldVector[i]
		if p.busy[at] || p.Up[at] && g.World.Failing[i]|g.World.Deliverable[i] != 0 {
			return false
		}
	}
	return true
}

// nodeSpan is a range of transitions of a node, or of none. None of them is a questionTransition.
type nodeSpan struct {
	span
	node   int32
	asleep uint64 // bits by place of those that sleep
}

// listOrdinary lists the transitions of ordinary events, in the order of the network.
func (g *Graph) listOrdinary(fr uint32, quiet bool) {
	l := &g.World.Layout
	if l.PairCount == 0 {
		g.listEach(fr, quiet, world.OrdinaryEvents)
		g.listCommutingPairs(listOf(fr, quiet, world.OrdinaryEvents))
		return
	}
	for node := range g.Configs.Tables {
		g.list(g.spanIn(fr, quiet, world.OwnEvents, node), node, noStream)
		if g.Configs.Tables[node].Up[g.WorldVector[node]] {
			g.listStreams(node)
		}
		if l.InboxCount > 0 {
			g.list(g.spanIn(fr, quiet, world.DatagramEvents, node), node, noStream)
		}
	}
}

// listEach lists the transitions of all nodes for events of a kind.
func (g *Graph) listEach(fr uint32, quiet bool, kind world.EventList) {
	spans := g.spans
	for node := range g.Configs.Tables {
		switch sp := g.spanIn(fr, quiet, kind, node); {
		case sp.hasQuestion():
			g.spans = spans
			g.list(sp, node, noStream)
			spans = g.spans
		case sp.begin < sp.end:
			spans = append(spans, nodeSpan{})
			p := &spans[len(spans)-1] // assigned by fields, see put
			p.begin, p.end, p.handled, p.most, p.node = sp.begin, sp.end, sp.handled, sp.most, int32(node)
		}
	}
	g.spans = spans
}

// list appends transitions of a node. Placeholders are replaced by the transitions for the answers to their
// questions.
func (g *Graph) list(sp span, node int, h streamEvent) {
	if !sp.hasQuestion() {
		if sp.begin < sp.end {
			g.put(sp, node)
		}
		return
	}
	part := sp
	part.handled &^= spanQuestion
	for k := sp.begin; k < sp.end; k++ {
		if m := &g.Configs.Transitions[k]; m.Kind == questionTransition {
			part.end = k
			g.put(part, node)
			g.list(g.answered(m.first, node, h), node, h)
			part.begin, part.handled = k+1, 0
		}
	}
	part.end = sp.end
	g.put(part, node)
}

// put assigns fields one by one: a copy of a struct stalls on the stores if its fields were just written.
func (g *Graph) put(sp span, node int) {
	g.spans = append(g.spans, nodeSpan{})
	p := &g.spans[len(g.spans)-1]
	p.begin, p.end, p.handled, p.most, p.node = sp.begin, sp.end, sp.handled, sp.most, int32(node)
}

// spanIn returns the transitions of a node in a list, and computes them if they are unknown.
func (g *Graph) spanIn(fr uint32, quiet bool, kind world.EventList, node int) span {
	sp := g.Configs.Tables[node].spanOf(listOf(fr, quiet, kind), g.WorldVector[node])
	if sp.begin == sp.end && sp.end == 0 {
		if g.reads {
			g.unread = true
		} else {
			sp = g.Configs.populate(g.World, g.WorldVector, node, quiet, kind)
		}
	}
	return sp
}

// roomFor returns the maximum number of edges and of changes of some spans.
func roomFor(spans []nodeSpan) (edges, changes int) {
	for i := range spans {
		edges += int(spans[i].end - spans[i].begin)
		changes += spans[i].changes()
	}
	return edges, changes
}

// sleepSetIn returns the transitions of a node configuration that sleep, since its node did not change in the last
// step, and whether all do.
func (g *Graph) sleepSetIn(sp *nodeSpan) (moves uint64, all bool) {
	but, arrived := g.sleepSet.but, g.sleepSet.arrived[sp.node]
	if g.sleepSet.shared>>sp.node&1 != 0 {
		but |= g.sleepSet.actor
	}
	if arrived == 0 && sp.peers()&but == 0 {
		return 0, true
	}
	return g.Configs.independent(sp.span, but, arrived), false
}

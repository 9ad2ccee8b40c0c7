package table

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// repeat answers as before.
type repeat struct {
	picks []int32
	next  int
}

func (r *repeat) Choose(p choose.Point) int {
	if !p.InPath() {
		return 0
	}
	r.next++
	return int(r.picks[r.next-1])
}

func (g *graph) takeAll(e *explore.Edges) error {
	g.sleep(e.By)
	s, v := g.sites, g.worldVector
	g.spans = g.spans[:0]
	fr := v[s.global]
	if s.globals[fr].global.end == 0 {
		if g.reads {
			return errUnread
		}
		s.populateGlobal(g.w, v)
	}
	if g.w.layout.pairCount > 0 {
		g.w.connect(v[s.conns:s.monitors], s.globals[fr].net)
	}
	quiet := g.w.sys.Timing == sim.Prompt && g.quiet()
	g.listOrdinary(fr, quiet)
	if err := g.takeListed(e); err != nil {
		return err
	}
	if sp := s.globals[fr].global; sp.begin < sp.end {
		if err := g.takeSpans(e, []nodeSpan{{span: sp}}); err != nil {
			return err
		}
	}
	for kind := crashEvents; kind < eventLists; kind++ {
		if s.globals[fr].injects[kind] {
			g.listEach(fr, quiet, kind)
			if err := g.takeListed(e); err != nil {
				return err
			}
		}
	}
	if s.globals[fr].breaks {
		g.takeBreaks(e, fr)
	}
	if sp := s.globals[fr].faults; sp.begin < sp.end {
		return g.takeSpans(e, []nodeSpan{{span: sp}})
	}
	return nil
}

// quiet reports whether no message, no error and no event in a node can be handled now.
func (g *graph) quiet() bool {
	for i := range g.sites.tables {
		p, at := &g.sites.tables[i], g.worldVector[i]
		if p.busy[at] || p.up[at] && g.w.failing[i]|g.w.deliverable[i] != 0 {
			return false
		}
	}
	return true
}

// nodeSpan is transitions of a node, or of no node, which never sleep. None of them is a questionTransition.
type nodeSpan struct {
	span
	node   int32
	asleep uint64 // those that sleep, by place
}

// listOrdinary lists the transitions by ordinary events, in the order in which the network lists them.
func (g *graph) listOrdinary(fr uint32, quiet bool) {
	l := &g.w.layout
	if l.pairCount == 0 {
		g.listEach(fr, quiet, ordinaryEvents)
		g.listCommutingPairs(listOf(fr, quiet, ordinaryEvents))
		return
	}
	for node := range g.sites.tables {
		g.list(g.spanIn(fr, quiet, ownEvents, node), node, noStream)
		if g.sites.tables[node].up[g.worldVector[node]] {
			g.listStreams(node)
		}
		if l.inboxCount > 0 {
			g.list(g.spanIn(fr, quiet, datagramEvents, node), node, noStream)
		}
	}
}

// listEach lists the transitions of all nodes by events of a kind.
func (g *graph) listEach(fr uint32, quiet bool, kind eventList) {
	spans := g.spans
	for node := range g.sites.tables {
		switch sp := g.spanIn(fr, quiet, kind, node); {
		case sp.asks():
			g.spans = spans
			g.list(sp, node, noStream)
			spans = g.spans
		case sp.begin < sp.end:
			spans = append(spans, nodeSpan{})
			p := &spans[len(spans)-1] // see put
			p.begin, p.end, p.handled, p.most, p.node = sp.begin, sp.end, sp.handled, sp.most, int32(node)
		}
	}
	g.spans = spans
}

// list adds transitions of a node to those that are to be taken, with those by the answers to questions in their places.
func (g *graph) list(sp span, node int, h streamEvent) {
	if !sp.asks() {
		if sp.begin < sp.end {
			g.put(sp, node)
		}
		return
	}
	part := sp
	part.handled &^= spanAsks
	for k := sp.begin; k < sp.end; k++ {
		if m := &g.sites.transitions[k]; m.kind == questionTransition {
			part.end = k
			g.put(part, node)
			g.list(g.answered(m.first, node, h), node, h)
			part.begin, part.handled = k+1, 0
		}
	}
	part.end = sp.end
	g.put(part, node)
}

// put assigns fields one by one: a copy of fields that were written one by one waits for them.
func (g *graph) put(sp span, node int) {
	g.spans = append(g.spans, nodeSpan{})
	p := &g.spans[len(g.spans)-1]
	p.begin, p.end, p.handled, p.most, p.node = sp.begin, sp.end, sp.handled, sp.most, int32(node)
}

// takeListed takes what was listed.
func (g *graph) takeListed(e *explore.Edges) error {
	spans := g.spans
	g.spans = g.spans[:0]
	if g.unread {
		return errUnread
	}
	return g.takeSpans(e, spans)
}

// spanIn returns the transitions of a node in a list.
func (g *graph) spanIn(fr uint32, quiet bool, kind eventList, node int) span {
	sp := g.sites.tables[node].spanOf(listOf(fr, quiet, kind), g.worldVector[node])
	if sp.begin == sp.end && sp.end == 0 {
		if g.reads {
			g.unread = true
		} else {
			sp = g.sites.populate(g.w, g.worldVector, node, quiet, kind)
		}
	}
	return sp
}

// roomFor is how many edges the transitions of some node configurations make at most, and how many changes.
func roomFor(spans []nodeSpan) (edges, changes int) {
	for i := range spans {
		edges += int(spans[i].end - spans[i].begin)
		changes += spans[i].changes()
	}
	return edges, changes
}

// sleepSetIn is which transitions of a node configuration sleep, as its node did before what led here, and whether all of them do.
func (g *graph) sleepSetIn(sp *nodeSpan) (moves uint64, all bool) {
	but, arrived := g.sleepSet.but, g.sleepSet.arrived[sp.node]
	if g.sleepSet.shared>>sp.node&1 != 0 {
		but |= g.sleepSet.actor
	}
	if arrived == 0 && sp.peers()&but == 0 {
		return 0, true
	}
	return g.sites.independent(sp.span, but, arrived), false
}

// takeSpans takes the transitions of several node configurations. There is room in e for all of them before the first is taken.
func (g *graph) takeSpans(e *explore.Edges, spans []nodeSpan) error {
	s, v, from := g.sites, g.worldVector, g.fingerprint
	places, two := s.tables, g.width == 2
	fr := v[s.global]
	edges, most := roomFor(spans)
	t, c := len(e.Ends), len(e.Changes)
	e.Reserve(edges, most)
	changes, ends, notes, los, his := e.Changes[:cap(e.Changes)], e.Ends[:t+edges], e.Notes[:t+edges], e.Lo[:t+edges], e.Hi
	turns, names := e.EdgeIndexes[:t+edges], e.Names[:t+edges]
	for i := range spans {
		node, end := int(spans[i].node), spans[i].end
		site := v[node]
		e.Steps += int(spans[i].handled)
		asleep := spans[i].asleep
		if g.sleepSet.nodes>>node&1 != 0 {
			var all bool
			if asleep, all = g.sleepSetIn(&spans[i]); all {
				e.Pass(end - spans[i].begin)
				continue
			}
		}
		for k := spans[i].begin; k < end; k++ {
			if n := uint32(bits.TrailingZeros64(^asleep)); n > 0 {
				n = min(n, end-k)
				e.Pass(n)
				if k += n; k == end {
					break
				}
				asleep >>= n
			}
			asleep >>= 1
			m, first := &s.transitions[k], c
			lo, hi := from.Lo+m.delta.Lo, from.Hi+m.delta.Hi
			if m.kind == datagramTransition {
				if m.next != site {
					changes[c] = uint64(node)<<32 | uint64(m.next)
					c++
				}
				if m.global != fr {
					changes[c] = uint64(s.global)<<32 | uint64(m.global)
					c++
				}
				if m.count > 0 {
					for _, d := range s.ops[m.first : m.first+uint32(m.count)] {
						p := &places[d.peer]
						at := v[d.peer]
						a := p.arrival(at, d.index)
						if a == nil {
							if g.reads {
								return errUnread
							}
							a = s.populateArrival(d.peer, at, d.index)
						}
						if a.next == at+1 {
							continue
						}
						lo += a.delta
						if two {
							hi += p.shares[a.next-1].Hi - p.shares[at].Hi
						}
						changes[c] = uint64(d.peer)<<32 | uint64(a.next-1)
						c++
					}
				}
			} else if list, shift, ok := g.mixed(m, node, changes[:c]); ok {
				c, changes = len(list), list[:cap(list)]
				lo, hi = lo+shift.Lo, hi+shift.Hi
			} else {
				e.Changes, e.Ends, e.Notes, e.Lo, e.Hi = changes[:c], ends[:t], notes[:t], los[:t], his
				e.EdgeIndexes, e.Names = turns[:t], names[:t]
				if err := g.takeOther(e, k); err != nil {
					return err
				}
				t, c = len(e.Ends), len(e.Changes)
				e.Reserve(edges, most)
				changes, ends, notes, los, his = e.Changes[:cap(e.Changes)], e.Ends[:t+edges], e.Notes[:t+edges], e.Lo[:t+edges], e.Hi
				turns, names = e.EdgeIndexes[:t+edges], e.Names[:t+edges]
				continue
			}
			if c == first && g.sleepSet.loops {
				e.Pass(1)
				continue
			}
			ends[t], notes[t], los[t] = uint32(c), m.note, lo
			turns[t], names[t] = e.EdgeIndex, k
			e.EdgeIndex++
			if two {
				his = append(his, hi)
			}
			t++
		}
	}
	e.Changes, e.Ends, e.Notes, e.Lo, e.Hi = changes[:c], ends[:t], notes[:t], los[:t], his
	e.EdgeIndexes, e.Names = turns[:t], names[:t]
	return nil
}

// mixed appends what a mixedTransition changes, and returns how that changes the fingerprint in addition. It is false when one
// of the operations is refused.
func (g *graph) mixed(m *transition, node int, changes []uint64) (after []uint64, shift sim.Fingerprint, ok bool) {
	if m.kind != mixedTransition || g.reads {
		return changes, shift, false
	}
	s := g.sites
	if m.next != g.worldVector[node] {
		changes = append(changes, uint64(node)<<32|uint64(m.next))
	}
	if m.global != g.worldVector[s.global] {
		changes = append(changes, uint64(s.global)<<32|uint64(m.global))
	}
	var d draft
	d.from, d.changes, d.first = g.worldVector, changes, len(changes)
	if !s.operate(&d, node, s.ops[m.first:m.first+uint32(m.count)]) {
		return changes, shift, false
	}
	return d.changes, g.shift(&d), true
}

// shift is how a draft of the state that is expanded changes the fingerprint.
func (g *graph) shift(d *draft) (shift sim.Fingerprint) {
	if g.width == 0 { // it is not asked for
		return shift
	}
	for _, change := range d.changes[d.first:] {
		word := int(change >> 32)
		shift = shift.Add(g.sites.shareOf(word, uint32(change))).Sub(g.sites.shareOf(word, d.from[word]))
	}
	return shift
}

const noSite = ^uint32(0)

// takeOther takes a transition that is neither a fast nor a mixed one, or one that is refused.
func (g *graph) takeOther(e *explore.Edges, k uint32) error {
	s := g.sites
	m := &s.transitions[k]
	if g.reads {
		return errUnread
	}
	switch m.kind {
	case uncachedStep:
		return g.takeSlowly(e, m.first, m.note)
	case groupTransition:
		return g.takeShared(e, m)
	case mixedTransition:
		return g.takeSlowly(e, s.ops[m.first+uint32(m.count)-1].index, m.note)
	}
	if m.global != g.worldVector[s.global] {
		e.Change(s.global, m.global)
	}
	e.End(g.fingerprint.Add(m.delta), m.note)
	e.Names[len(e.Names)-1] = k
	return nil
}

// takeSlowly takes a step in the world.
func (g *graph) takeSlowly(e *explore.Edges, number uint32, note uint8) error {
	s, w, m := g.sites, g.w, g.sites.uncached[number]
	s.visit(w, g.worldVector)
	err := m.err
	if err == nil {
		err = w.advance(&m.ev, &repeat{picks: m.picks})
	}
	if err != nil {
		s.visit(w, g.worldVector)
		if g.fails(err) {
			if note&noteOrdinary != 0 {
				g.onward.fail(err)
			}
			e.End(g.fingerprint, note&^noteOrdinary)
			return nil
		}
		g.badEvent, g.badPicks = slices.Index(w.list(nil), m.ev), m.picks
		return err
	}
	g.arrive(e, note)
	return nil
}

// takeShared takes the steps in the world by which the nodes of a process go down.
func (g *graph) takeShared(e *explore.Edges, m *transition) error {
	s, w, slow := g.sites, g.w, g.sites.uncached[m.first]
	s.visit(w, g.worldVector)
	if slow.ev.Kind.TakesDown() && !w.leads(slow.ev.Node) {
		return nil
	}
	for g.fates.Reset(); g.fates.Next(); {
		s.visit(w, g.worldVector)
		if err := w.advance(&slow.ev, &choose.Prefix{Path: slow.picks, Then: &g.fates}); err != nil {
			s.visit(w, g.worldVector)
			if g.fails(err) {
				e.End(g.fingerprint, m.note&^noteOrdinary)
				continue
			}
			g.badEvent, g.badPicks = slices.Index(w.list(nil), slow.ev), slices.Concat(slow.picks, g.fates.Path())
			return err
		}
		g.arrive(e, m.note)
	}
	return nil
}

// arrive lists a transition to the state of the world.
func (g *graph) arrive(e *explore.Edges, note uint8) {
	g.sites.pack(g.w.v, g.packedVector)
	d := draft{g.worldVector, e.Changes, len(e.Changes)}
	for word, value := range g.packedVector {
		if value != g.worldVector[word] {
			d.changes = append(d.changes, uint64(word)<<32|uint64(value))
		}
	}
	e.Changes = d.changes
	e.End(g.fingerprint.Add(g.shift(&d)), note)
}

package table

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/explore"
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

// prepare makes ready for moves that are not fast ones.
func (g *graph) prepare() {
	if g.prepared {
		return
	}
	g.prepared = true
	g.there = append(g.there[:0], g.here...)
	if g.width > 0 {
		for word, value := range g.here {
			g.shares[word] = g.sites.shareOf(word, value)
		}
	}
}

func (g *graph) takeAll(e *explore.Edges) error {
	s, v := g.sites, g.here
	fr := v[s.frame]
	if s.frames[fr].global.end == 0 {
		if g.reads {
			return errUnread
		}
		s.learnFrame(g.w, v)
	}
	streams := g.w.layout.pairCount > 0
	if streams {
		g.w.connect(v[s.conns:s.monitors], s.frames[fr].rest)
	}
	quiet := g.w.sys.Timing == sim.Prompt && g.quiet()
	if streams {
		for node := range s.places {
			if err := g.takeOrdinary(e, fr, quiet, node); err != nil {
				return err
			}
		}
	} else if err := g.takeLists(e, fr, quiet, ordinaryEvents); err != nil {
		return err
	}
	if sp := s.frames[fr].global; sp.begin < sp.end {
		if err := g.take(e, 0, sp); err != nil {
			return err
		}
	}
	for kind := crashEvents; kind < eventLists; kind++ {
		if s.frames[fr].injects[kind] {
			if err := g.takeLists(e, fr, quiet, kind); err != nil {
				return err
			}
		}
	}
	if s.frames[fr].breaks {
		g.takeBreaks(e, fr)
	}
	if sp := s.frames[fr].faults; sp.begin < sp.end {
		return g.take(e, 0, sp)
	}
	return nil
}

// quiet reports whether no message and no error can be delivered now.
func (g *graph) quiet() bool {
	for i := range g.sites.places {
		p, at := &g.sites.places[i], g.here[i]
		if p.busy[at] || p.up[at] && g.w.failing[i]|g.w.deliverable[i] != 0 {
			return false
		}
	}
	return true
}

// takeOrdinary takes the moves of a node by ordinary events, in the order in which the network lists them.
func (g *graph) takeOrdinary(e *explore.Edges, fr uint32, quiet bool, node int) error {
	if err := g.takeList(e, fr, quiet, ownEvents, node); err != nil {
		return err
	}
	if g.sites.places[node].up[g.here[node]] {
		if err := g.takeStreams(e, node); err != nil {
			return err
		}
	}
	if g.w.layout.bagCount == 0 {
		return nil
	}
	return g.takeList(e, fr, quiet, datagramEvents, node)
}

func (g *graph) takeLists(e *explore.Edges, fr uint32, quiet bool, kind eventList) error {
	list := listOf(fr, quiet, kind)
	spans := g.spans[:0]
	for node := range g.sites.places {
		if sp := g.spanIn(list, quiet, kind, node); sp.begin < sp.end {
			spans = append(spans, nodeSpan{sp, node})
		}
	}
	g.spans = spans
	if g.unread {
		return errUnread
	}
	return g.takeSpans(e, spans)
}

func (g *graph) takeList(e *explore.Edges, fr uint32, quiet bool, kind eventList, node int) error {
	return g.take(e, node, g.spanIn(listOf(fr, quiet, kind), quiet, kind, node))
}

// spanIn returns the moves of a node in a list.
func (g *graph) spanIn(list int, quiet bool, kind eventList, node int) span {
	at := g.here[node]
	sp := g.sites.places[node].spanOf(list, at)
	if sp.begin == sp.end && sp.end == 0 {
		if g.reads {
			g.unread = true
			return sp
		}
		return g.sites.learn(g.w, g.here, node, quiet, kind)
	}
	return sp
}

// nodeSpan is moves of a node.
type nodeSpan struct {
	span
	node int
}

// take takes the moves of a site.
func (g *graph) take(e *explore.Edges, node int, sp span) error {
	if sp.begin == sp.end {
		return nil
	}
	return g.takeSpans(e, []nodeSpan{{sp, node}})
}

// takeSpans takes the moves of several sites. There is room in e for all of them before the first is taken.
func (g *graph) takeSpans(e *explore.Edges, spans []nodeSpan) error {
	s, v, from := g.sites, g.here, g.fingerprint
	places, two := s.places, g.width == 2
	fr := v[s.frame]
	edges, most := 0, 0
	for i := range spans {
		edges += int(spans[i].end - spans[i].begin)
		most += spans[i].changes()
	}
	t, c := len(e.Ends), len(e.Changes)
	e.Reserve(edges, most)
	changes, ends, notes, los, his := e.Changes[:cap(e.Changes)], e.Ends[:t+edges], e.Notes[:t+edges], e.Lo[:t+edges], e.Hi
	turns, sleeps := e.Turns[:t+edges], e.Sleeps[:t+edges]
	asleep, actor, naming := e.Asleep, uint16(e.Asleep>>sleepers), e.Naming
	for i := range spans {
		node, end := spans[i].node, spans[i].end
		site := v[node]
		e.Steps += int(spans[i].handled)
		sleeping := asleep>>node&1 != 0
		if sleeping && spans[i].peers()&actor == 0 {
			e.Pass(end - spans[i].begin)
			continue
		}
		wakes := s.wakesAfter(node)
		for k := spans[i].begin; k < end; k++ {
			peers := s.peers[k]
			if sleeping && peers&actor == 0 {
				e.Pass(1)
				continue
			}
			m := &s.moves[k]
			if m.kind != fastMove {
				e.Changes, e.Ends, e.Notes, e.Lo, e.Hi = changes[:c], ends[:t], notes[:t], los[:t], his
				e.Turns, e.Sleeps = turns[:t], sleeps[:t]
				if err := g.takeOther(e, node, m, named(naming, after(wakes, peers), k)); err != nil {
					return err
				}
				t, c = len(e.Ends), len(e.Changes)
				e.Reserve(edges, most)
				changes, ends, notes, los, his = e.Changes[:cap(e.Changes)], e.Ends[:t+edges], e.Notes[:t+edges], e.Lo[:t+edges], e.Hi
				turns, sleeps = e.Turns[:t+edges], e.Sleeps[:t+edges]
				continue
			}
			lo, hi := from.Lo+m.delta.Lo, from.Hi+m.delta.Hi
			if m.next != site {
				changes[c] = uint64(node)<<32 | uint64(m.next)
				c++
			}
			if m.frame != fr {
				changes[c] = uint64(s.frame)<<32 | uint64(m.frame)
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
						a = s.arrives(d.peer, at, d.index)
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
			ends[t], notes[t], los[t] = uint32(c), m.note, lo
			turns[t], sleeps[t] = e.Turn, named(naming, after(wakes, peers), k)
			e.Turn++
			if two {
				his = append(his, hi)
			}
			t++
		}
	}
	e.Changes, e.Ends, e.Notes, e.Lo, e.Hi = changes[:c], ends[:t], notes[:t], los[:t], his
	e.Turns, e.Sleeps = turns[:t], sleeps[:t]
	return nil
}

// named is what an edge has in the place of what sleeps after it: while edges are named the number of its move, plus one.
func named(naming bool, sleeps, move uint32) uint32 {
	if naming {
		return move + 1
	}
	return sleeps
}

const noSite = ^uint32(0)

// takeOther takes a move that is not a fast one.
func (g *graph) takeOther(e *explore.Edges, node int, m *move, sleeps uint32) error {
	s := g.sites
	if g.reads {
		return errUnread
	}
	g.prepare()
	switch m.kind {
	case slowStep:
		return g.takeSlowly(e, m.first, m.note)
	case sharedMove:
		return g.takeShared(e, m)
	case questionMove:
		return g.take(e, node, g.answered(node, m.first))
	case loneMove:
		node = -1
	}
	g.touch()
	ops := s.ops[m.first : m.first+uint32(m.count)]
	if !s.apply(g.there, node, ops) {
		g.revert()
		return g.takeSlowly(e, ops[len(ops)-1].index, m.note)
	}
	if node >= 0 && m.next != g.here[node] {
		e.Change(node, m.next)
	}
	if m.frame != g.here[s.frame] {
		e.Change(s.frame, m.frame)
	}
	g.arrive(e, g.fingerprint.Add(m.delta), m.note)
	e.Sleeps[len(e.Sleeps)-1] = sleeps
	return nil
}

// takeSlowly takes a step in the world.
func (g *graph) takeSlowly(e *explore.Edges, number uint32, note uint8) error {
	s, w, m := g.sites, g.w, g.sites.slow[number]
	s.visit(w, g.here)
	if err := w.advance(m.ev, &repeat{picks: m.picks}); err != nil {
		s.visit(w, g.here)
		g.badEvent, g.badPicks = slices.Index(w.list(nil), m.ev), m.picks
		return err
	}
	s.pack(w.v, g.there)
	for word := range g.there {
		s.touched = append(s.touched, word)
	}
	g.arrive(e, g.fingerprint, note)
	return nil
}

// takeShared takes the steps in the world by which the nodes of a process go down.
func (g *graph) takeShared(e *explore.Edges, m *move) error {
	s, w, slow := g.sites, g.w, g.sites.slow[m.first]
	s.visit(w, g.here)
	if slow.ev.Kind.TakesDown() && !w.leads(slow.ev.Node) {
		return nil
	}
	for g.fates.Reset(); g.fates.Next(); {
		s.visit(w, g.here)
		if err := w.advance(slow.ev, &choose.Prefix{Path: slow.picks, Then: &g.fates}); err != nil {
			s.visit(w, g.here)
			g.badEvent, g.badPicks = slices.Index(w.list(nil), slow.ev), slices.Concat(slow.picks, g.fates.Path())
			return err
		}
		s.pack(w.v, g.there)
		for word := range g.there {
			s.touched = append(s.touched, word)
		}
		g.arrive(e, g.fingerprint, m.note)
	}
	return nil
}

// arrive lists a transition to the state there, which differs from the one that is expanded in words that were touched
// at most, and makes it that one again. What else changes is listed already, and part of the fingerprint p.
func (g *graph) arrive(e *explore.Edges, p sim.Fingerprint, note uint8) {
	for _, word := range g.sites.touched {
		value, old := g.there[word], g.here[word]
		if value == old {
			continue
		}
		if g.width > 0 { // else it is not asked for
			p = p.Add(g.sites.shareOf(word, value)).Sub(g.shares[word])
		}
		e.Change(word, value)
		g.there[word] = old
	}
	g.sites.touched = g.sites.touched[:0]
	e.End(p, note)
}

// revert makes the state there the one that is expanded.
func (g *graph) revert() {
	for _, word := range g.sites.touched {
		g.there[word] = g.here[word]
	}
	g.sites.touched = g.sites.touched[:0]
}

package statespace

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// ReplaySource replays recorded answers.
type ReplaySource struct {
	Picks []int32
	next  int
}

func (r *ReplaySource) Choose(p choose.Point) int {
	if !p.InPath() {
		return 0
	}
	r.next++
	return int(r.Picks[r.next-1])
}

func (g *Graph) takeAll(e *graph.Edges) error {
	g.sleep(e.By)
	s, v := g.Configs, g.WorldVector
	g.spans = g.spans[:0]
	fr := v[s.Global]
	if s.Globals[fr].global.end == 0 {
		if g.reads {
			return errUnread
		}
		s.populateGlobal(g.World, v)
	}
	if g.World.Layout.PairCount > 0 {
		g.World.ConnectAll(v[s.conns:s.Monitors], s.Globals[fr].Net)
	}
	quiet := g.World.Sys.Timing == sim.Prompt && g.quiet()
	g.listOrdinary(fr, quiet)
	if err := g.takeListed(e); err != nil {
		return err
	}
	if sp := s.Globals[fr].global; sp.begin < sp.end {
		if err := g.takeSpans(e, []nodeSpan{{span: sp}}); err != nil {
			return err
		}
	}
	for kind := world.CrashEvents; kind < world.EventLists; kind++ {
		if s.Globals[fr].injects[kind] {
			g.listEach(fr, quiet, kind)
			if err := g.takeListed(e); err != nil {
				return err
			}
		}
	}
	if s.Globals[fr].breaks {
		g.takeBreaks(e, fr)
	}
	if sp := s.Globals[fr].faults; sp.begin < sp.end {
		return g.takeSpans(e, []nodeSpan{{span: sp}})
	}
	return nil
}

// takeListed takes the listed transitions.
func (g *Graph) takeListed(e *graph.Edges) error {
	spans := g.spans
	g.spans = g.spans[:0]
	if g.unread {
		return errUnread
	}
	return g.takeSpans(e, spans)
}

// takeSpans takes the transitions of several node configurations. It first makes room in e for all of them.
func (g *Graph) takeSpans(e *graph.Edges, spans []nodeSpan) error {
	s, v, from := g.Configs, g.WorldVector, g.fingerprint
	places, two := s.Tables, g.width == 2
	fr := v[s.Global]
	edges, most := roomFor(spans)
	t, c := len(e.Ends), len(e.Changes)
	e.Reserve(edges, most)
	changes, ends, notes, los, his := e.Changes[:cap(e.Changes)], e.Ends[:t+edges], e.Notes[:t+edges], e.Lo[:t+edges], e.Hi
	indexes, names := e.EdgeIndexes[:t+edges], e.Names[:t+edges]
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
			m, first := &s.Transitions[k], c
			lo, hi := from.Lo+m.delta.Lo, from.Hi+m.delta.Hi
			if m.Kind == DatagramTransition {
				if m.Next != site {
					changes[c] = uint64(node)<<32 | uint64(m.Next)
					c++
				}
				if m.Global != fr {
					changes[c] = uint64(s.Global)<<32 | uint64(m.Global)
					c++
				}
				if m.count > 0 {
					for _, d := range s.ops[m.first : m.first+uint32(m.count)] {
						p := &places[d.Peer]
						at := v[d.Peer]
						a := p.arrival(at, d.Index)
						if a == nil {
							if g.reads {
								return errUnread
							}
							a = s.populateArrival(d.Peer, at, d.Index)
						}
						if a.next == at+1 {
							continue
						}
						lo += a.delta
						if two {
							hi += p.shares[a.next-1].Hi - p.shares[at].Hi
						}
						changes[c] = uint64(d.Peer)<<32 | uint64(a.next-1)
						c++
					}
				}
			} else if list, shift, ok := g.mixed(m, node, changes[:c]); ok {
				c, changes = len(list), list[:cap(list)]
				lo, hi = lo+shift.Lo, hi+shift.Hi
			} else {
				e.Changes, e.Ends, e.Notes, e.Lo, e.Hi = changes[:c], ends[:t], notes[:t], los[:t], his
				e.EdgeIndexes, e.Names = indexes[:t], names[:t]
				if err := g.takeOther(e, k); err != nil {
					return err
				}
				t, c = len(e.Ends), len(e.Changes)
				e.Reserve(edges, most)
				changes, ends, notes, los, his = e.Changes[:cap(e.Changes)], e.Ends[:t+edges], e.Notes[:t+edges], e.Lo[:t+edges], e.Hi
				indexes, names = e.EdgeIndexes[:t+edges], e.Names[:t+edges]
				continue
			}
			if c == first && g.sleepSet.loops {
				e.Pass(1)
				continue
			}
			ends[t], notes[t], los[t] = uint32(c), m.note, lo
			indexes[t], names[t] = e.EdgeIndex, k
			e.EdgeIndex++
			if two {
				his = append(his, hi)
			}
			t++
		}
	}
	e.Changes, e.Ends, e.Notes, e.Lo, e.Hi = changes[:c], ends[:t], notes[:t], los[:t], his
	e.EdgeIndexes, e.Names = indexes[:t], names[:t]
	return nil
}

// mixed appends the changes of a mixedTransition, and returns the additional change of the fingerprint. It returns
// false if an operation is refused.
func (g *Graph) mixed(m *transition, node int, changes []uint64) (after []uint64, shift encoding.Fingerprint, ok bool) {
	if m.Kind != MixedTransition || g.reads {
		return changes, shift, false
	}
	s := g.Configs
	if m.Next != g.WorldVector[node] {
		changes = append(changes, uint64(node)<<32|uint64(m.Next))
	}
	if m.Global != g.WorldVector[s.Global] {
		changes = append(changes, uint64(s.Global)<<32|uint64(m.Global))
	}
	var d draft
	d.from, d.changes, d.first = g.WorldVector, changes, len(changes)
	if !s.operate(&d, node, s.ops[m.first:m.first+uint32(m.count)]) {
		return changes, shift, false
	}
	return d.changes, g.shift(&d), true
}

// shift returns the change of the fingerprint by a draft of the expanded state.
func (g *Graph) shift(d *draft) (shift encoding.Fingerprint) {
	if g.width == 0 { // no fingerprints wanted
		return shift
	}
	for _, change := range d.changes[d.first:] {
		word := int(change >> 32)
		shift = shift.Add(g.Configs.WordShare(word, uint32(change))).Sub(g.Configs.WordShare(word, d.from[word]))
	}
	return shift
}

const noConfig = ^uint32(0)

// takeOther takes a transition that is neither fast nor mixed, or that is refused.
func (g *Graph) takeOther(e *graph.Edges, k uint32) error {
	s := g.Configs
	m := &s.Transitions[k]
	if g.reads {
		return errUnread
	}
	switch m.Kind {
	case UncachedStep:
		return g.takeSlowly(e, m.first, m.note)
	case groupTransition:
		return g.takeShared(e, m)
	case MixedTransition:
		return g.takeSlowly(e, s.ops[m.first+uint32(m.count)-1].Index, m.note)
	}
	if m.Global != g.WorldVector[s.Global] {
		e.Change(s.Global, m.Global)
	}
	e.End(g.fingerprint.Add(m.delta), m.note)
	e.Names[len(e.Names)-1] = k
	return nil
}

// takeSlowly takes a step in the world.
func (g *Graph) takeSlowly(e *graph.Edges, number uint32, note uint8) error {
	s, w, m := g.Configs, g.World, g.Configs.uncached[number]
	s.visit(w, g.WorldVector)
	err := m.err
	if err == nil {
		err = w.Advance(&m.ev, &ReplaySource{Picks: m.picks})
	}
	if err != nil {
		s.visit(w, g.WorldVector)
		if g.fails(err) {
			if note&NoteOrdinary != 0 {
				g.Onward.fail(err)
			}
			e.End(g.fingerprint, note&^NoteOrdinary)
			return nil
		}
		g.BadEvent, g.BadPicks = slices.Index(w.AllEvents(nil), m.ev), m.picks
		return err
	}
	g.arrive(e, note)
	return nil
}

// takeShared takes in the world the steps by which the nodes of a process go down.
func (g *Graph) takeShared(e *graph.Edges, m *transition) error {
	s, w, slow := g.Configs, g.World, g.Configs.uncached[m.first]
	s.visit(w, g.WorldVector)
	if slow.ev.Kind.TakesDown() && !w.LeadsGroup(slow.ev.Node) {
		return nil
	}
	for g.fates.Reset(); g.fates.Next(); {
		s.visit(w, g.WorldVector)
		if err := w.Advance(&slow.ev, &choose.Prefix{Path: slow.picks, Then: &g.fates}); err != nil {
			s.visit(w, g.WorldVector)
			if g.fails(err) {
				e.End(g.fingerprint, m.note&^NoteOrdinary)
				continue
			}
			g.BadEvent, g.BadPicks = slices.Index(w.AllEvents(nil), slow.ev), slices.Concat(slow.picks, g.fates.Path())
			return err
		}
		g.arrive(e, m.note)
	}
	return nil
}

// arrive lists a transition to the state of the world.
func (g *Graph) arrive(e *graph.Edges, note uint8) {
	g.Configs.Pack(g.World.Vector, g.packedVector)
	d := draft{g.WorldVector, e.Changes, len(e.Changes)}
	for word, value := range g.packedVector {
		if value != g.WorldVector[word] {
			d.changes = append(d.changes, uint64(word)<<32|uint64(value))
		}
	}
	e.Changes = d.changes
	e.End(g.fingerprint.Add(g.shift(&d)), note)
}

package table

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// learn finds out the moves of a site by events of a kind, in a packed vector that holds it.
func (s *sites) learn(w *World, packed []uint32, node int, quiet bool, kind eventList) span {
	s.unpack(packed, s.here)
	w.restore(s.here)
	w.quiet = quiet
	sp := s.learnMoves(w, packed, node, w.appendList(kind, sim.NodeID(node), nil))
	s.places[node].setSpan(listOf(packed[s.frame], quiet, kind), packed[node], sp)
	return sp
}

// learnFrame finds out what can happen by events of no node.
func (s *sites) learnFrame(w *World, packed []uint32) {
	s.unpack(packed, s.here)
	w.restore(s.here)
	id := packed[s.frame]
	for kind := crashEvents; kind < eventLists; kind++ {
		s.frames[id].injects[kind] = w.mayInject(kind)
	}
	rest := &w.rests.list[w.v[w.layout.rest]]
	global := s.learnMoves(w, packed, -1, rest.global)
	broken := s.learnMoves(w, packed, -1, w.rests.list[s.frames[id].rest].faults)
	s.frames[id].global, s.frames[id].broken = global, broken
}

func (s *sites) learnMoves(w *World, packed []uint32, node int, events []sim.Event) span {
	steps := w.stats.Steps
	sp := span{begin: uint32(len(s.moves))}
	for _, ev := range events {
		for s.answers.Reset(); s.answers.Next(); {
			w.restore(s.here)
			err := w.advance(ev, &s.answers)
			m, ok := s.move(w, packed, node)
			if err != nil || !ok {
				m.kind, m.sends, m.count = slowStep, uint32(len(s.slow)), 0
				s.slow = append(s.slow, slowMove{ev, s.answers.Path()})
			} else if w.handled {
				sp.handled++
			}
			if recovering(w, ev, &s.answers) {
				m.note |= noteOrdinary
			}
			s.moves = append(s.moves, m)
		}
	}
	sp.end = uint32(len(s.moves))
	w.stats.Steps = steps
	return sp
}

// move tells what the world's last step changed, ok being false when that does not fit into a move.
func (s *sites) move(w *World, packed []uint32, node int) (m move, ok bool) {
	s.pack(w.v, s.there)
	m = move{frame: s.there[s.frame], sends: uint32(len(s.sends)), kind: loneMove}
	m.delta = s.frames[m.frame].share.Sub(s.frames[packed[s.frame]].share)
	after := slices.Clone(packed)
	after[s.frame] = m.frame
	if node >= 0 {
		p := &s.places[node]
		m.kind, m.next, m.note = fastMove, s.there[node], uint8(node)
		m.delta = m.delta.Add(p.shares[m.next]).Sub(p.shares[packed[node]])
		if p.list[m.next].local != p.list[packed[node]].local {
			m.note |= noteLocal
		}
		after[node] = m.next
	}
	told := false // monitors, which may take it otherwise in another state
	if w.handled {
		severed := w.rests.list[s.frames[packed[s.frame]].rest].severed[node]
		for _, o := range w.steps.leaves[w.leaf].ops {
			told = told || o.kind == sim.AnnounceEffect && o.at < w.happened
			if o.kind != sim.SendEffect || o.at >= w.happened || int(o.peer) == node || severed>>o.peer&1 == 1 {
				continue
			}
			peer := uint32(o.peer)
			index := s.datagramTo(o.peer, sim.NodeID(node), o.id)
			again := func(d send) bool { return d.peer == peer }
			if slices.ContainsFunc(s.sends[m.sends:], again) {
				m.kind = repeatingMove
			}
			s.sends = append(s.sends, send{peer, index})
			m.count++
			after[peer] = s.once(peer, after[peer], index)
		}
	}
	return m, !told && slices.Equal(after, s.there)
}

// recovering reports whether the step that was taken last is one of the recovery relation: nothing was
// injected, and the event and all answers have weight.
func recovering(w *World, ev sim.Event, a *answers) bool {
	return w.ordinary(ev) && !w.inside && !a.never
}

// ordinary reports whether an event can be one of the recovery relation.
func (e *engine) ordinary(ev sim.Event) bool {
	return !ev.Kind.Injection() && e.weightless>>ev.Kind&1 == 0
}

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

// successors lists all that can happen in the state that is expanded, in the order of [World.Injections].
func (x *explorer) successors(f *successors) (err error) {
	f.parents = append(f.parents, x.here...)
	if x.seen == nil {
		x.fingerprint = x.sites.fingerprint(x.here)
	}
	if x.w.layout.pairCount > 0 {
		err = x.takeAllSlowly(f)
	} else {
		err = x.takeAll(f)
	}
	f.last = append(f.last, uint32(len(f.ends)))
	return err
}

func (x *explorer) takeAll(f *successors) error {
	s, v := x.sites, x.here
	fr := v[s.frame]
	if s.frames[fr].global.end == 0 {
		s.learnFrame(x.w, v)
	}
	quiet := x.w.sys.Timing == sim.Prompt
	if quiet {
		for i := range s.places {
			if s.places[i].busy[v[i]] {
				quiet = false
				break
			}
		}
	}
	if err := x.takeNodes(f, fr, quiet, ordinaryEvents); err != nil {
		return err
	}
	if sp := s.frames[fr].global; sp.begin < sp.end {
		if err := x.take(f, 0, sp); err != nil {
			return err
		}
	}
	for kind := crashEvents; kind < eventLists; kind++ {
		if s.frames[fr].injects[kind] {
			if err := x.takeNodes(f, fr, quiet, kind); err != nil {
				return err
			}
		}
	}
	if sp := s.frames[fr].broken; sp.begin < sp.end {
		if err := x.take(f, 0, sp); err != nil {
			return err
		}
	}
	return nil
}

func (x *explorer) takeNodes(f *successors, fr uint32, quiet bool, kind eventList) error {
	s, v := x.sites, x.here
	list := listOf(fr, quiet, kind)
	for node := range s.places {
		sp := s.places[node].spanOf(list, v[node])
		if sp.begin == sp.end {
			if sp.end > 0 {
				continue
			}
			sp = s.learn(x.w, v, node, quiet, kind)
		}
		if err := x.take(f, node, sp); err != nil {
			return err
		}
	}
	return nil
}

// take takes the moves of a site.
func (x *explorer) take(f *successors, node int, sp span) error {
	s, v, from := x.sites, x.here, x.fingerprint
	places, two := s.places, x.two
	site, fr := v[node], v[s.frame]
	changes, ends, notes, prints, others := f.changes, f.ends, f.notes, f.prints, f.others
	f.steps += int(sp.handled)
	for k := sp.begin; k < sp.end; k++ {
		m := &s.moves[k]
		g, h := from.Lo+m.delta.Lo, from.Hi+m.delta.Hi
		if m.kind != fastMove {
			f.changes = changes
			p, err := x.takeOther(f, node, m)
			if err != nil {
				f.ends, f.notes, f.prints, f.others = ends, notes, prints, others
				return err
			}
			changes, g, h = f.changes, p.Lo, p.Hi
		} else {
			if m.next != site {
				changes = append(changes, uint64(node)<<32|uint64(m.next))
			}
			if m.frame != fr {
				changes = append(changes, uint64(s.frame)<<32|uint64(m.frame))
			}
			if m.count > 0 {
				for _, d := range s.sends[m.sends : m.sends+uint32(m.count)] {
					p := &places[d.peer]
					at := v[d.peer]
					next := uint32(0)
					if d.index < p.width {
						next = p.after[at*p.width+d.index]
					}
					if next--; next == noSite {
						next = s.once(d.peer, at, d.index)
					}
					if next == at {
						continue
					}
					g += p.shares[next].Lo - p.shares[at].Lo
					if two {
						h += p.shares[next].Hi - p.shares[at].Hi
					}
					changes = append(changes, uint64(d.peer)<<32|uint64(next))
				}
			}
		}
		ends = append(ends, uint32(len(changes)))
		notes = append(notes, m.note)
		prints = append(prints, g)
		if two {
			others = append(others, h)
		}
	}
	f.changes, f.ends, f.notes, f.prints, f.others = changes, ends, notes, prints, others
	return nil
}

const noSite = ^uint32(0)

// takeOther takes a move that is not a fast one.
func (x *explorer) takeOther(f *successors, node int, m *move) (sim.Fingerprint, error) {
	s, v := x.sites, x.here
	if m.kind == slowStep {
		return x.takeSlowly(f, &s.slow[m.sends])
	}
	x.there = append(x.there[:0], v...)
	x.there[s.frame] = m.frame
	if m.kind == repeatingMove {
		x.there[node] = m.next
	}
	for _, d := range s.sends[m.sends : m.sends+uint32(m.count)] {
		x.there[d.peer] = s.once(d.peer, x.there[d.peer], d.index)
	}
	return x.compare(f), nil
}

// compare lists what differs between the state that is expanded and the one there.
func (x *explorer) compare(f *successors) sim.Fingerprint {
	p := x.fingerprint
	for i, value := range x.there {
		if x.here[i] != value {
			x.change(f, &p, i, value)
		}
	}
	return p
}

func (x *explorer) takeSlowly(f *successors, m *slowMove) (sim.Fingerprint, error) {
	s, w := x.sites, x.w
	s.unpack(x.here, s.here)
	w.restore(s.here)
	if err := w.advance(m.ev, &repeat{picks: m.picks}); err != nil {
		w.restore(s.here)
		x.badEvent, x.badPicks = slices.Index(w.list(nil), m.ev), m.picks
		return sim.Fingerprint{}, err
	}
	x.there = append(x.there[:0], x.here...)
	s.pack(w.v, x.there)
	return x.compare(f), nil
}

// takeAllSlowly takes all steps in the world.
func (x *explorer) takeAllSlowly(f *successors) error {
	wide := len(x.w.v) > narrow
	return x.steps(func(note uint8) error {
		var p sim.Fingerprint
		if wide {
			x.there = append(x.there[:0], x.here...)
			x.sites.pack(x.w.v, x.there)
			p = x.compare(f)
		} else {
			p = x.packChanged(f)
		}
		f.ends = append(f.ends, uint32(len(f.changes)))
		f.notes = append(f.notes, note)
		f.prints = append(f.prints, p.Lo)
		if x.two {
			f.others = append(f.others, p.Hi)
		}
		return nil
	})
}

// packChanged lists what the world's last step changed, in packed vectors, if the world's vector is narrow.
func (x *explorer) packChanged(f *successors) sim.Fingerprint {
	s, w := x.sites, x.w
	l := &w.layout
	p := x.fingerprint
	nodes, frame := uint64(0), false
	for changed := w.changed; changed != 0; changed &= changed - 1 {
		switch i := bits.TrailingZeros64(changed); {
		case w.v[i] == x.vector[i]:
		case i < l.nodes:
			nodes |= 1 << i
		case i < l.conns:
			nodes |= 1 << (i - l.bags)
		case i < l.rest:
			x.change(f, &p, i-l.bagCount, w.v[i])
		default:
			frame = true
		}
	}
	for ; nodes != 0; nodes &= nodes - 1 {
		node := bits.TrailingZeros64(nodes)
		x.change(f, &p, node, s.siteOf(node, w.v))
	}
	if frame {
		x.change(f, &p, s.frame, s.frameOf(w.v))
	}
	w.changed = 0
	return p
}

// change notes that a word of the state that is expanded changes, also in its fingerprint.
func (x *explorer) change(f *successors, p *sim.Fingerprint, i int, value uint32) {
	if x.seen == nil { // else it is not asked for
		*p = p.Add(x.sites.shareOf(i, value)).Sub(x.sites.shareOf(i, x.here[i]))
	}
	f.changes = append(f.changes, uint64(i)<<32|uint64(value))
}

// steps takes all steps from the state that is expanded in the world, and calls f after each.
func (x *explorer) steps(f func(note uint8) error) error {
	s, w := x.sites, x.w
	base := x.vector
	s.unpack(x.here, base)
	w.restore(base)
	up := w.up
	x.events = w.list(x.events[:0])
	w.changed = 0
	for i, ev := range x.events {
		for x.answers.Reset(); x.answers.Next(); {
			if err := w.advance(ev, &x.answers); err != nil {
				x.badEvent, x.badPicks = i, x.answers.Path()
				return err
			}
			note := uint8(max(0, ev.Node))
			if recovering(w, ev, &x.answers) {
				note |= noteOrdinary
			}
			if ev.Node >= 0 && w.v[ev.Node] != base[ev.Node] {
				note |= noteLocal
			}
			if err := f(note); err != nil {
				return err
			}
			copy(w.v, base)
			w.up = up
		}
	}
	return nil
}

// verify takes all steps from the state that is expanded in the world, handlers being executed again, and compares
// where they lead with transitions from number t on.
func (x *explorer) verify(f *successors, t int) error {
	w := x.w
	steps := w.stats.Steps
	w.samples.all = true
	defer func() { w.samples.all, w.stats.Steps = false, steps }()
	err := x.steps(func(note uint8) error {
		x.there = append(x.there[:0], x.here...)
		x.sites.pack(w.v, x.there)
		if t >= len(f.ends) || f.notes[t]&noteOrdinary != note&noteOrdinary || !slices.Equal(x.there, f.to(t, x.here)) {
			panic("table: a move leads elsewhere than the step that it stands for")
		}
		if x.seen == nil && f.prints[t] != x.sites.fingerprint(x.there).Lo {
			panic("table: a move changes the fingerprint in another way than the step that it stands for")
		}
		t++
		return nil
	})
	if err == nil && t != len(f.ends) {
		panic("table: there are more moves than steps")
	}
	return err
}

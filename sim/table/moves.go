package table

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/choose"
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

// successors lists all that can happen in the state that is expanded, in the order of [World.Injections].
func (x *explorer) successors(f *successors) error {
	f.parents = append(f.parents, x.here...)
	x.prepared = false
	if x.seen == nil {
		x.fingerprint = x.sites.fingerprint(x.here)
	}
	err := x.takeAll(f)
	f.last = append(f.last, uint32(len(f.ends)))
	return cmp.Or(err, x.sites.limited)
}

// prepare makes ready for moves that are not fast ones.
func (x *explorer) prepare() {
	if x.prepared {
		return
	}
	x.prepared = true
	x.there = append(x.there[:0], x.here...)
	if x.seen == nil {
		for word, value := range x.here {
			x.shares[word] = x.sites.shareOf(word, value)
		}
	}
}

func (x *explorer) takeAll(f *successors) error {
	s, v := x.sites, x.here
	fr := v[s.frame]
	if s.frames[fr].global.end == 0 {
		s.learnFrame(x.w, v)
	}
	streams := x.w.layout.pairCount > 0
	if streams {
		x.w.connect(v[s.conns:s.monitors], s.frames[fr].rest)
	}
	quiet := x.w.sys.Timing == sim.Prompt && x.quiet()
	if streams {
		for node := range s.places {
			if err := x.takeOrdinary(f, fr, quiet, node); err != nil {
				return err
			}
		}
	} else if err := x.takeLists(f, fr, quiet, ordinaryEvents); err != nil {
		return err
	}
	if sp := s.frames[fr].global; sp.begin < sp.end {
		if err := x.take(f, 0, sp); err != nil {
			return err
		}
	}
	for kind := crashEvents; kind < eventLists; kind++ {
		if s.frames[fr].injects[kind] {
			if err := x.takeLists(f, fr, quiet, kind); err != nil {
				return err
			}
		}
	}
	if s.frames[fr].breaks {
		x.takeBreaks(f, fr)
	}
	if sp := s.frames[fr].faults; sp.begin < sp.end {
		return x.take(f, 0, sp)
	}
	return nil
}

// quiet reports whether no message and no error can be delivered now.
func (x *explorer) quiet() bool {
	for i := range x.sites.places {
		p, at := &x.sites.places[i], x.here[i]
		if p.busy[at] || p.up[at] && x.w.failing[i]|x.w.deliverable[i] != 0 {
			return false
		}
	}
	return true
}

// takeOrdinary takes the moves of a node by ordinary events, in the order in which the network lists them.
func (x *explorer) takeOrdinary(f *successors, fr uint32, quiet bool, node int) error {
	if err := x.takeList(f, fr, quiet, ownEvents, node); err != nil {
		return err
	}
	if x.sites.places[node].up[x.here[node]] {
		if err := x.takeStreams(f, node); err != nil {
			return err
		}
	}
	if x.w.layout.bagCount == 0 {
		return nil
	}
	return x.takeList(f, fr, quiet, datagramEvents, node)
}

func (x *explorer) takeLists(f *successors, fr uint32, quiet bool, kind eventList) error {
	for node := range x.sites.places {
		if err := x.takeList(f, fr, quiet, kind, node); err != nil {
			return err
		}
	}
	return nil
}

func (x *explorer) takeList(f *successors, fr uint32, quiet bool, kind eventList, node int) error {
	s, v := x.sites, x.here
	sp := s.places[node].spanOf(listOf(fr, quiet, kind), v[node])
	if sp.begin == sp.end {
		if sp.end > 0 {
			return nil
		}
		sp = s.learn(x.w, v, node, quiet, kind)
	}
	return x.take(f, node, sp)
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
		if m.kind != fastMove {
			f.changes, f.ends, f.notes, f.prints, f.others = changes, ends, notes, prints, others
			if err := x.takeOther(f, node, m); err != nil {
				return err
			}
			changes, ends, notes, prints, others = f.changes, f.ends, f.notes, f.prints, f.others
			continue
		}
		g, h := from.Lo+m.delta.Lo, from.Hi+m.delta.Hi
		if m.next != site {
			changes = append(changes, uint64(node)<<32|uint64(m.next))
		}
		if m.frame != fr {
			changes = append(changes, uint64(s.frame)<<32|uint64(m.frame))
		}
		if m.count > 0 {
			for _, d := range s.ops[m.first : m.first+uint32(m.count)] {
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
func (x *explorer) takeOther(f *successors, node int, m *move) error {
	s := x.sites
	x.prepare()
	switch m.kind {
	case slowStep:
		return x.takeSlowly(f, m.first, m.note)
	case questionMove:
		return x.take(f, node, x.answered(node, m.first))
	case loneMove:
		node = -1
	}
	x.touch()
	ops := s.ops[m.first : m.first+uint32(m.count)]
	if !s.apply(x.there, node, ops) {
		x.revert()
		return x.takeSlowly(f, ops[len(ops)-1].index, m.note)
	}
	if node >= 0 && m.next != x.here[node] {
		f.changes = append(f.changes, uint64(node)<<32|uint64(m.next))
	}
	if m.frame != x.here[s.frame] {
		f.changes = append(f.changes, uint64(s.frame)<<32|uint64(m.frame))
	}
	x.arrive(f, x.fingerprint.Add(m.delta), m.note)
	return nil
}

// takeSlowly takes a step in the world.
func (x *explorer) takeSlowly(f *successors, number uint32, note uint8) error {
	s, w, m := x.sites, x.w, x.sites.slow[number]
	s.visit(w, x.here)
	if err := w.advance(m.ev, &repeat{picks: m.picks}); err != nil {
		s.visit(w, x.here)
		x.badEvent, x.badPicks = slices.Index(w.list(nil), m.ev), m.picks
		return err
	}
	s.pack(w.v, x.there)
	for word := range x.there {
		s.touched = append(s.touched, word)
	}
	x.arrive(f, x.fingerprint, note)
	return nil
}

// arrive lists a transition to the state there, which differs from the one that is expanded in words that were touched
// at most, and makes it that one again. What else changes is listed already, and part of the fingerprint p.
func (x *explorer) arrive(f *successors, p sim.Fingerprint, note uint8) {
	for _, word := range x.sites.touched {
		value, old := x.there[word], x.here[word]
		if value == old {
			continue
		}
		if x.seen == nil { // else it is not asked for
			p = p.Add(x.sites.shareOf(word, value)).Sub(x.shares[word])
		}
		f.changes = append(f.changes, uint64(word)<<32|uint64(value))
		x.there[word] = old
	}
	x.sites.touched = x.sites.touched[:0]
	f.ends = append(f.ends, uint32(len(f.changes)))
	f.notes = append(f.notes, note)
	f.prints = append(f.prints, p.Lo)
	if x.two {
		f.others = append(f.others, p.Hi)
	}
}

// revert makes the state there the one that is expanded.
func (x *explorer) revert() {
	for _, word := range x.sites.touched {
		x.there[word] = x.here[word]
	}
	x.sites.touched = x.sites.touched[:0]
}

// steps takes all steps from the state that is expanded in the world, and calls f after each.
func (x *explorer) steps(f func(note uint8) error) error {
	s, w := x.sites, x.w
	base := x.vector
	s.unpack(x.here, base)
	w.restore(base)
	up := w.up
	x.events = w.list(x.events[:0])
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
			if err := f(note); err != nil {
				return err
			}
			copy(w.v, base)
			w.up = up
			if err := x.answers.stop(); err != nil {
				return err
			}
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

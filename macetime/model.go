package macetime

import (
	"encoding/binary"
	"slices"
)

// Model is the clock of one node in the checker. A reading is not a number: how two times compare is
// a question, unless it follows from
//   - the zero value being before all others,
//   - later readings not being earlier,
//   - two times that stem from the same reading,
//   - what was decided before.
//
// "Follows" is meant in the strongest sense: an answer is asked for exactly when instants can be
// assigned to the readings under which it is yes, and others under which it is no, both in agreement
// with everything decided. Times of other nodes, and those lost in a crash, are unordered: every
// comparison is a question and no answer is remembered.
//
// The zero value is the clock of node 0 at its start. A model that compares nothing costs nothing;
// otherwise a question takes time quadratic in the number of readings that decisions are remembered
// of, which [Model.Retain] keeps small. A model is for one goroutine.
type Model struct {
	// Foreign counts the questions that were asked because a time was another node's. It is no part of
	// the state.
	Foreign int

	node  int32
	read  uint64 // number of the last reading
	lost  uint64 // readings up to this one were lost in a crash
	ticks uint64

	// The decisions are a system of difference constraints over the readings in ids and "now", the
	// instant of the next reading, and are kept closed: bounds holds the tightest bounds that follow,
	// a row for each of ids, a column for each of ids and then one for now. (Nothing bounds now from
	// above, so it has no row.) Readings that are not in ids are bounded by their order only.
	ids    []uint64 // ascending
	bounds []bound

	spareIDs    []uint64
	spareBounds []bound
	first       []Time // of AppendOrder
}

// Reset makes m the clock of a node at its start; Foreign starts over too.
func (m *Model) Reset(node int) {
	*m = Model{
		node: int32(node),
		ids:  m.ids[:0], bounds: m.bounds[:0],
		spareIDs: m.spareIDs, spareBounds: m.spareBounds, first: m.first,
	}
}

// Crash forgets all readings and decisions. The monotone counter goes on.
func (m *Model) Crash() {
	m.lost = m.read
	m.forget()
}

func (m *Model) forget() { m.ids, m.bounds = m.ids[:0], m.bounds[:0] }

// CopyFrom makes m the same clock as o, sharing no memory with it. Foreign stays what it is.
func (m *Model) CopyFrom(o *Model) {
	m.node, m.read, m.lost, m.ticks = o.node, o.read, o.lost, o.ticks
	m.ids = append(m.ids[:0], o.ids...)
	m.bounds = append(m.bounds[:0], o.bounds...)
}

// Tick advances the monotone counter and returns it.
func (m *Model) Tick() MonotoneTime {
	m.ticks++
	return MonotoneTime{Node: int(m.node), Count: m.ticks}
}

// Ticks is the monotone counter: the last number that Tick gave, 0 before the first.
func (m *Model) Ticks() uint64 { return m.ticks }

// SetTicks sets the monotone counter.
func (m *Model) SetTicks(n uint64) { m.ticks = n }

// Now reads the clock.
func (m *Model) Now() Time {
	m.read++
	if len(m.ids) > 0 {
		m.pushNow()
	}
	return Time{base: m.read, owner: m.node}
}

// pushNow tracks the newest reading: whatever bounds now bounds it.
func (m *Model) pushNow() {
	n := len(m.ids)
	next := m.spareBounds[:0]
	for i := range n {
		row := m.row(i)
		next = append(next, row...)
		next = append(next, row[n])
	}
	for range n {
		next = append(next, unbounded)
	}
	next = append(next, notAfter, notAfter)
	m.ids = append(m.ids, m.read)
	m.bounds, m.spareBounds = next, m.bounds
}

// Before reports whether a is earlier than b. When that is open it calls ask, which picks 0 for no
// and 1 for yes, and remembers the answer; the model has no weights of its own and passes nil.
func (m *Model) Before(a, b Time, ask func(weights []int) int) bool {
	switch {
	case a.IsZero() || b.IsZero():
		return a.IsZero() && !b.IsZero()
	case !m.owns(a) || !m.owns(b):
		m.Foreign++
		return ask(nil) == 1
	case a.base == b.base:
		return a.offset < b.offset
	}
	// a is before b when the reading of a minus that of b is less than d.
	d := span(a.offset, b.offset)
	yes, no := lessThan(d), atMost(-d)
	if m.bound(a.base, b.base) <= yes {
		return true
	}
	if m.bound(b.base, a.base) <= no {
		return false
	}
	if ask(nil) == 1 {
		m.decide(a.base, b.base, yes)
		return true
	}
	m.decide(b.base, a.base, no)
	return false
}

// owns reports whether t is a reading of this clock that decisions can be remembered of.
func (m *Model) owns(t Time) bool {
	return t.owner == m.node && t.base > m.lost && t.base <= m.read
}

// Decided reports whether any decision is remembered, which is when Retain has something to do.
func (m *Model) Decided() bool { return len(m.ids) > 0 }

// Retain drops what is not needed to compare the times in held, those that are made from them, and
// later readings. All times that the node still holds must be among held, in any order. It takes
// time quadratic in their number, and none when nothing was decided.
func (m *Model) Retain(held []Time) {
	if len(m.ids) == 0 {
		return
	}
	ids := m.spareIDs[:0]
	for _, t := range held {
		if m.owns(t) {
			ids = append(ids, t.base)
		}
	}
	slices.Sort(ids)
	m.spareIDs = slices.Compact(ids)
	m.track()
	if m.trivial() {
		m.forget()
	}
}

// trivial reports whether the bounds say nothing but the order of the readings.
func (m *Model) trivial() bool {
	for i := range m.ids {
		for j, b := range m.row(i) {
			if i <= j && b != notAfter || i > j && b != unbounded {
				return false
			}
		}
	}
	return true
}

// AppendOrder appends the clock's share in the state of its node: the monotone counter, and how the
// times in held stand to each other and to the next reading. These must be all times that the state
// holds, each once, in the order in which the traversal of the state meets them; the state itself is
// encoded with their positions in held instead of their content.
//
// Two states that agree in this and in the rest of their encodings behave alike: neither the numbers
// of readings nor offsets common to all times of a reading count. (The converse has an exception: an
// instant may be held as times of two readings that were decided to be equal.) The result tells where it ends to
// those who know the number of times held. It takes time quadratic in that number.
func (m *Model) AppendOrder(dst []byte, held []Time) []byte {
	dst = binary.AppendUvarint(dst, m.ticks)
	if len(held) == 0 {
		return dst
	}
	// The first time of each reading stands for it, in place of the instant of the reading.
	m.first = m.first[:0]
	for _, t := range held {
		const zero, unordered, first, again = 0, 1, 2, 3
		switch {
		case t.IsZero():
			dst = append(dst, zero)
		case !m.owns(t):
			dst = append(dst, unordered)
		default:
			at := slices.IndexFunc(m.first, func(f Time) bool { return f.base == t.base })
			if at < 0 {
				dst = append(dst, first)
				m.first = append(m.first, t)
				break
			}
			dst = binary.AppendUvarint(append(dst, again), uint64(at))
			dst = binary.AppendVarint(dst, span(m.first[at].offset, t.offset))
		}
	}
	for i, a := range m.first {
		for j, b := range m.first {
			if i != j {
				dst = m.bound(a.base, b.base).plus(atMost(span(b.offset, a.offset))).append(dst)
			}
		}
		dst = m.boundNow(a.base).plus(atMost(span(0, a.offset))).append(dst)
	}
	return dst
}

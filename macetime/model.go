package macetime

import (
	"encoding/binary"
	"slices"
)

// Model is the clock of one node in the checker. A reading is not a number. The order of two times is a choice unless
// it follows from
//   - the zero value being before all others,
//   - later readings not being earlier,
//   - two times being based on the same reading,
//   - earlier decisions.
//
// A choice is made exactly if both answers are possible: some assignment of instants to the readings makes the
// comparison true, another makes it false, and both are consistent with all decisions. Times of other nodes, and times
// lost in a crash, are unordered: every comparison is a choice and no answer is recorded.
//
// The zero value is the clock of node 0 at its start. A model without comparisons costs nothing. Otherwise a comparison
// takes time quadratic in the number of readings with recorded decisions, which [Model.Retain] keeps small. A model is
// not safe for concurrent use.
type Model struct {
	// Foreign counts the choices that were made because a time belongs to another node. It is not part of the state.
	Foreign int

	node  int32
	read  uint64 // number of the last reading
	lost  uint64 // readings up to this one were lost in a crash
	ticks uint64

	// The decisions are a system of difference constraints over the readings in ids and "now", the instant of the next
	// reading. They are kept closed: bounds holds the tightest implied bounds, with a row for each of ids, and a column
	// for each of ids and then one for now. (Now has no upper bound, so it has no row.) Readings that are not in ids
	// are bounded by their order only.
	ids    []uint64 // ascending
	bounds []bound

	spareIDs    []uint64
	spareBounds []bound
	first       []Time // of AppendOrder
}

// Reset makes m the clock of a node at its start and clears Foreign.
func (m *Model) Reset(node int) {
	*m = Model{
		node: int32(node),
		ids:  m.ids[:0], bounds: m.bounds[:0],
		spareIDs: m.spareIDs, spareBounds: m.spareBounds, first: m.first,
	}
}

// Crash discards all readings and decisions. The monotone counter continues.
func (m *Model) Crash() {
	m.lost = m.read
	m.forget()
}

func (m *Model) forget() { m.ids, m.bounds = m.ids[:0], m.bounds[:0] }

// CopyFrom makes m the same clock as o, sharing no memory with it. It does not change Foreign.
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

// Ticks returns the monotone counter: the last result of Tick, or 0 before the first.
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

// pushNow tracks the newest reading: the bounds on now bound it, too.
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

// Before reports whether a is earlier than b. If both answers are possible, it calls ask, which returns 0 for no and 1
// for yes, and records the answer. The model passes nil weights because it has none.
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
	// a is before b if the reading of a minus that of b is less than d.
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

// owns reports whether t is based on a reading of this clock for which decisions can be recorded.
func (m *Model) owns(t Time) bool {
	return t.owner == m.node && t.base > m.lost && t.base <= m.read
}

// Decided reports whether any decision is recorded. Retain has no effect otherwise.
func (m *Model) Decided() bool { return len(m.ids) > 0 }

// Retain drops the decisions that are not needed to compare the times in held, times computed from them, and later
// readings. held must contain all times that the node still holds, in any order. It takes time quadratic in their
// number, and none if there are no decisions.
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

// trivial reports whether the bounds imply only the order of the readings.
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

// AppendOrder appends the clock's part of the state of its node: the monotone counter, and how the times in held are
// ordered relative to each other and to the next reading. held must list all times of the state, each once, in the
// order in which the traversal of the state visits them. The state itself is encoded with their positions in held
// instead of their content.
//
// Two states with equal results and otherwise equal encodings behave alike: the encoding ignores the numbers of
// readings and offsets common to all times of a reading. (The converse has an exception: an instant may be held as
// times of two readings that were decided to be equal.) A reader that knows the number of times held can find the end
// of the result. It takes time quadratic in that number.
func (m *Model) AppendOrder(dst []byte, held []Time) []byte {
	dst = binary.AppendUvarint(dst, m.ticks)
	if len(held) == 0 {
		return dst
	}
	// The first time of each reading replaces the instant of the reading.
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

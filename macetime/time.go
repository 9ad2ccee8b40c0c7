package macetime

import (
	"fmt"
	"math"
	"time"
)

// Time is an instant read from the clock of one node, plus an offset. It is opaque: two values are
// compared by [Clock.Before] only. The zero value is "never read" and compares before all others.
type Time struct {
	base   uint64        // in the checker the number of the reading, else nanoseconds; 0 is the zero value
	offset time.Duration // what was added since
	owner  int32         // the node whose clock was read, or foreign
}

// foreign owns the times that arrived in messages, of which the checker knows nothing.
const foreign = -1

// MonotoneTime is a reading of the precise counter of one node. Every reading of a node is greater
// than all before it, also across crashes. Values of different nodes cannot be compared.
type MonotoneTime struct {
	Node  int
	Count uint64 // 0 is the zero value and older than every reading
}

// A Clock reads and compares the time of the node that it was handed to.
type Clock interface {
	// Now reads the clock.
	Now() Time
	// Before reports whether a is earlier than b. In the checker this is a choice unless it follows
	// from what was decided before; weights are those of "no" and "yes" in random walks (nil: equal).
	Before(a, b Time, weights ...int) bool
	// Tick advances the node's monotone counter and returns it.
	Tick() MonotoneTime
}

// Add returns t moved by d. The zero value stays what it is. Offsets saturate.
func (t Time) Add(d time.Duration) Time {
	if t.base != 0 && t.owner != foreign {
		t.offset = time.Duration(saturate(int64(t.offset), int64(d)))
	}
	return t
}

// IsZero reports whether t was never read from a clock.
func (t Time) IsZero() bool { return t.base == 0 }

// Detach returns what is left of t when it travels in a message inside the checker: a time that is
// like all other detached ones. The zero value stays what it is.
//
// Were the number of the reading to travel with it, a time that came back to its owner would make
// the numbering of readings visible, and states that differ in nothing else could not be merged.
func (t Time) Detach() Time {
	if t.base == 0 {
		return t
	}
	return Time{base: 1, owner: foreign}
}

// Raw takes t apart, for the encoding of states: the number of the reading (0: the zero value; on a
// real clock nanoseconds), what was added, and the node whose clock was read (-1: detached).
func (t Time) Raw() (base uint64, offset time.Duration, owner int) {
	return t.base, t.offset, int(t.owner)
}

// String is for people: "never", "foreign", or the node, the number of the reading and the offset.
func (t Time) String() string {
	switch {
	case t.base == 0:
		return "never"
	case t.owner == foreign:
		return "foreign"
	case t.offset == 0:
		return fmt.Sprintf("n%d#%d", t.owner, t.base)
	case t.offset > 0:
		return fmt.Sprintf("n%d#%d+%v", t.owner, t.base, t.offset)
	}
	return fmt.Sprintf("n%d#%d%v", t.owner, t.base, t.offset)
}

// Older reports whether m was read before n. It panics when they stem from different nodes, unless
// one of them is the zero value, which is older than every reading.
func (m MonotoneTime) Older(n MonotoneTime) bool {
	if m.Count != 0 && n.Count != 0 && m.Node != n.Node {
		panic("macetime: monotone times of different nodes cannot be compared")
	}
	return m.Count < n.Count
}

// saturate returns a+b, or the number nearest to it.
func saturate(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

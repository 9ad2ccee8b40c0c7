package macetime

import (
	"fmt"
	"math"
	"time"
)

// Time is an instant read from the clock of one node, plus an offset. It is opaque: only [Clock.Before] compares two
// values. The zero value means "never read" and compares before all others.
type Time struct {
	base   uint64        // in the checker the number of the reading, otherwise nanoseconds; 0 is the zero value
	offset time.Duration // sum of all Adds
	owner  int32         // the node of the clock, or foreign
}

// foreign is the owner of times that arrived in messages; the checker does not order them.
const foreign = -1

// MonotoneTime is a reading of the precise counter of one node. Every reading of a node is greater than all earlier
// ones, also across crashes. Values of different nodes cannot be compared.
type MonotoneTime struct {
	Node  int
	Count uint64 // 0 is the zero value and older than every reading
}

// A Clock reads and compares the time of its node.
type Clock interface {
	// Now reads the clock.
	Now() Time
	// Before reports whether a is earlier than b. In the checker this is a choice unless it follows from earlier
	// decisions; weights are those of "no" and "yes" in random walks, and nil means equal.
	Before(a, b Time, weights ...int) bool
	// Tick advances the node's monotone counter and returns it.
	Tick() MonotoneTime
}

// Add returns t moved by d. The zero value does not change. Offsets saturate.
func (t Time) Add(d time.Duration) Time {
	if t.base != 0 && t.owner != foreign {
		t.offset = time.Duration(saturate(int64(t.offset), int64(d)))
	}
	return t
}

// IsZero reports whether t was never read from a clock.
func (t Time) IsZero() bool { return t.base == 0 }

// Detach returns the form in which t travels in a message inside the checker: a time that equals all other detached
// ones. The zero value does not change.
//
// If the number of the reading traveled with it, a time that returned to its owner would expose the numbering of
// readings, and states that differ in nothing else could not be merged.
func (t Time) Detach() Time {
	if t.base == 0 {
		return t
	}
	return Time{base: 1, owner: foreign}
}

// Raw returns the parts of t for the encoding of states: the number of the reading (0 for the zero value; nanoseconds
// on a real clock), the offset, and the node whose clock was read (-1 if detached).
func (t Time) Raw() (base uint64, offset time.Duration, owner int) {
	return t.base, t.offset, int(t.owner)
}

// String returns a text for people: "never", "foreign", or the node, the number of the reading and the offset.
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

// Older reports whether m was read before n. It panics if they belong to different nodes, unless one of them is the
// zero value, which is older than every reading.
func (m MonotoneTime) Older(n MonotoneTime) bool {
	if m.Count != 0 && n.Count != 0 && m.Node != n.Node {
		panic("macetime: monotone times of different nodes cannot be compared")
	}
	return m.Count < n.Count
}

// saturate returns a+b, clamped to the range of int64.
func saturate(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

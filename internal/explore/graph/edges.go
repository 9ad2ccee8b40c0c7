package graph

import "slices"

// Recovery is the bit of a note that says that an edge belongs to the recovery relation: it may lead on to a live state. All
// other bits are the graph's.
const Recovery = 1 << 7

// Edges are edges from some states, one state after the other. A graph appends to them by Change and End, or does what these do.
type Edges struct {
	// Width is how many words of fingerprints are wanted: with 0 those of End may be anything.
	Width int

	Changes     []uint64 // a word's place, and its value
	Ends        []uint32 // by edge: the end of its changes
	Notes       []uint8  // by edge
	Lo, Hi      []uint64 // by edge: fingerprint of the state that it leads to; Hi only when Width is 2
	EdgeIndexes []uint32 // by edge: its number among all of its state, those that are not listed included
	Names       []uint32 // by edge: the graph's own name for it, 0: it has none

	// By is the name of the edge by which the state that is expanded was found, when states are expanded in the order in which
	// they are found, or those of a level in any order, see [explore.Parts]. The graph may count edges that lead to this state, or to such as were found
	// before, or are found at that level by others, and not list them: sleep sets, see P. Godefroid, Partial-Order Methods for the
	// Verification of Concurrent Systems, chapter 5. 0: it lists all.
	By        uint32
	EdgeIndex uint32 // of the edge that comes next
	Unlisted  int    // edges

	Steps int // of what the graph counts
}

// Change says that the next edge changes a word.
func (e *Edges) Change(word int, value uint32) {
	e.Changes = append(e.Changes, uint64(word)<<32|uint64(value))
}

// End says that all changes of an edge were listed; f is the fingerprint of the state that it leads to.
func (e *Edges) End(f Fingerprint, note uint8) {
	e.Ends = append(e.Ends, uint32(len(e.Changes)))
	e.Notes = append(e.Notes, note)
	e.Lo = append(e.Lo, f.Lo)
	if e.Width == 2 {
		e.Hi = append(e.Hi, f.Hi)
	}
	e.EdgeIndexes = append(e.EdgeIndexes, e.EdgeIndex)
	e.Names = append(e.Names, 0)
	e.EdgeIndex++
}

// Pass says that some edges come next which are not listed.
func (e *Edges) Pass(edges uint32) {
	e.EdgeIndex += edges
	e.Unlisted += int(edges)
}

// All is how many edges there are, those that are not listed included.
func (e *Edges) All() int { return len(e.Ends) + e.Unlisted }

// Reset leaves out all edges.
func (e *Edges) Reset() {
	e.Cut(0)
	e.By, e.EdgeIndex, e.Unlisted, e.Steps = 0, 0, 0, 0
}

// Reserve makes room for some more edges with so many changes, all told.
func (e *Edges) Reserve(edges, changes int) {
	e.Changes, e.Ends = slices.Grow(e.Changes, changes), slices.Grow(e.Ends, edges)
	e.Notes, e.Lo = slices.Grow(e.Notes, edges), slices.Grow(e.Lo, edges)
	e.EdgeIndexes, e.Names = slices.Grow(e.EdgeIndexes, edges), slices.Grow(e.Names, edges)
}

// Changed lists what an edge changes.
func (e *Edges) Changed(t int) []uint64 {
	return e.Changes[e.ChangesBefore(t):e.Ends[t]]
}

func (e *Edges) ChangesBefore(t int) uint32 {
	if t == 0 {
		return 0
	}
	return e.Ends[t-1]
}

// To appends to buf the state that an edge leads to, from a state.
func (e *Edges) To(t int, from, buf []uint32) []uint32 {
	at := len(buf)
	buf = append(buf, from...)
	for _, change := range e.Changed(t) {
		buf[at+int(change>>32)] = uint32(change)
	}
	return buf
}

// Keep leaves out the edges from one on but for those listed by numbers that count from there, ascending.
func (e *Edges) Keep(from int, list []uint32) {
	at := e.ChangesBefore(from)
	for k, n := range list {
		t, to := from+int(n), from+k
		at += uint32(copy(e.Changes[at:], e.Changed(t)))
		e.Notes[to], e.Lo[to] = e.Notes[t], e.Lo[t]
		e.EdgeIndexes[to], e.Names[to] = e.EdgeIndexes[t], e.Names[t]
		if e.Width == 2 {
			e.Hi[to] = e.Hi[t]
		}
		e.Ends[to] = at // not before its old value was used: to <= t
	}
	e.Cut(from + len(list))
}

// Cut leaves out the edges from one on.
func (e *Edges) Cut(from int) {
	e.Changes = e.Changes[:e.ChangesBefore(from)]
	e.Ends, e.Notes, e.Lo = e.Ends[:from], e.Notes[:from], e.Lo[:from]
	e.EdgeIndexes, e.Names = e.EdgeIndexes[:from], e.Names[:from]
	if e.Width == 2 {
		e.Hi = e.Hi[:from]
	}
}

// Bytes is about the memory that the edges take.
func (e *Edges) Bytes() int {
	return 4*cap(e.Ends) + 4*cap(e.EdgeIndexes) + 4*cap(e.Names) + cap(e.Notes) + 8*cap(e.Lo) + 8*cap(e.Hi) + 8*cap(e.Changes)
}

// Row are the edges of one state.
type Row struct {
	Edges      *Edges
	Begin, End int
	State      []uint32
}

// From is the state whose edges these are; valid until the next call.
func (r Row) From() []uint32 { return r.State }

// Len is how many edges there are.
func (r Row) Len() int { return r.End - r.Begin }

// Names are those of all edges, see [Edges].
func (r Row) Names() []uint32 { return r.Edges.Names[r.Begin:r.End] }

// Note is the note of an edge.
func (r Row) Note(k int) uint8 { return r.Edges.Notes[r.Begin+k] }

// To appends to buf the state that an edge leads to, from the state whose edges these are.
func (r Row) To(k int, from, buf []uint32) []uint32 { return r.Edges.To(r.Begin+k, from, buf) }

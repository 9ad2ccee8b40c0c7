package graph

import "slices"

// Recovery is the bit of a note that marks an edge of the recovery relation: it may lead on to a live state. The graph
// owns all other bits.
const Recovery = 1 << 7

// Edges is a list of edges from some states, one state after the other. A graph appends to it by Change and End, or by
// equivalent code.
type Edges struct {
	// Width is the number of fingerprint words to compute. With 0 the fingerprints passed to End are ignored.
	Width int

	Changes     []uint64 // index of a word, and its value
	Ends        []uint32 // by edge: the end of its changes
	Notes       []uint8  // by edge
	Lo, Hi      []uint64 // by edge: fingerprint of the state that it leads to; Hi only when Width is 2
	EdgeIndexes []uint32 // by edge: its number among all edges of its state, including unlisted ones
	Names       []uint32 // by edge: the graph's own name for it; 0 means no name

	// By is the name of the edge by which the expanded state was found, if states are expanded in the order in which
	// they are found, or level by level in any order, see [explore.Parts]. The graph may then count, but not list,
	// edges that lead to this state, to states found before, or to states that others find at that level. These are
	// sleep sets, see P. Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, chapter 5. 0
	// means that it lists all edges.
	By        uint32
	EdgeIndex uint32 // of the next edge
	Unlisted  int    // number of unlisted edges

	Steps int // count of steps, in units of the graph
}

// Change adds a change of a word to the next edge.
func (e *Edges) Change(word int, value uint32) {
	e.Changes = append(e.Changes, uint64(word)<<32|uint64(value))
}

// End ends the changes of an edge, where f is the fingerprint of its target.
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

// Pass skips some edges that are not listed.
func (e *Edges) Pass(edges uint32) {
	e.EdgeIndex += edges
	e.Unlisted += int(edges)
}

// All returns the number of edges, including unlisted ones.
func (e *Edges) All() int { return len(e.Ends) + e.Unlisted }

// Reset removes all edges.
func (e *Edges) Reset() {
	e.Truncate(0)
	e.By, e.EdgeIndex, e.Unlisted, e.Steps = 0, 0, 0, 0
}

// Reserve makes room for more edges with so many changes in total.
func (e *Edges) Reserve(edges, changes int) {
	e.Changes, e.Ends = slices.Grow(e.Changes, changes), slices.Grow(e.Ends, edges)
	e.Notes, e.Lo = slices.Grow(e.Notes, edges), slices.Grow(e.Lo, edges)
	e.EdgeIndexes, e.Names = slices.Grow(e.EdgeIndexes, edges), slices.Grow(e.Names, edges)
}

// Changed lists the changes of an edge.
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

// Keep removes the edges from an index on, except for those listed, ascending, by numbers that count from that index.
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
		e.Ends[to] = at // its old value is not needed again: to <= t
	}
	e.Truncate(from + len(list))
}

// Truncate removes the edges from an index on.
func (e *Edges) Truncate(from int) {
	e.Changes = e.Changes[:e.ChangesBefore(from)]
	e.Ends, e.Notes, e.Lo = e.Ends[:from], e.Notes[:from], e.Lo[:from]
	e.EdgeIndexes, e.Names = e.EdgeIndexes[:from], e.Names[:from]
	if e.Width == 2 {
		e.Hi = e.Hi[:from]
	}
}

// Bytes returns the approximate memory of the edges.
func (e *Edges) Bytes() int {
	return 4*cap(e.Ends) + 4*cap(e.EdgeIndexes) + 4*cap(e.Names) + cap(e.Notes) + 8*cap(e.Lo) + 8*cap(e.Hi) + 8*cap(e.Changes)
}

// Row holds the edges of one state.
type Row struct {
	Edges      *Edges
	Begin, End int
	State      []uint32
}

// From returns the state that the edges lead from. It is valid until the next call.
func (r Row) From() []uint32 { return r.State }

// Len returns the number of edges.
func (r Row) Len() int { return r.End - r.Begin }

// Names returns the names of all edges, see [Edges].
func (r Row) Names() []uint32 { return r.Edges.Names[r.Begin:r.End] }

// Note returns the note of an edge.
func (r Row) Note(k int) uint8 { return r.Edges.Notes[r.Begin+k] }

// To appends to buf the state that an edge leads to, from the state of the row.
func (r Row) To(k int, from, buf []uint32) []uint32 { return r.Edges.To(r.Begin+k, from, buf) }

package explore

import (
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
)

// unknown marks the edge count of a row with targets known only by fingerprint. The fingerprints are followed by a bit
// per edge for the recovery relation, and by the rest of the row.
const unknown = 1 << 31

// found records the new states of a batch.
func (r *rows) found(b *Batch) {
	for _, t := range b.fresh {
		r.order[0].Append(b.Lo[t])
		if r.width == 2 {
			r.order[1].Append(b.Hi[t])
		}
	}
}

// knows reports whether the fingerprints of all states are kept.
func (r *rows) knows(states uint32) bool { return states > 0 && r.order[0].N == int(states) }

// lose releases the fingerprints of states.
func (r *rows) lose() {
	for i := range r.order {
		r.order[i].Memory.Free()
		r.order[i] = memory.AppendVec{}
	}
}

// unknowns returns the number of words of the fingerprints of some edges, and that number with the bits after them.
func (r *rows) unknowns(edges int) (fingerprints, all int) {
	return 2 * r.width * edges, 2*r.width*edges + (edges+31)/32
}

// keepUnknown keeps the row of a parent of a batch by the fingerprints of its targets.
func (l *Loop) keepUnknown(b *Batch, k int) {
	r, begin := &l.rows, b.begin(k)
	n := int(b.last[k]) - begin
	prints, all := r.unknowns(n)
	row := l.newRow(b.ids[k], uint32(n)|unknown, all+r.size(n)-n)
	if row == nil {
		return
	}
	for i, f := range b.Lo[begin:][:n] {
		row[2*i], row[2*i+1] = uint32(f), uint32(f>>32)
	}
	if r.width == 2 {
		for i, f := range b.Hi[begin:][:n] {
			row[2*(n+i)], row[2*(n+i)+1] = uint32(f), uint32(f>>32)
		}
	}
	bits := row[prints:all]
	for i, note := range b.Notes[begin:][:n] {
		bits[i/32] |= uint32(note/graph.Recovery) << (i % 32)
	}
	r.behind(row[all:], b, k)
}

// known reports whether the targets of a row are known by number.
func (r *rows) known(id uint32) bool { return r.list[r.begin[id]-1]&unknown == 0 }

// enter adds the state of a row, and its edges, to a batch.
func (r *rows) enter(b *Batch, id uint32) {
	row := r.list[r.begin[id]:]
	n := int(r.list[r.begin[id]-1] &^ unknown)
	prints, all := r.unknowns(n)
	to, bits, rest := row[:prints], row[prints:all], row[all:]
	if r.words > 0 {
		b.enter(rest[n:][:r.words], id)
	} else {
		b.enterBare(id)
	}
	b.Reserve(n, 0)
	for i := range n {
		b.Ends, b.EdgeIndexes = append(b.Ends, 0), append(b.EdgeIndexes, uint32(i)) // the changes are not known
		b.Notes = append(b.Notes, uint8(bits[i/32]>>(i%32)&1)*graph.Recovery)
		b.Lo = append(b.Lo, word(to, i))
	}
	if r.width == 2 {
		for i := range n {
			b.Hi = append(b.Hi, word(to, n+i))
		}
	}
	if r.names {
		b.Names = append(b.Names, rest[:n]...)
	} else {
		b.Names = append(b.Names, make([]uint32, n)...)
	}
	b.leave()
}

func word(halves []uint32, i int) uint64 { return uint64(halves[2*i+1])<<32 | uint64(halves[2*i]) }

// know replaces the fingerprints of a row by its targets.
func (r *rows) know(id uint32, to []uint32) {
	if r.known(id) {
		return
	}
	row := r.list[r.begin[id]:]
	n := len(to)
	prints, all := r.unknowns(n)
	bits := row[prints:all]
	for i, id := range to { // overwrites fingerprints
		row[i] = marked(id, bits[i/32]>>(i%32)&1 == 1)
	}
	copy(row[n:], row[all:][:r.size(n)-n])
	r.list[r.begin[id]-1] = uint32(n)
}

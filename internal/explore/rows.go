package explore

import (
	"math"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// rows holds the targets of edges from expanded states. They are kept while there is room, so that analyses can pass
// over edges without expanding and looking up states again.
type rows struct {
	begin  []uint32            // by state: start of its row, plus one; 0 if it is not kept
	starts memory.Arena        // memory of begin
	list   []uint32            // rows: edge count (see sparse, unknown), targets (see kept) and, with names, names and state
	used   int                 // words of list in use
	memory memory.Arena        // memory of list
	full   bool                // no more rows are kept
	width  int                 // of fingerprints, see unknown; 0 if whole states are stored
	names  bool                // the analysis needs names
	words  int                 // of a state, if rows contain it: if the analysis needs names, and states are not stored elsewhere
	order  [2]memory.AppendVec // fingerprints of all states by number: first words, and second words if any
}

// sparse marks the edge count of a row without the edges that sleep. Only rows of whole states are sparse, and they are
// never unknown.
const sparse = 1 << 30

// kept marks edges of the recovery relation. An unvisited target is stored as the number below kept.
const kept = 1 << 31

// minRows is the minimum number of words allocated.
const minRows = 1 << 9

// mostKept is the maximum number of states with which rows can be kept.
const mostKept = kept - 1

// keepsRows reports whether rows are kept while states are visited. Each state is expanded once, and the set returns
// the numbers of its targets. With a depth bound an exploration mostly ends before the analysis.
func (l *Loop) keepsRows() bool {
	_, finds := l.visited.(stateset.Finder)
	return l.opts.Analysis != nil && l.opts.Log == nil && l.opts.Reducer == nil && finds && l.waiting == nil &&
		l.ordered != nil && l.opts.MaxDepth == 0
}

// keeping reports whether rows are kept while states are visited.
func (l *Loop) keeping() bool { return l.early && !l.rows.full && l.out.States <= mostKept }

// begins sets which data of the edges of a batch is needed, before its first state is entered.
func (l *Loop) begins(b *Batch) {
	if len(b.ids) == 0 {
		b.keeps = l.keeping()
	}
}

// by returns the name of the edge by which the expanded state was found, or 0 if all its edges must be listed. A kept
// row may lack edges if it has no names and the state is available to be expanded again.
func (l *Loop) by(b *Batch) uint32 {
	if l.opts.Reducer != nil || b.keeps && (l.rows.names || l.whole == nil) && l.opts.Analysis.NeedsEdges(l.item.ID) {
		return 0
	}
	return l.item.By
}

// keepRows keeps the rows of a batch that the analysis needs. Fingerprints are not numbers, so the order in which
// states were found is kept, too, and every batch must be passed.
func (l *Loop) keepRows(b *Batch) {
	if l.whole == nil && l.keeping() {
		l.rows.found(b)
	}
	if !b.keeps {
		return
	}
	for k := range b.last {
		switch id := b.ids[k]; {
		case !l.keeping() || !l.opts.Analysis.NeedsEdges(id):
		case l.whole == nil:
			l.keepUnknown(b, k)
		default:
			l.keepRow(b, k, b.places[b.begin(k):b.last[k]])
		}
	}
}

// keepRow keeps the row of a parent of a batch with its targets.
func (l *Loop) keepRow(b *Batch, k int, to []uint32) {
	r := &l.rows
	edges := uint32(len(to))
	if b.lacks(k) {
		edges |= sparse
	}
	row := l.newRow(b.ids[k], edges, r.size(len(to)))
	if row == nil {
		return
	}
	notes := b.Notes[b.begin(k):]
	for k, id := range to {
		row[k] = marked(id, notes[k]&graph.Recovery != 0)
	}
	r.behind(row[len(to):], b, k)
}

// behind fills the part of a row after its edges, for a parent of a batch.
func (r *rows) behind(rest []uint32, b *Batch, k int) {
	if r.names {
		copy(rest, b.Names[b.begin(k):b.last[k]])
		copy(rest[len(rest)-r.words:], b.parent(k))
	}
}

// marked returns a target as stored in a row.
func marked(id uint32, recovery bool) uint32 {
	if recovery {
		return id | kept
	}
	return id &^ kept
}

// newRow makes room for the row of a state, of so many words. It returns nil if it cannot.
func (l *Loop) newRow(id, edges uint32, words int) []uint32 {
	r := &l.rows
	end := r.used + 1 + words
	if int(id) >= len(r.begin) && !r.reach(id, l.room()/2) || end > len(r.list) && !r.grow(end, l.room()/2) {
		r.full = true
		return nil
	}
	r.begin[id] = uint32(r.used) + 1
	r.list[r.used] = edges
	row := r.list[r.used+1 : end : end]
	r.used = end
	return row
}

// size returns the number of words of a row with so many edges.
func (r *rows) size(edges int) int {
	if r.names {
		return 2*edges + r.words
	}
	return edges
}

// reach makes room for the start of the row of a state.
func (r *rows) reach(id uint32, room int) bool {
	n := max(minRows, int(id)+int(id)/4+1)
	if 4*(n-len(r.begin)) > room || id >= mostKept {
		return false
	}
	r.begin = r.starts.Halves(n)
	return true
}

// grow makes the list at least so long.
func (r *rows) grow(words, room int) bool {
	words = max(minRows, words+words/4)
	if 4*(words-r.used) > room || words > math.MaxUint32 {
		return false
	}
	r.list = r.memory.Halves(words)
	return true
}

// has reports whether the row of a state is kept.
func (r *rows) has(id uint32) bool { return int(id) < len(r.begin) && r.begin[id] != 0 }

// sparse reports whether the row of a state lacks edges.
func (r *rows) sparse(id uint32) bool { return r.list[r.begin[id]-1]&sparse != 0 }

// of returns the row of a state.
func (r *rows) of(id uint32) []uint32 {
	at := r.begin[id]
	n := r.size(int(r.list[at-1] &^ sparse))
	return r.list[at:][:n:n]
}

// parts splits a row.
func (r *rows) parts(row []uint32) (to, names, state []uint32) {
	if !r.names {
		return row, nil, nil
	}
	n := (len(row) - r.words) / 2
	return row[:n], row[n : 2*n], row[2*n:]
}

// placesOf appends the targets of the edges of a row to to.
func placesOf(row, to []uint32) []uint32 {
	for _, edge := range row {
		if edge &^= kept; edge == stateset.NoPlace&^kept {
			edge = stateset.NoPlace
		}
		to = append(to, edge)
	}
	return to
}

// drop releases all rows, and stops keeping rows.
func (r *rows) drop() {
	r.memory.Free()
	r.starts.Free()
	r.lose()
	*r = rows{full: true, width: r.width, names: r.names, words: r.words}
}

func (r *rows) bytes() int {
	return 4*len(r.begin) + 4*r.used + r.order[0].Bytes() + r.order[1].Bytes()
}

package explore

import (
	"math"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// rows say where the edges of states lead that were expanded. They are kept as long as there is room, so that analyses can be shown them without
// states being expanded and looked up once more.
type rows struct {
	begin  []uint32            // by state: where its row is, plus one; 0: it is not kept
	starts memory.Arena        // of begin
	list   []uint32            // rows: how many edges there are, see sparse and unknown, where each leads, see kept, and, if the analysis asks for names, these, and the state
	used   int                 // of list
	memory memory.Arena        // of list
	full   bool                // nothing more is kept
	width  int                 // of fingerprints, see unknown; 0: whole states are visited
	names  bool                // the analysis asks for names
	words  int                 // of a state, if it is kept: if the analysis asks for names, and nobody else has states
	order  [2]memory.AppendVec // fingerprints of all states, in the order of their numbers: first words, and second ones if there are any
}

// sparse marks how many edges a row has that lacks those which sleep. Of whole states alone: no row is unknown, too.
const sparse = 1 << 30

// kept marks edges of the recovery relation. A state that was not visited is noted as the number below it.
const kept = 1 << 31

// minRows is how many words are made room for at least.
const minRows = 1 << 9

// mostKept is up to how many states rows can be kept.
const mostKept = kept - 1

// keepsRows reports whether rows are kept while states are visited: each is expanded once, and where its edges lead the set can tell by the
// number of a state. At a bound on depth an exploration mostly ends before anything is judged.
func (l *Loop) keepsRows() bool {
	_, finds := l.visited.(stateset.Finder)
	return l.opts.Analysis != nil && l.opts.Log == nil && l.opts.Reducer == nil && finds && l.waiting == nil &&
		l.ordered != nil && l.opts.MaxDepth == 0
}

// keeping reports whether rows are kept while states are visited.
func (l *Loop) keeping() bool { return l.early && !l.rows.full && l.out.States <= mostKept }

// begins says what is to be known of the edges of a batch, before its first state is entered.
func (l *Loop) begins(b *Batch) {
	if len(b.ids) == 0 {
		b.keeps = l.keeping()
	}
}

// by is the name of the edge by which the state was found that is expanded; 0 if all its edges are to be listed. A row that is kept may lack
// some, if there are no names, and the state is there to be expanded again.
func (l *Loop) by(b *Batch) uint32 {
	if l.opts.Reducer != nil || b.keeps && (l.rows.names || l.whole == nil) && l.opts.Analysis.NeedsEdges(l.item.ID) {
		return 0
	}
	return l.item.By
}

// keepRows keeps the rows of a batch that the analysis wants. Fingerprints are no numbers: in which order states were found is kept, too, and is to be
// told of each batch.
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

// keepRow keeps the row of a parent of a batch, whose edges lead to some states.
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

// behind makes what comes behind the edges of a row what it is for a parent of a batch.
func (r *rows) behind(rest []uint32, b *Batch, k int) {
	if r.names {
		copy(rest, b.Names[b.begin(k):b.last[k]])
		copy(rest[len(rest)-r.words:], b.parent(k))
	}
}

// marked is a state in a row.
func marked(id uint32, recovery bool) uint32 {
	if recovery {
		return id | kept
	}
	return id &^ kept
}

// newRow makes room for the row of a state with some edges, which takes so many words. It is nil if there is no room.
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

// size is how many words a row of some edges takes.
func (r *rows) size(edges int) int {
	if r.names {
		return 2*edges + r.words
	}
	return edges
}

// reach makes room for the beginning of the row of a state.
func (r *rows) reach(id uint32, room int) bool {
	n := max(minRows, int(id)+int(id)/4+1)
	if 4*(n-len(r.begin)) > room || id >= mostKept {
		return false
	}
	r.begin = r.starts.Halves(n)
	return true
}

// grow makes the list so long, or longer.
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

// of is the row of a state.
func (r *rows) of(id uint32) []uint32 {
	at := r.begin[id]
	n := r.size(int(r.list[at-1] &^ sparse))
	return r.list[at:][:n:n]
}

// parts are those of a row.
func (r *rows) parts(row []uint32) (to, names, state []uint32) {
	if !r.names {
		return row, nil, nil
	}
	n := (len(row) - r.words) / 2
	return row[:n], row[n : 2*n], row[2*n:]
}

// placesOf are where the edges of a row lead, appended to to.
func placesOf(row, to []uint32) []uint32 {
	for _, edge := range row {
		if edge &^= kept; edge == stateset.NoPlace&^kept {
			edge = stateset.NoPlace
		}
		to = append(to, edge)
	}
	return to
}

// drop lets all rows go, and keeps none any more.
func (r *rows) drop() {
	r.memory.Free()
	r.starts.Free()
	r.lose()
	*r = rows{full: true, width: r.width, names: r.names, words: r.words}
}

func (r *rows) bytes() int {
	return 4*len(r.begin) + 4*r.used + r.order[0].Bytes() + r.order[1].Bytes()
}

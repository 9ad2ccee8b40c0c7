package explore

import (
	"math"
	"unsafe"
)

// rows say where the edges of states lead that were expanded. They are kept as long as there is room, so that judges can be shown them without
// states being expanded and looked up once more.
type rows struct {
	begin  []uint32 // by state: where its row is, plus one; 0: it is not kept
	starts region   // of begin
	list   []uint32 // rows: how many edges there are, where each leads, see kept, and, if the judge asks for names, these
	used   int      // of list
	memory region   // of list
	full   bool     // nothing more is kept
}

// kept marks edges of the recovery relation. A state that was not visited is noted as the number below it.
const kept = 1 << 31

// keepsRows reports whether rows are kept while states are visited: each is expanded once, with all its edges, and where these lead the set
// knows by the number of a state. At a bound on depth an exploration mostly ends before anything is judged.
func (l *Loop) keepsRows() bool {
	return l.opts.Judge != nil && l.opts.Log == nil && l.opts.Reducer == nil && l.whole != nil && l.waiting == nil &&
		l.ordered != nil && l.opts.MaxDepth == 0
}

// keeping reports whether rows are kept while states are visited.
func (l *Loop) keeping() bool { return l.early && !l.rows.full }

// begins says what is to be known of the edges of a batch, before its first state is entered.
func (l *Loop) begins(b *Batch) {
	if len(b.ids) == 0 {
		b.keeps = l.keeping()
	}
}

// by is the name of the edge by which the state was found that is expanded; 0 if its row is to be kept, which tells of all edges.
func (l *Loop) by(b *Batch) uint32 {
	if l.opts.Reducer != nil || b.keeps && l.opts.Judge.Wants(l.item.ID) {
		return 0
	}
	return l.item.By
}

// keepRows keeps the rows of a batch that the judge wants.
func (l *Loop) keepRows(b *Batch) {
	if !b.keeps {
		return
	}
	for k := range b.last {
		if id := b.ids[k]; l.keeping() && l.opts.Judge.Wants(id) {
			begin, end := b.begin(k), int(b.last[k])
			l.keepRow(id, b.Notes[begin:end], b.places[begin:end], b.Names[begin:end])
		}
	}
}

// keepRow keeps the row of a state.
func (l *Loop) keepRow(id uint32, notes []uint8, to, names []uint32) {
	r := &l.rows
	if !l.names {
		names = nil
	}
	end := r.used + 1 + len(to) + len(names)
	if int(id) >= len(r.begin) && !r.reach(id, l.room()/2) || end > len(r.list) && !r.grow(end, l.room()/2) {
		r.full = true
		return
	}
	r.begin[id] = uint32(r.used) + 1
	r.list[r.used] = uint32(len(to))
	at := r.list[r.used+1:][:len(to)]
	for k, id := range to {
		at[k] = id &^ kept
		if notes[k]&Recovery != 0 {
			at[k] |= kept
		}
	}
	copy(r.list[end-len(names):], names)
	r.used = end
}

// reach makes room for the beginning of the row of a state.
func (r *rows) reach(id uint32, room int) bool {
	n := max(minColumn, int(id)+int(id)/4+1)
	if 4*(n-len(r.begin)) > room || id >= kept-1 {
		return false
	}
	r.begin = r.starts.halves(n)
	return true
}

// grow makes the list so long, or longer.
func (r *rows) grow(words, room int) bool {
	words = max(minColumn, words+words/4)
	if 4*(words-r.used) > room || words > math.MaxUint32 {
		return false
	}
	r.list = r.memory.halves(words)
	return true
}

// halves makes the region at least n times four bytes long.
func (r *region) halves(n int) []uint32 {
	r.grow((n + 1) / 2)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(r.words))), 2*len(r.words))
}

// has reports whether the row of a state is kept.
func (r *rows) has(id uint32) bool { return int(id) < len(r.begin) && r.begin[id] != 0 }

// of is the row of a state.
func (r *rows) of(id uint32, names bool) []uint32 {
	at := r.begin[id]
	n := r.list[at-1]
	if names {
		n *= 2
	}
	return r.list[at:][:n:n]
}

// placesOf are where the edges of a row lead, appended to to.
func placesOf(row, to []uint32) []uint32 {
	for _, edge := range row {
		if edge &^= kept; edge == NoPlace&^kept {
			edge = NoPlace
		}
		to = append(to, edge)
	}
	return to
}

// drop lets all rows go, and keeps none any more.
func (r *rows) drop() {
	r.memory.free()
	r.starts.free()
	*r = rows{full: true}
}

func (r *rows) bytes() int { return 4*len(r.begin) + 4*r.used }

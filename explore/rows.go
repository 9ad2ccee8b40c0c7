package explore

import (
	"math"
	"unsafe"
)

// rows are edges that judges were shown. They are kept as long as there is room, so that they can be shown again without states being
// expanded and looked up once more.
type rows struct {
	begin  []uint32 // by state: where its row is, plus one; 0: it is not kept
	list   []uint32 // rows: how many edges there are, and where each leads, see kept
	used   int      // of list
	memory region   // of list
	full   bool     // nothing is kept any more
}

// kept marks edges of the recovery relation. A state that was not visited is noted as the number below it.
const kept = 1 << 31

// keep keeps the row of a state.
func (r *rows) keep(s *Space, id uint32, notes []uint8, to []uint32) {
	if r.begin == nil {
		if r.full = s.Room()/2 < 4*int(s.Len()) || s.Len() >= kept-1; r.full {
			return
		}
		r.begin = make([]uint32, s.Len())
	}
	if r.used+1+len(to) > len(r.list) && !r.grow(r.used+1+len(to), s.Room()/2) {
		r.drop()
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
	r.used += 1 + len(to)
}

// grow makes the list so long, or longer.
func (r *rows) grow(words, room int) bool {
	words = max(minColumn, words+words/4)
	if 4*(words-r.used) > room || words > math.MaxUint32 {
		return false
	}
	r.memory.grow((words + 1) / 2)
	r.list = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(r.memory.words))), 2*len(r.memory.words))
	return true
}

// has reports whether the row of a state is kept.
func (r *rows) has(id uint32) bool { return r.begin != nil && r.begin[id] != 0 }

// of is the row of a state, and where its edges lead, appended to to.
func (r *rows) of(id uint32, to []uint32) (row, places []uint32) {
	at := r.begin[id]
	row = r.list[at:][:r.list[at-1]]
	for _, edge := range row {
		if edge &^= kept; edge == NoPlace&^kept {
			edge = NoPlace
		}
		to = append(to, edge)
	}
	return row, to
}

// drop lets all rows go, and keeps none any more.
func (r *rows) drop() {
	r.memory.free()
	*r = rows{full: true}
}

func (r *rows) bytes() int { return 4*len(r.begin) + 4*r.used }

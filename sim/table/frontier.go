package table

import "unsafe"

// frontier is a queue of vectors, of the states that wait to be expanded. It is kept in parts, which are used
// again, and is not the collector's: the collector lets garbage grow with what it has to keep.
type frontier struct {
	words  int
	first  uint32  // number of the state at the front of parts
	n      uint32  // number of the next state
	parts  []int32 // by number
	free   []int32
	made   int32 // parts
	memory region
}

const frontierPart = 1 << 10 // vectors

func (f *frontier) append(v []uint32) {
	if int(f.n-f.first) == len(f.parts)*frontierPart {
		f.parts = append(f.parts, f.part())
	}
	copy(f.vector(f.n), v)
	f.n++
}

func (f *frontier) part() int32 {
	if k := len(f.free); k > 0 {
		part := f.free[k-1]
		f.free = f.free[:k-1]
		return part
	}
	f.made++
	if words := f.most() / 8; words > len(f.memory.words) {
		f.memory.grow(words + words/4) // what is not used takes no memory
	}
	return f.made - 1
}

// vector is where a vector is, until one is appended.
func (f *frontier) vector(id uint32) []uint32 {
	at := int(id - f.first)
	at = int(f.parts[at/frontierPart])*frontierPart + at%frontierPart
	all := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(f.memory.words))), 2*len(f.memory.words))
	return all[at*f.words:][:f.words:f.words]
}

// next returns the vector of a state, which must be asked for in order, and lets go of those before.
func (f *frontier) next(id uint32) []uint32 {
	if id-f.first >= frontierPart {
		f.free = append(f.free, f.parts[0])
		f.parts = append(f.parts[:0], f.parts[1:]...)
		f.first += frontierPart
	}
	return f.vector(id)
}

// most is how many bytes have been used.
func (f *frontier) most() int { return 4 * f.words * frontierPart * int(f.made) }

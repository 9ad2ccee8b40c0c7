package table

// frontier is a queue of vectors, of the states that wait to be expanded.
type frontier struct {
	words int
	first uint32 // number of the state at the front of parts
	n     uint32 // number of the next state
	parts [][]uint32
	free  [][]uint32
	most  int // bytes
}

const frontierPart = 1 << 10 // vectors

func (f *frontier) append(v []uint32) {
	if int(f.n-f.first) == len(f.parts)*frontierPart {
		if k := len(f.free); k > 0 {
			f.parts, f.free = append(f.parts, f.free[k-1]), f.free[:k-1]
		} else {
			f.parts = append(f.parts, make([]uint32, f.words*frontierPart))
		}
		f.most = max(f.most, f.bytes())
	}
	copy(f.vector(f.n), v)
	f.n++
}

func (f *frontier) vector(id uint32) []uint32 {
	at := int(id - f.first)
	return f.parts[at/frontierPart][at%frontierPart*f.words:][:f.words]
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

func (f *frontier) bytes() int { return 4 * f.words * frontierPart * (len(f.parts) + len(f.free)) }

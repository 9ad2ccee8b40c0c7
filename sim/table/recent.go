package table

// recent keeps fingerprints, or roots, of states that were come to lately near the processor: most states are come to again
// soon, by the same events in another order.
type recent struct {
	memory        region
	first, second *[recentLen]uint64
}

const (
	recentBits = 16
	recentLen  = 1 << recentBits
)

// recentSlot is where a fingerprint is kept; roots would not be spread well by their last bits.
func recentSlot(p uint64) uint64 { return p * 0x9E3779B97F4A7C15 >> (64 - recentBits) }

func (r *recent) init(words int) {
	r.memory.grow(words * recentLen)
	r.first = (*[recentLen]uint64)(r.memory.words)
	r.first[recentSlot(0)] = 1 // that 0 came lately must not be believed from the start
	if words == 2 {
		r.second = (*[recentLen]uint64)(r.memory.words[recentLen:])
	}
}

// sift appends to kept the transitions that lead to states which were not come to lately, and their fingerprints, and
// keeps these. It does not branch, since what came lately cannot be guessed.
func (r *recent) sift(f *successors) {
	n := len(f.prints)
	f.kept, f.keptPrints = sized(f.kept, n), sized(f.keptPrints, n)
	kept, prints, k := f.kept, f.keptPrints, 0
	if r.second == nil {
		for t, p := range f.prints {
			at := &r.first[recentSlot(p)]
			differs := *at ^ p
			*at = p
			kept[k], prints[k] = uint32(t), p
			k += int((differs | -differs) >> 63)
		}
	} else {
		f.keptOthers = sized(f.keptOthers, n)
		others := f.keptOthers
		for t, p := range f.prints {
			q := f.others[t]
			slot := recentSlot(p)
			at, and := &r.first[slot], &r.second[slot]
			differs := *at ^ p | *and ^ q
			*at, *and = p, q
			kept[k], prints[k], others[k] = uint32(t), p, q
			k += int((differs | -differs) >> 63)
		}
		f.keptOthers = others[:k]
	}
	f.kept, f.keptPrints = kept[:k], prints[:k]
}

// sized returns a list of a length, perhaps with other content.
func sized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, 2*n)
	}
	return list[:n]
}

package explore

// hotCache keeps fingerprints, or keys, of states that were come to lately near the processor: most states are come to again
// soon, by the same events in another order.
type hotCache struct {
	memory        arena
	first, second *[recentLen]uint64
}

const (
	recentBits = 12
	recentLen  = 1 << recentBits
)

// recentSlot is where a fingerprint is kept; keys would not be spread well by their last bits.
func recentSlot(p uint64) uint64 { return p * 0x9E3779B97F4A7C15 >> (64 - recentBits) }

func (r *hotCache) init(words int) {
	r.memory.grow(words * recentLen)
	r.first = (*[recentLen]uint64)(r.memory.words)
	r.first[recentSlot(0)] = 1 // that 0 came lately must not be believed from the start
	if words == 2 {
		r.second = (*[recentLen]uint64)(r.memory.words[recentLen:])
	}
}

// sift makes the keys of a batch those of edges to states which were not come to lately. It does not branch, since what came
// lately cannot be guessed.
func (r *hotCache) sift(b *Batch) {
	if r.first == nil {
		r.init(max(1, b.Width))
	}
	n := len(b.Lo)
	b.keys.Names, b.keys.Lo, b.keys.Hi = sized(b.keys.Names, n), sized(b.keys.Lo, n), b.keys.Hi[:0]
	names, lo, k := b.keys.Names, b.keys.Lo, 0
	if r.second == nil {
		for t, p := range b.Lo {
			at := &r.first[recentSlot(p)]
			differs := *at ^ p
			*at = p
			names[k], lo[k] = uint32(t), p
			k += int((differs | -differs) >> 63)
		}
	} else {
		b.keys.Hi = sized(b.keys.Hi, n)
		hi := b.keys.Hi
		for t, p := range b.Lo {
			q := b.Hi[t]
			slot := recentSlot(p)
			at, and := &r.first[slot], &r.second[slot]
			differs := (*at ^ p) | (*and ^ q)
			*at, *and = p, q
			names[k], lo[k], hi[k] = uint32(t), p, q
			k += int((differs | -differs) >> 63)
		}
		b.keys.Hi = hi[:k]
	}
	b.keys.Names, b.keys.Lo = names[:k], lo[:k]
}

// sized returns a list of a length, perhaps with other content.
func sized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, 2*n)
	}
	return list[:n]
}

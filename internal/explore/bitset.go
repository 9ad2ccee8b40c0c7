package explore

// bitset is a set of small numbers that grows at its end.
type bitset []uint64

// append says whether i is in the set; all lesser numbers must have been told already.
func (b *bitset) append(i int, in bool) {
	if i>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	if in {
		(*b)[i>>6] |= 1 << (i & 63)
	}
}

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 == 1 }

func (b bitset) add(i uint32) { b[i>>6] |= 1 << (i & 63) }

func (b bitset) bytes() int { return 8 * cap(b) }

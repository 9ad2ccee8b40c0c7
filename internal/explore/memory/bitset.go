package memory

// Bitset is a set of small numbers that grows at its end.
type Bitset []uint64

// Append sets whether i is in the set. It must be called for all smaller numbers before.
func (b *Bitset) Append(i int, in bool) {
	if i>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	if in {
		(*b)[i>>6] |= 1 << (i & 63)
	}
}

func (b Bitset) Has(i uint32) bool { return b[i>>6]>>(i&63)&1 == 1 }

func (b Bitset) Add(i uint32) { b[i>>6] |= 1 << (i & 63) }

func (b Bitset) Bytes() int { return 8 * cap(b) }

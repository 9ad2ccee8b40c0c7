package table

// memo maps 64-bit keys to 64-bit values: an open-addressing table with linear probing. There is no
// deletion.
type memo struct {
	slots []memoSlot
	n     int
	shift uint
}

type memoSlot struct{ key, value uint64 } // key is that of the caller plus one, 0: free

const minMemo = 1 << 8

func (m *memo) hash(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> m.shift) }

// get returns the value of a key, which must not be the greatest one.
func (m *memo) get(key uint64) (uint64, bool) {
	if len(m.slots) == 0 {
		return 0, false
	}
	key++
	mask := len(m.slots) - 1
	for i := m.hash(key); ; i = (i + 1) & mask {
		s := &m.slots[i]
		if s.key == key {
			return s.value, true
		}
		if s.key == 0 {
			return 0, false
		}
	}
}

// put sets the value of a key.
func (m *memo) put(key, value uint64) {
	if m.n >= len(m.slots)/2 {
		m.grow()
	}
	if m.place(key+1, value) {
		m.n++
	}
}

func (m *memo) place(key, value uint64) (added bool) {
	mask := len(m.slots) - 1
	i := m.hash(key)
	for m.slots[i].key != 0 && m.slots[i].key != key {
		i = (i + 1) & mask
	}
	added = m.slots[i].key == 0
	m.slots[i] = memoSlot{key, value}
	return added
}

func (m *memo) grow() {
	old := m.slots
	size := max(minMemo, 2*len(old))
	m.slots = make([]memoSlot, size)
	m.shift = 64
	for s := size; s > 1; s >>= 1 {
		m.shift--
	}
	for _, s := range old {
		if s.key != 0 {
			m.place(s.key, s.value)
		}
	}
}

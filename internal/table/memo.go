package table

// memoOf maps 64-bit keys to values: an open-addressing table with linear probing. There is no
// deletion.
type memoOf[V any] struct {
	slots []memoSlot[V]
	n     int
	shift uint
}

type memo = memoOf[uint64]

type memoSlot[V any] struct {
	key   uint64 // that of the caller plus one, 0: free
	value V
}

const minMemo = 1 << 8

func (m *memoOf[V]) hash(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> m.shift) }

// get returns the value of a key, which must not be the greatest one.
func (m *memoOf[V]) get(key uint64) (value V, ok bool) {
	if len(m.slots) == 0 {
		return value, false
	}
	key++
	mask := len(m.slots) - 1
	for i := m.hash(key); ; i = (i + 1) & mask {
		s := &m.slots[i]
		if s.key == key {
			return s.value, true
		}
		if s.key == 0 {
			return value, false
		}
	}
}

// put sets the value of a key.
func (m *memoOf[V]) put(key uint64, value V) {
	if m.n >= len(m.slots)/2 {
		m.grow()
	}
	if m.place(key+1, value) {
		m.n++
	}
}

func (m *memoOf[V]) place(key uint64, value V) (added bool) {
	mask := len(m.slots) - 1
	i := m.hash(key)
	for m.slots[i].key != 0 && m.slots[i].key != key {
		i = (i + 1) & mask
	}
	added = m.slots[i].key == 0
	m.slots[i] = memoSlot[V]{key, value}
	return added
}

func (m *memoOf[V]) grow() {
	old := m.slots
	size := max(minMemo, 2*len(old))
	m.slots = make([]memoSlot[V], size)
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

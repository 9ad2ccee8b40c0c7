package store

// MemoOf maps 64-bit keys to values. It is an open-addressing table with linear probing, without deletion.
type MemoOf[V any] struct {
	Slots []memoSlot[V]
	N     int
	shift uint
}

type Memo = MemoOf[uint64]

type memoSlot[V any] struct {
	Key   uint64 // the caller's key plus one; 0: free
	Value V
}

const minMemo = 1 << 8

func (m *MemoOf[V]) hash(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> m.shift) }

// Get returns the value of a key, which must not be the maximum.
func (m *MemoOf[V]) Get(key uint64) (value V, ok bool) {
	if len(m.Slots) == 0 {
		return value, false
	}
	key++
	mask := len(m.Slots) - 1
	for i := m.hash(key); ; i = (i + 1) & mask {
		s := &m.Slots[i]
		if s.Key == key {
			return s.Value, true
		}
		if s.Key == 0 {
			return value, false
		}
	}
}

// Put sets the value of a key.
func (m *MemoOf[V]) Put(key uint64, value V) {
	if m.N >= len(m.Slots)/2 {
		m.grow()
	}
	if m.place(key+1, value) {
		m.N++
	}
}

func (m *MemoOf[V]) place(key uint64, value V) (added bool) {
	mask := len(m.Slots) - 1
	i := m.hash(key)
	for m.Slots[i].Key != 0 && m.Slots[i].Key != key {
		i = (i + 1) & mask
	}
	added = m.Slots[i].Key == 0
	m.Slots[i] = memoSlot[V]{key, value}
	return added
}

func (m *MemoOf[V]) grow() {
	old := m.Slots
	size := max(minMemo, 2*len(old))
	m.Slots = make([]memoSlot[V], size)
	m.shift = 64
	for s := size; s > 1; s >>= 1 {
		m.shift--
	}
	for _, s := range old {
		if s.Key != 0 {
			m.place(s.Key, s.Value)
		}
	}
}

package store

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/macemc/macemc/internal/kernel/declared"
)

// obligations interns the obligations of monitors.
type obligations struct {
	ids  map[obligation]uint32
	List []obligation
}

type obligation struct {
	Monitor int
	Key     string
}

// Owed is an unsettled obligation.
type Owed struct {
	ID  uint32
	Hot bool
}

func (o *obligations) id(monitor int, key string) uint32 {
	at := obligation{monitor, key}
	id, ok := o.ids[at]
	if !ok {
		if o.ids == nil {
			o.ids = map[obligation]uint32{}
		}
		id = uint32(len(o.List))
		o.ids[at] = id
		o.List = append(o.List, at)
	}
	return id
}

// of returns the obligations of a monitor, ascending.
func (o *obligations) of(index int, owed *declared.Owed) (list []Owed) {
	for _, w := range owed.Waits {
		list = append(list, Owed{o.id(index, w.Key), w.Hot})
	}
	slices.SortFunc(list, func(a, b Owed) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// idsOf returns the numbers of a monitor's keys.
func (o *obligations) idsOf(index int, keys []string) (ids []uint32) {
	for _, key := range keys {
		ids = append(ids, o.id(index, key))
	}
	return ids
}

// Passing accumulates the obligations of a monitor during a step.
type Passing struct {
	Monitor int
	Seen    bool
	Owes    []Owed // not settled at any time in the step; hot if they were hot at some time
}

// Begin begins a step.
func (p *Passing) Begin() {
	if p != nil {
		p.Seen, p.Owes = false, p.Owes[:0]
	}
}

// see records an event of a monitor.
func (p *Passing) see(out *monitorOut, m *monitors, monitor int) {
	if p == nil || p.Monitor != monitor {
		return
	}
	next := m.List[out.next].Owes
	if !p.Seen {
		p.Seen, p.Owes = true, append(p.Owes, next...)
	}
	left := p.Owes[:0]
	for _, o := range p.Owes {
		k, ok := slices.BinarySearchFunc(next, o.ID, func(o Owed, id uint32) int { return cmp.Compare(o.ID, id) })
		if !ok || slices.Contains(out.settled, o.ID) {
			continue
		}
		o.Hot = o.Hot || next[k].Hot || slices.Contains(out.hot, o.ID)
		left = append(left, o)
	}
	p.Owes = left
}

// Marks interns lists of obligations.
type Marks struct {
	ids  map[string]uint32
	List [][]Owed
}

func (m *Marks) Of(list []Owed) uint32 {
	var key []byte
	for _, o := range list {
		b := uint32(0)
		if o.Hot {
			b = 1
		}
		key = binary.LittleEndian.AppendUint32(key, o.ID<<1|b)
	}
	id, ok := m.ids[string(key)]
	if !ok {
		if m.ids == nil {
			m.ids = map[string]uint32{}
		}
		id = uint32(len(m.List))
		m.ids[string(key)] = id
		m.List = append(m.List, slices.Clone(list))
	}
	return id
}

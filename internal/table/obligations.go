package table

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
)

// obligations interns what monitors wait for.
type obligations struct {
	ids  map[obligation]uint32
	list []obligation
}

type obligation struct {
	monitor int
	key     string
}

// owed is an obligation that is not settled.
type owed struct {
	id  uint32
	hot bool
}

func (o *obligations) id(monitor int, key string) uint32 {
	at := obligation{monitor, key}
	id, ok := o.ids[at]
	if !ok {
		if o.ids == nil {
			o.ids = map[obligation]uint32{}
		}
		id = uint32(len(o.list))
		o.ids[at] = id
		o.list = append(o.list, at)
	}
	return id
}

// of lists what a monitor waits for, ascending.
func (o *obligations) of(index int, says *kernel.Owed) (list []owed) {
	for _, w := range says.Waits {
		list = append(list, owed{o.id(index, w.Key), w.Hot})
	}
	slices.SortFunc(list, func(a, b owed) int { return cmp.Compare(a.id, b.id) })
	return list
}

// idsOf lists what the keys of a monitor stand for.
func (o *obligations) idsOf(index int, keys []string) (ids []uint32) {
	for _, key := range keys {
		ids = append(ids, o.id(index, key))
	}
	return ids
}

// passing gathers what a monitor waits for all through a step.
type passing struct {
	monitor int
	seen    bool
	owes    []owed // never settled in the step, hot if they were so at some time
}

// begin begins a step.
func (p *passing) begin() {
	if p != nil {
		p.seen, p.owes = false, p.owes[:0]
	}
}

// see notes that a monitor was told of an event.
func (p *passing) see(out *monitorOut, m *monitors, monitor int) {
	if p == nil || p.monitor != monitor {
		return
	}
	next := m.list[out.next].owes
	if !p.seen {
		p.seen, p.owes = true, append(p.owes, next...)
	}
	left := p.owes[:0]
	for _, o := range p.owes {
		k, ok := slices.BinarySearchFunc(next, o.id, func(o owed, id uint32) int { return cmp.Compare(o.id, id) })
		if !ok || slices.Contains(out.settled, o.id) {
			continue
		}
		o.hot = o.hot || next[k].hot || slices.Contains(out.hot, o.id)
		left = append(left, o)
	}
	p.owes = left
}

// marks interns lists of obligations.
type marks struct {
	ids  map[string]uint32
	list [][]owed
}

func (m *marks) of(list []owed) uint32 {
	var key []byte
	for _, o := range list {
		b := uint32(0)
		if o.hot {
			b = 1
		}
		key = binary.LittleEndian.AppendUint32(key, o.id<<1|b)
	}
	id, ok := m.ids[string(key)]
	if !ok {
		if m.ids == nil {
			m.ids = map[string]uint32{}
		}
		id = uint32(len(m.list))
		m.ids[string(key)] = id
		m.list = append(m.list, slices.Clone(list))
	}
	return id
}

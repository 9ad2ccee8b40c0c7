package fairness

import (
	"math"
	"slices"

	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/table/store"
)

// labels caches the labels of edges by transition and judged monitor.
type labels struct {
	known store.Memo // by transition and monitor: index in list
	list  []label
	asked int // number of label calls
	every int // one in so many states, and more of the first ones, is also labelled by its steps and compared
}

type label struct {
	marks, draws uint32
	actor        uint16
	first        bool // first edge of its event
}

// labelBytes is the approximate memory of a label.
const labelBytes = 16 + 4*16

// compared is the default of labels.every.
const compared = 1 << 10

// recall sets row to the edges of a state, using cached labels of their transitions, given by name. It reports
// whether all labels were cached.
func (b *Builder) recall(state, to, names []uint32) (bool, error) {
	l := &b.labels
	b.row = b.row[:0]
	event := -1
	for t, name := range names {
		at, ok := l.known.Get(b.labelKey(state, name))
		if name == 0 || !ok {
			return false, nil
		}
		is := &l.list[at]
		if is.first {
			event++
		}
		if event > math.MaxUint16 {
			return false, fair.ErrTooLarge
		}
		b.row = append(b.row, fair.Edge{To: b.number(to[t]), Event: uint16(event), Marks: is.marks, Draws: is.draws, Actor: is.actor})
	}
	return true, nil
}

func (b *Builder) labelKey(state []uint32, name uint32) uint64 {
	if b.src.monitor < 0 {
		return uint64(name) << 32
	}
	return uint64(name)<<32 | uint64(state[b.Graph.Configs.Monitors+b.src.monitor])
}

// learn caches the labels of the edges of a state, after walk.
func (b *Builder) learn(state, names []uint32) {
	l := &b.labels
	for t, name := range names {
		key := b.labelKey(state, name)
		if _, ok := l.known.Get(key); ok || name == 0 {
			continue
		}
		e := &b.row[t]
		l.known.Put(key, uint64(len(l.list)))
		l.list = append(l.list, label{e.Marks, e.Draws, e.Actor, t == 0 || b.row[t-1].Event != e.Event})
	}
}

// label sets row to the edges of a state.
func (b *Builder) label(state, to, names []uint32) error {
	b.Graph.WorldVector = state
	known, err := b.recall(state, to, names)
	if err != nil {
		return err
	}
	b.labels.asked++
	if n := b.labels.asked; known && n%b.labels.every != 0 && n&(n-1) != 0 {
		return nil
	}
	recalled := append(b.recalled[:0], b.row...)
	b.recalled = recalled
	if err := b.walk(to); err != nil {
		return err
	}
	if !known {
		b.learn(state, names)
	} else if !slices.EqualFunc(recalled, b.row, Alike(recalled, b.row)) {
		panic("table: the cached label of a transition differs from that of its step")
	}
	return nil
}

// Alike returns a comparison of edges of one state, in order. Event numbers may differ if they group the edges
// alike.
func Alike(a, b []fair.Edge) func(x, y fair.Edge) bool {
	k := 0
	return func(x, y fair.Edge) bool {
		same := k == 0 || (x.Event == a[k-1].Event) == (y.Event == b[k-1].Event)
		k++
		x.Event = y.Event
		return same && x == y
	}
}

func (l *labels) bytes() int { return labelBytes * len(l.list) }

package encoding

import (
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// References calls f once for each piece of memory that v, a value of p's type, refers to and that counts by
// identity: a variable, the array behind a slice, a map, a zone. It skips constants with everything reachable from
// them. It also skips memory that is not encoded, is encoded by a function, or has no size. It panics with an
// [*Error] like [Plan.Append].
func (p *Plan) References(v any, f func(at unsafe.Pointer)) {
	if p.root == nil {
		return
	}
	w := referrer{f: f}
	w.enc.set, w.enc.plan = p.set, p
	var word unsafe.Pointer
	w.visit(p.root, p.open(v, &word))
}

type referrer struct {
	f    func(at unsafe.Pointer)
	enc  Encoder // lists map entries
	seen seen
}

// enter reports memory to f, and returns whether to visit its content.
func (w *referrer) enter(at unsafe.Pointer, of *node, length, capacity int) bool {
	if at == nil || of.size == 0 || w.enc.set.consts.Has(at) {
		return false
	}
	if _, met := w.seen.meet(at, of, length, capacity); met {
		return false
	}
	w.f(at)
	return true
}

func (w *referrer) visit(n *node, p unsafe.Pointer) {
	switch {
	case n.bare:
		return
	case n.how == byInstant:
		w.enter((*instant)(p).zone, n.elem, 0, isOpaque)
		return
	case n.how == byLocation:
		w.enter(*(*unsafe.Pointer)(p), n.elem, 0, isOpaque)
		return
	case n.opaque || n.how == byPosition || n.how == byContent:
		return
	}
	switch n.kind {
	case reflect.Struct:
		for _, f := range n.fields {
			w.visit(f.n, unsafe.Add(p, f.off))
		}
	case reflect.Pointer:
		if at := *(*unsafe.Pointer)(p); w.enter(at, n.elem, 1, isVariable) {
			w.visit(n.elem, at)
		}
	case reflect.Array:
		w.elements(n.elem, p, n.count)
	case reflect.Slice:
		s := (*memory.Slice)(p)
		if s.Cap > 0 && w.enter(s.Data, n.elem, s.Len, s.Cap) {
			w.elements(n.elem, s.Data, w.enc.set.countedLen(*s))
		}
	case reflect.Map:
		m := *(*unsafe.Pointer)(p)
		if !w.enter(m, n.common, 0, isMap) {
			return
		}
		base := len(w.enc.entries)
		w.enc.list(n, m)
		for i := base; i < base+memory.MapLen(p); i++ {
			x := w.enc.entries[i]
			w.visit(n.key, x.key)
			w.visit(n.elem, x.elem)
		}
		w.enc.pop(base, 0)
	case reflect.Interface:
		if v := load(n, p); v != nil {
			pl, err := w.enc.set.Of(v)
			if err != nil {
				panic(err)
			}
			var word unsafe.Pointer
			w.visit(pl.root, pl.open(v, &word))
		}
	}
}

func (w *referrer) elements(elem *node, p unsafe.Pointer, count int) {
	for i := range count {
		w.visit(elem, unsafe.Add(p, uintptr(i)*elem.size))
	}
}

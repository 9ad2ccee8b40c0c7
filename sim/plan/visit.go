package plan

import (
	"reflect"
	"unsafe"
)

// Visit calls f with a pointer to each value of type t inside v, a value of p's type, in canonical
// order, and once each, however often it is referred to. What is not encoded, or encoded by the
// function of a rule, is not looked into. Map keys are visited like all else but must not be
// written through the pointer; nor must values in interfaces, which may be shared.
func (p *Plan) Visit(v any, t reflect.Type, f func(ptr unsafe.Pointer)) {
	if p.root == nil {
		return
	}
	w := visitor{t: t, f: f}
	if p.shares {
		told := map[unsafe.Pointer]bool{}
		w.f = func(ptr unsafe.Pointer) {
			if !told[ptr] {
				told[ptr] = true
				f(ptr)
			}
		}
	}
	w.enc.set, w.enc.plan = p.set, p
	var word unsafe.Pointer
	w.visit(p.root, p.open(v, &word))
}

type visitor struct {
	t    reflect.Type
	f    func(unsafe.Pointer)
	enc  Encoder // orders map entries
	seen seen
}

func (w *visitor) visit(n *node, p unsafe.Pointer) {
	if n.typ == w.t {
		w.f(p)
	}
	if n.opaque || n.how == byPosition || n.how == byInstant || n.how == byLocation {
		return
	}
	switch n.kind {
	case reflect.Struct:
		for _, f := range n.fields {
			w.visit(f.n, unsafe.Add(p, f.off))
		}
		if n.how == byContent && *(*unsafe.Pointer)(p) != nil {
			w.visit(n.elem, *(*unsafe.Pointer)(p))
		}
	case reflect.Pointer:
		at := *(*unsafe.Pointer)(p)
		if at == nil {
			return
		}
		if n.elem.size > 0 {
			if _, met := w.seen.meet(at, n.elem, 1, isVariable); met {
				return
			}
		}
		w.visit(n.elem, at)
	case reflect.Array:
		w.elements(n.elem, p, n.count)
	case reflect.Slice:
		s := (*sliceHeader)(p)
		if s.cap > 0 && n.elem.size > 0 {
			if _, met := w.seen.meet(s.data, n.elem, s.len, s.cap); met {
				return
			}
		}
		w.elements(n.elem, s.data, s.len)
	case reflect.Map:
		m := *(*unsafe.Pointer)(p)
		if m == nil {
			return
		}
		if _, met := w.seen.meet(m, n.twin, 0, isMap); met {
			return
		}
		e := &w.enc
		base, keys := len(e.entries), len(e.keys)
		if why := e.push(n, m); why != nil {
			panic(why.whole(e.plan.root.typ))
		}
		for i := base; i < base+mapLen(p); i++ {
			x := e.entries[i]
			w.visit(n.key, x.key)
			w.visit(n.elem, x.elem)
		}
		e.pop(base, keys)
	case reflect.Interface:
		if v := load(n, p); v != nil {
			pl := w.enc.set.must(v)
			var word unsafe.Pointer
			w.visit(pl.root, pl.open(v, &word))
		}
	}
}

func (w *visitor) elements(elem *node, p unsafe.Pointer, count int) {
	for i := range count {
		w.visit(elem, unsafe.Add(p, uintptr(i)*elem.size))
	}
}

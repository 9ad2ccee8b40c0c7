package encoding

import (
	"reflect"
	"time"
	"unsafe"
)

var locationType = reflect.TypeFor[time.Location]()

// instant is the memory layout of a time.Time. wall and ext are a function of the time and its monotonic reading.
type instant struct {
	wall uint64
	ext  int64
	zone unsafe.Pointer
}

// instant makes the node of time.Time. Its element is the node of time.Location.
func (c *compiler) instant(n *node) *unsupportedType {
	t, as := n.typ, reflect.TypeFor[instant]()
	known := t.NumField() == as.NumField() && t.Field(2).Type == reflect.PointerTo(locationType)
	for i := 0; known && i < as.NumField(); i++ {
		f, g := t.Field(i), as.Field(i)
		known = f.Offset == g.Offset && f.Type.Size() == g.Type.Size()
	}
	if !known {
		return refuse(t, "this release of Go keeps times in another way")
	}
	if n.how, n.prog = byInstant, []leaf{{op: opInstant, of: n}}; c.set.rules.Apart {
		n.fixes = n.prog
	}
	return c.element(n, locationType, "")
}

// location makes the node of time.Location: its name and its offsets over time, without the cache of the last
// look-up.
func (c *compiler) location(n *node) *unsupportedType {
	for _, name := range []string{"name", "zone", "tx", "extend"} {
		f, ok := n.typ.FieldByName(name)
		if !ok {
			return refuse(n.typ, "this release of Go keeps zones in another way")
		}
		m, why := c.node(f.Type)
		if why != nil {
			return why
		}
		c.addField(n, f, m)
	}
	n.fixes = nil
	return nil
}

// location encodes a zone: nil, a constant by its name, another one by its content. Zones are the same if their
// pointers are equal, as == on times requires.
func (e *Encoder) location(n *node, p unsafe.Pointer, dst []byte) []byte {
	if p == nil {
		return append(dst, 0)
	}
	if e.track {
		if pos, met := e.again(p, n, 0, isOpaque, dst); met {
			return appendUint(dst, uint64(pos)+3)
		}
	}
	constant := e.set.consts.Has(p)
	switch {
	case constant && !e.set.rules.Across:
		return e.set.consts.Append(append(dst, 2), p)
	case constant && p == unsafe.Pointer(time.Local): // its content is loaded late, and differs between machines
		return append(dst, 2)
	case e.inKey && !constant:
		e.fail(refuse(n.typ, "times in map keys are compared by the identity of their zone: use UTC, or a number"))
	}
	track := e.track
	e.track = false // nothing else can point into it
	dst = e.run(n.prog, p, append(dst, 1))
	e.track = track
	return dst
}

// zone copies the zone at p, of n's type, unless it is a constant. The parts of a zone are never changed.
func (c *copier) zone(n *node, p unsafe.Pointer) unsafe.Pointer {
	if p == nil || c.set.consts.Has(p) {
		return p
	}
	made := new(time.Location)
	if c.track {
		o, _ := c.seen.meet(p, n, 0, isOpaque)
		if o.done {
			return o.copied
		}
		o.copied, o.done = unsafe.Pointer(made), true
	}
	*made = *(*time.Location)(p)
	return unsafe.Pointer(made)
}

package encoding

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// Copy returns a deep copy of v, a value of p's type. It panics with an [*Error] if the type is not copyable, or if
// an interface in v holds a value that is not.
func (p *Plan) Copy(v any) any {
	if p.uncopied != nil {
		panic(p.uncopied)
	}
	if p.root == nil || p.root.flat() {
		return v
	}
	c := &p.set.copier
	p.open(v, &c.word)
	c.begin(p, v)
	defer c.end()
	made := c.box(p, v)
	together := p.shares && c.seen.overlap()
	if together {
		c.allocateTogether()
	}
	for together || c.late {
		together, c.late = false, false
		c.again()
		made = c.box(p, v)
	}
	return made
}

// copier makes one copy. Memory with several references is recorded in seen and copied once. If the walk finds
// overlaps, each overlapping group is allocated in one piece, and the walk is repeated.
type copier struct {
	set     *Set
	plan    *Plan
	value   any
	track   bool
	late    bool // something was copied before it was found to belong to a constant
	seen    seen
	entries Encoder // lists maps
	word    unsafe.Pointer
	to      memory.Slice // arguments of reflect.Copy
	from    memory.Slice
}

func (c *copier) begin(p *Plan, v any) {
	c.set, c.plan, c.value, c.track, c.late = p.set, p, v, p.shares, false
	c.entries.set = p.set
}

func (c *copier) end() {
	c.value, c.word, c.to, c.from = nil, nil, memory.Slice{}, memory.Slice{}
	c.entries.pop(0, 0)
	if c.track {
		c.seen.reset()
	}
}

func (c *copier) fail(why *unsupportedType) {
	why.path = joinPath(locate(c.plan, c.value, toCopy), why.path)
	panic(why.whole(c.plan.root.typ))
}

// box copies the value in an interface.
func (c *copier) box(p *Plan, v any) any {
	e := (*memory.Interface)(unsafe.Pointer(&v))
	if p.root.flat() {
		return v
	}
	if p.root.direct {
		from, to := e.Data, e.Data
		c.fix(p.root.fixes, unsafe.Pointer(&to), unsafe.Pointer(&from))
		return memory.Assemble(e.Word, to)
	}
	to := allocate(p.root)
	c.fill(p.root, to, e.Data)
	return memory.Assemble(e.Word, to)
}

// fill copies the value of n's type at from to the new memory at to.
func (c *copier) fill(n *node, to, from unsafe.Pointer) {
	assign(n, to, from)
	c.fix(n.fixes, to, from)
}

// fix completes a copy made by assignment, which refers to the original's memory.
func (c *copier) fix(prog []leaf, to, from unsafe.Pointer) {
	for i := range prog {
		l := &prog[i]
		to, from := unsafe.Add(to, l.off), unsafe.Add(from, l.off)
		switch l.op {
		case opPointer:
			if p := *(*unsafe.Pointer)(from); p != nil && !(l.of.immutable && c.immutable(l.of, p)) {
				*(*unsafe.Pointer)(to) = c.variable(l.of.elem, p)
			}
		case opSlice:
			if s := *(*memory.Slice)(from); s.Data != nil {
				*(*memory.Slice)(to) = c.slice(l.of, s)
			}
		case opMap:
			if m := *(*unsafe.Pointer)(from); m != nil {
				*(*unsafe.Pointer)(to) = c.mapping(l.of, m)
			}
		case opInterface:
			if v := load(l.of, from); v != nil {
				v = c.box(c.planOf(v), v)
				(*memory.Interface)(to).Data = (*memory.Interface)(unsafe.Pointer(&v)).Data
			}
		case opArray:
			for j := range uintptr(l.of.count) {
				off := j * l.of.elem.size
				c.fix(l.of.elem.fixes, unsafe.Add(to, off), unsafe.Add(from, off))
			}
		case opFunction:
			c.byFunction(l.of, to, from)
		case opInstant:
			(*instant)(to).zone = c.zone(l.of.elem, (*instant)(from).zone)
		case opLocation:
			*(*unsafe.Pointer)(to) = c.zone(l.of.elem, *(*unsafe.Pointer)(from))
		}
	}
}

func (c *copier) planOf(v any) *Plan {
	p, err := c.set.Of(v)
	if err != nil {
		c.fail(unsupportedTypeOf(err))
	}
	if p.uncopied != nil {
		c.fail(unsupportedTypeOf(p.uncopied))
	}
	return p
}

// variable copies the variable at p.
func (c *copier) variable(n *node, p unsafe.Pointer) unsafe.Pointer {
	if n.size == 0 {
		return p
	}
	if c.set.consts.Has(p) {
		c.keep(n, p)
		return p
	}
	if !c.track {
		to := allocate(n)
		c.fill(n, to, p)
		return to
	}
	o, _ := c.seen.meet(p, n, 1, isVariable)
	if o.copied == nil {
		o.copied = allocate(n)
	}
	to := o.copied
	if !o.done {
		o.done = true
		if o.together {
			c.fix(n.fixes, to, p)
		} else {
			c.fill(n, to, p)
		}
	}
	return to
}

func (c *copier) slice(n *node, s memory.Slice) memory.Slice {
	elem := n.elem
	if s.Cap == 0 || elem.size == 0 {
		return s // it has no memory
	}
	if c.set.consts.Has(s.Data) {
		c.keepSlice(n, s)
		return s
	}
	if !c.track {
		capacity := c.set.countedLen(s)
		to := allocateSlice(n, capacity)
		c.fillSlice(n, to, s)
		return memory.Slice{Data: to, Len: s.Len, Cap: capacity}
	}
	o, _ := c.seen.meet(s.Data, elem, s.Len, s.Cap)
	capacity := s.Cap // for memory allocated together, and for constants
	if !o.together && !o.kept {
		capacity = c.set.countedLen(s)
		if o.copied == nil {
			o.copied = allocateSlice(n, capacity)
		}
	}
	to := o.copied
	if !o.done {
		o.done = true
		if o.together {
			c.fixSlice(n, to, s)
		} else {
			c.fillSlice(n, to, s)
		}
	}
	return memory.Slice{Data: to, Len: s.Len, Cap: capacity}
}

func (c *copier) fillSlice(n *node, to unsafe.Pointer, s memory.Slice) {
	elem, count := n.elem, c.set.countedLen(s)
	if elem.bare {
		size := uintptr(count) * elem.size
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(s.Data), size))
	} else {
		c.to, c.from = memory.Slice{Data: to, Len: count, Cap: count}, memory.Slice{Data: s.Data, Len: count, Cap: count}
		reflect.Copy(n.value(unsafe.Pointer(&c.to)), n.value(unsafe.Pointer(&c.from)))
	}
	c.fixSlice(n, to, s) // values without pointers may have a CopyBy rule, too
}

func (c *copier) fixSlice(n *node, to unsafe.Pointer, s memory.Slice) {
	elem := n.elem
	if len(elem.fixes) == 0 {
		return
	}
	for i := range uintptr(c.set.countedLen(s)) {
		c.fix(elem.fixes, unsafe.Add(to, i*elem.size), unsafe.Add(s.Data, i*elem.size))
	}
}

func (c *copier) mapping(n *node, m unsafe.Pointer) unsafe.Pointer {
	if c.track {
		if o, met := c.seen.meet(m, n.common, 0, isMap); met && o.done {
			return o.copied
		}
	}
	to := reflect.MakeMapWithSize(n.typ, memory.MapLen(unsafe.Pointer(&m)))
	if c.track {
		o, _ := c.seen.meet(m, n.common, 0, isMap)
		o.copied, o.done = to.UnsafePointer(), true
	}
	if len(n.elem.fixes) == 0 {
		for key, elem := range c.entries.each(n, m) {
			to.SetMapIndex(n.key.value(key), n.elem.value(elem))
		}
		return to.UnsafePointer()
	}
	base := len(c.entries.entries)
	c.entries.list(n, m) // the calls below may list other maps
	made := reflect.New(n.elem.typ).Elem()
	for i := base; i < len(c.entries.entries); i++ {
		x := c.entries.entries[i]
		c.fill(n.elem, made.Addr().UnsafePointer(), x.elem)
		to.SetMapIndex(n.key.value(x.key), made)
	}
	c.entries.pop(base, 0)
	return to.UnsafePointer()
}

// byFunction copies by a CopyBy rule.
func (c *copier) byFunction(n *node, to, from unsafe.Pointer) {
	var at unsafe.Pointer
	if n.kind == reflect.Pointer {
		if at = *(*unsafe.Pointer)(from); at == nil {
			return
		}
		if c.track {
			if o, _ := c.seen.meet(at, n, 1, isOpaque); o.done {
				*(*unsafe.Pointer)(to) = o.copied
				return
			}
		}
	}
	if c.set.Calls != nil {
		c.set.copy(n, to, from)
	} else {
		n.copy(to, from)
	}
	if at != nil && c.track {
		o, _ := c.seen.meet(at, n, 1, isOpaque)
		o.copied, o.done = *(*unsafe.Pointer)(to), true
	}
}

// allocateTogether allocates one new piece of memory for each group of overlapping objects, with the layout of the
// original.
func (c *copier) allocateTogether() {
	s := &c.seen
	for _, g := range s.clusters() {
		if slices.ContainsFunc(g, func(i int) bool { return s.list[i].kept }) {
			for _, i := range g {
				o := &s.list[i]
				o.copied, o.done, o.kept = o.at, true, true
			}
			continue
		}
		// The memory consists of the largest type among the members. The others are parts of it.
		var base reflect.Type
		for _, i := range g {
			if t := stripArrays(s.list[i].of.typ); base == nil || t.Size() > base.Size() {
				base = t
			}
		}
		low, high := ^uintptr(0), uintptr(0)
		for _, i := range g {
			o := &s.list[i]
			low = min(low, uintptr(o.at))
			high = max(high, uintptr(o.at)+o.bytes())
		}
		for _, i := range g {
			o := &s.list[i]
			if stripArrays(o.of.typ) == base && (uintptr(o.at)-low)%base.Size() != 0 || (high-low)%base.Size() != 0 {
				c.fail(&unsupportedType{part: o.of.typ, verb: "copied", hint: "memory is shared in a way that cannot be rebuilt"})
			}
		}
		count := int((high - low) / base.Size())
		room := reflect.MakeSlice(reflect.SliceOf(base), count, count).UnsafePointer()
		for _, i := range g {
			o := &s.list[i]
			o.copied, o.together = unsafe.Add(room, uintptr(o.at)-low), true
			c.assignAll(o)
		}
	}
}

// assignAll copies the content of an object by assignment, before anything in its memory is fixed. Otherwise an
// overlapping object would undo the fixes.
func (c *copier) assignAll(o *object) {
	switch {
	case o.cap == isVariable:
		assign(o.of, o.copied, o.at)
	case o.of.bare:
		size := uintptr(c.set.countedLen(memory.Slice{Data: o.at, Len: o.len, Cap: o.cap})) * o.of.size
		copy(unsafe.Slice((*byte)(o.copied), size), unsafe.Slice((*byte)(o.at), size))
	default:
		count := c.set.countedLen(memory.Slice{Data: o.at, Len: o.len, Cap: o.cap})
		c.to, c.from = memory.Slice{Data: o.copied, Len: count, Cap: count}, memory.Slice{Data: o.at, Len: count, Cap: count}
		typ := reflect.SliceOf(o.of.typ)
		reflect.Copy(reflect.NewAt(typ, unsafe.Pointer(&c.to)).Elem(), reflect.NewAt(typ, unsafe.Pointer(&c.from)).Elem())
	}
}

// again prepares another walk, which uses the overlaps and constants that are known by then.
func (c *copier) again() {
	for i := range c.seen.list {
		o := &c.seen.list[i]
		switch {
		case o.kept:
		case o.together:
			o.done = false
		default:
			o.copied, o.done = nil, false
		}
	}
}

// allocate allocates a zero variable of n's type.
func allocate(n *node) unsafe.Pointer {
	if n.bare {
		return bareMemory(n.size)
	}
	return reflect.New(n.typ).UnsafePointer()
}

// allocateSlice allocates the array behind a slice of type n.
func allocateSlice(n *node, length int) unsafe.Pointer {
	if n.elem.bare {
		return bareMemory(uintptr(length) * n.elem.size)
	}
	return reflect.MakeSlice(n.typ, length, length).UnsafePointer()
}

// bareMemory allocates zero memory for values without pointers, aligned for all of them.
func bareMemory(size uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, (size+7)/8)))
}

// assign copies a value of n's type as an assignment does.
func assign(n *node, to, from unsafe.Pointer) {
	switch {
	case n.bare:
		copy(unsafe.Slice((*byte)(to), n.size), unsafe.Slice((*byte)(from), n.size))
	case n.direct:
		*(*unsafe.Pointer)(to) = *(*unsafe.Pointer)(from)
	default:
		reflect.NewAt(n.typ, to).Elem().Set(n.value(from))
	}
}

package encoding

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/encoding/typeinfo"
	"github.com/macemc/macemc/macetime"
)

// selfEncoder is the hook for a hand-written encoding.
type selfEncoder interface {
	AppendState(dst []byte) []byte
}

var (
	selfEncoderType = reflect.TypeFor[selfEncoder]()
	positionType    = reflect.TypeFor[macetime.Time]()
	builderType     = reflect.TypeFor[strings.Builder]()
	instantType     = reflect.TypeFor[time.Time]()
	durationType    = reflect.TypeFor[time.Duration]()
	errorType       = reflect.TypeFor[error]()
)

// volatile lists types with content that differs between runs of equal behavior.
var volatile = map[string]string{
	"sync.Map":  "its content has no canonical form; use a plain map, handlers run one at a time",
	"sync.Pool": "its content depends on the garbage collector",
	"sync.Cond": "it waits for other goroutines, and handlers run one at a time",
}

// compiler makes the nodes of one type. It drops them if the type is unsupported.
type compiler struct {
	set  *Set
	made []reflect.Type
}

func (c *compiler) rollback(to int) {
	for _, t := range c.made[to:] {
		if n := c.set.nodes[t]; n.kind == reflect.Map {
			c.set.maps = slices.DeleteFunc(c.set.maps, func(m *node) bool { return m == n })
		}
		delete(c.set.nodes, t)
	}
	c.made = c.made[:to]
}

// node returns the node of t. While t is being compiled, its node is registered but incomplete.
func (c *compiler) node(t reflect.Type) (*node, *unsupportedType) {
	if n := c.set.nodes[t]; n != nil {
		return n, nil
	}
	n := &node{typ: t, kind: t.Kind(), size: t.Size(), bare: memory.Bare(t)}
	n.word, n.direct = memory.WordOf(t)
	n.methods = n.kind == reflect.Interface && t.NumMethod() > 0
	c.set.nodes[t] = n
	c.made = append(c.made, t)
	if why := c.fill(n); why != nil {
		return nil, why
	}
	if len(n.prog) == 1 && n.prog[0].op <= opString && n.prog[0].off == 0 &&
		uintptr(n.prog[0].n)*widths[n.prog[0].op] == n.size {
		n.dense = n.prog[0]
	}
	return n, nil
}

func (c *compiler) fill(n *node) *unsupportedType {
	rs := c.set.rules
	if r := rs.Show.Of(n.typ); r != nil {
		n.show = r.ShowBoxed
	}
	switch r := rs.Encode.Of(n.typ); {
	case r != nil:
		n.how, n.opaque = byFunction, true
		if r.Typ == n.typ {
			n.encodeAt = r.EncodeAt
		} else {
			n.encodeBoxed = r.EncodeBoxed
		}
		n.prog = []leaf{{op: opFunction, of: n}}
		if !n.bare {
			n.uncopied = &unsupportedType{part: n.typ, verb: "copied", hint: "it is encoded by a function"}
		}
	case hooked(n.typ):
		mark := len(c.made)
		if why := c.structure(n); why != nil {
			c.rollback(mark)
			n.opaque, n.fields, n.elem, n.key, n.fixes = true, nil, nil, nil, nil
			why.verb, why.hint = "copied", ""
			n.uncopied = why
		}
		n.how, n.pointerTo = byHook, memory.TypeWord(reflect.Zero(reflect.PointerTo(n.typ)).Interface())
		n.prog = []leaf{{op: opHook, of: n}}
	default:
		if why := c.structure(n); why != nil {
			return why
		}
	}
	if r := rs.Copying.Of(n.typ); r != nil {
		n.uncopied = nil
		n.fixes = []leaf{{op: opFunction, of: n}}
		if r.Typ == n.typ {
			n.copyAt = r.CopyAt
		} else {
			n.copyBoxed = r.CopyBoxed
		}
	}
	return nil
}

// structure fills in the node's parts that follow from the structure of its type.
func (c *compiler) structure(n *node) *unsupportedType {
	t := n.typ
	if hint, ok := volatile[typeinfo.Name(t)]; ok {
		return refuse(t, hint)
	}
	if o, run := scalarOp(t); o != opNone {
		n.prog = []leaf{{op: o, n: run, of: n}}
		return nil
	}
	one := func(o op) []leaf { return []leaf{{op: o, of: n}} }
	switch n.kind {
	case reflect.Struct:
		switch {
		case t == positionType:
			n.how, n.prog = byPosition, one(opPosition)
			return nil
		case t == instantType:
			return c.instant(n)
		case t == locationType:
			return c.location(n)
		case t.PkgPath() == "unique" && strings.HasPrefix(t.Name(), "Handle["):
			of := t.Field(0).Type.Elem()
			if !equalAlike(of) {
				return refuse(t, "it is a handle of what may look alike and not be equal: pointers, floats or interfaces")
			}
			n.how, n.prog = byContent, one(opContent)
			return c.element(n, of, "")
		}
		return c.structFields(n)
	case reflect.Array:
		n.count = t.Len()
		if n.size == 0 {
			n.count, n.opaque = 0, true // elements without size need no treatment
			return nil
		}
		if why := c.element(n, t.Elem(), "[]"); why != nil {
			return why
		}
		if d := n.elem.dense; d.op != opNone {
			n.prog = []leaf{{op: d.op, n: d.n * n.count, of: n.elem}}
		} else if len(n.elem.prog) > 0 {
			n.prog = one(opArray)
		}
		if len(n.elem.fixes) > 0 {
			n.fixes = one(opArray)
		}
		return nil
	case reflect.Pointer:
		n.prog, n.fixes = one(opPointer), one(opPointer)
		if why := c.element(n, t.Elem(), ""); why != nil {
			return why
		}
		switch {
		case t.Elem() == locationType:
			if n.how, n.prog, n.fixes = byLocation, one(opLocation), nil; c.set.rules.Apart {
				n.fixes = n.prog
			}
		case libraryError(t) && !c.set.rules.Apart:
			if n.immutable = true; n.elem.flat() {
				n.fixes = nil
			}
		}
		return nil
	case reflect.Slice:
		n.prog, n.fixes = one(opSlice), one(opSlice)
		return c.element(n, t.Elem(), "[]")
	case reflect.Map:
		n.prog, n.fixes = one(opMap), one(opMap)
		return c.mapParts(n)
	case reflect.Interface:
		n.prog, n.fixes = one(opInterface), one(opInterface)
		return nil
	}
	return refuse(t, "")
}

// equalAlike reports whether values of a comparable type are equal if and only if they have the same content.
func equalAlike(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return equalAlike(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !equalAlike(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.String, reflect.Bool:
		return true
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr
}

func (c *compiler) element(n *node, t reflect.Type, brackets string) *unsupportedType {
	var why *unsupportedType
	if n.elem, why = c.node(t); why != nil {
		return why.inside(brackets)
	}
	return nil
}

func (c *compiler) mapParts(n *node) *unsupportedType {
	var why *unsupportedType
	if n.key, why = c.node(n.typ.Key()); why != nil {
		return why.inside("[key]")
	}
	if bad := unordered(n.key); bad != nil {
		return refuse(bad.typ, keyHint(bad)).inside("[key]")
	}
	if k := n.key.kind; n.key.how == structural && (k <= reflect.Uintptr || k == reflect.String) {
		n.keys, _ = scalarOp(n.typ.Key())
		n.signed = k >= reflect.Int && k <= reflect.Int64
	}
	if why := c.element(n, n.typ.Elem(), "[]"); why != nil {
		return why
	}
	return c.joinMaps(n)
}

// unordered returns a part of a map key that has no canonical order, or nil.
func unordered(key *node) *node {
	switch key.how {
	case byPosition, byLocation:
		return key
	case byFunction, byHook, byInstant:
		return nil
	}
	switch key.kind {
	case reflect.Pointer:
		return key
	case reflect.Struct:
		for _, f := range key.fields {
			if bad := unordered(f.n); bad != nil {
				return bad
			}
		}
	case reflect.Array:
		if key.elem != nil {
			return unordered(key.elem)
		}
	}
	return nil
}

func keyHint(bad *node) string {
	if bad.how == byPosition {
		return "times have no order of their own, so they cannot be map keys"
	}
	return "pointers have no canonical order, so they cannot be map keys; use a name or number"
}

func (c *compiler) structFields(n *node) *unsupportedType {
	for i := range n.typ.NumField() {
		f := n.typ.Field(i)
		if f.Name == "_" {
			continue
		}
		given := c.set.rules.Fields[rule.FieldRef{In: n.typ, Index: i}]
		tag, tagged := f.Tag.Lookup("macemc")
		switch {
		case tagged && tag != "-":
			return refuse(f.Type, fmt.Sprintf("the tag macemc:%q is unknown, only macemc:\"-\" has a meaning", tag)).
				under(n.typ, f.Name)
		case tagged || given == rule.Ignored:
			c.leaveOut(n, f, given == rule.Ignored)
			continue
		case given == rule.ByName:
			m := &node{typ: f.Type, kind: reflect.Func, size: f.Type.Size(), how: byName, opaque: true}
			m.prog = []leaf{{op: opName, of: m}}
			m.uncopied = &unsupportedType{part: f.Type, verb: "copied", hint: "it is a function"}
			c.addField(n, f, m)
			continue
		}
		m, why := c.node(f.Type)
		if why != nil {
			return why.under(n.typ, f.Name)
		}
		if n.typ == builderType && m.kind == reflect.Slice {
			m = unwritten(m)
		}
		c.addField(n, f, m)
	}
	return nil
}

// unwritten returns a slice type that ignores the memory beyond the length. That memory cannot be read, and Grow of
// strings.Builder leaves its previous content there.
func unwritten(of *node) *node {
	n := *of
	n.unwritten = true
	n.prog = []leaf{{op: opSlice, of: &n}}
	n.fixes = []leaf{{op: opSlice, of: &n}}
	return &n
}

func (c *compiler) addField(n *node, f reflect.StructField, m *node) {
	n.fields = append(n.fields, field{f.Name, f.Offset, m})
	n.prog = emit(n.prog, f.Offset, m.prog...)
	n.fixes = emit(n.fixes, f.Offset, m.fixes...)
}

// leaveOut decides how an unencoded field is copied: shallowly, unless a rule copies its type. If a shallow copy
// would tie the copy to the original, the type is not copyable.
func (c *compiler) leaveOut(n *node, f reflect.StructField, foreign bool) {
	if r := c.set.rules.Copying.Exact[f.Type]; r != nil {
		m := &node{typ: f.Type, kind: f.Type.Kind(), size: f.Type.Size(), copyAt: r.CopyAt}
		m.word, m.direct = memory.WordOf(f.Type)
		n.fixes = emit(n.fixes, f.Offset, leaf{op: opFunction, of: m})
		return
	}
	if n.uncopied == nil && (foreign && !memory.Bare(f.Type) || holdsCode(f.Type)) {
		n.uncopied = (&unsupportedType{part: f.Type, verb: "copied"}).under(n.typ, f.Name)
	}
}

// holdsCode reports whether values of type t themselves are or contain functions or channels.
func holdsCode(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() > 0 && holdsCode(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsCode(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// hooked reports whether t encodes itself. A method promoted from an embedded field does not count, because it would
// omit all other fields.
func hooked(t reflect.Type) bool {
	if k := t.Kind(); k == reflect.Interface || k == reflect.Pointer || !reflect.PointerTo(t).Implements(selfEncoderType) {
		return false // a pointer type has no methods of its own
	}
	with := t
	if !t.Implements(selfEncoderType) {
		with = reflect.PointerTo(t)
	}
	m, _ := with.MethodByName("AppendState")
	return t.Kind() != reflect.Struct || !embedsHook(t) || !isWrapper(m)
}

func embedsHook(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && (f.Type.Implements(selfEncoderType) || reflect.PointerTo(f.Type).Implements(selfEncoderType)) {
			return true
		}
	}
	return false
}

// isWrapper reports whether the compiler generated the method for promotion.
func isWrapper(m reflect.Method) bool {
	pc := m.Func.Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return file == "<autogenerated>"
}

package encoding

import (
	"cmp"
	"fmt"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/encoding/typeinfo"
)

// Fields appends the fields of v, a value of p's type: one for each part without parts of its own, in canonical
// order. Paths such as "peers[3].addr" start with prefix. Pointers are followed. A second reference to the same
// memory is shown as "-> " and the path of the first. The value in an interface is under "path.(Type)". Empty slices
// and maps are "[]" and "map[]". Enumerations are shown by the names from their String methods. An unsupported part
// is shown as a type in parentheses.
func (p *Plan) Fields(prefix string, v any, buf []diff.Field) []diff.Field {
	r := newRenderer(p)
	r.out = buf
	return r.listAll(p, prefix, v)
}

// listAll appends the fields of v, a value of p's type.
func (r *renderer) listAll(p *Plan, prefix string, v any) []diff.Field {
	r.listing, r.home = true, homeOf(p.root)
	if p.root == nil {
		r.leaf(prefix, "nil")
		return r.out
	}
	var word unsafe.Pointer
	r.fields(p.root, p.open(v, &word), prefix)
	r.sharing()
	return r.out
}

// renderer renders the fields and texts of one value.
type renderer struct {
	set     *Set
	track   bool
	enc     *Encoder // orders map entries, numbers times; nil until needed, see encoder
	seen    seen
	paths   []string // of the visited objects; in texts their numbers
	places  int      // number of pointers, slices and maps so far in a text
	names   bool     // in texts, for people
	listing bool     // fields
	out     []diff.Field
	home    string // the module of the whole value; empty if unknown, or if nothing is foreign to it
	inside  string // as in Field

	passOver func(path string, elem *node, s *memory.Slice) int // first elements of a plain slice to show as one field; nil means none

	stopAt purpose // stop at the first part that does not support it
	path   string  // of that part
}

func newRenderer(p *Plan) *renderer {
	return &renderer{set: p.set, track: p.shares}
}

func (r *renderer) encoder() *Encoder {
	if r.enc == nil {
		r.enc = &Encoder{set: r.set, plan: r.set.null} // without a value, a failure does not search for a path
	}
	return r.enc
}

// refused is the panic with which a renderer stops at an unsupported part.
type refused struct{}

// purpose is the intended use of a part of a value.
type purpose uint8

const (
	toShow purpose = iota
	toEncode
	toCopy
)

// locate returns the path of the first part of v that cannot be encoded, or copied.
func locate(p *Plan, v any, to purpose) (path string) {
	r := newRenderer(p)
	r.stopAt = to
	defer func() {
		if _, ok := recover().(refused); ok {
			path = r.path
		}
	}()
	var word unsafe.Pointer
	r.fields(p.root, p.open(v, &word), "")
	return ""
}

func (r *renderer) stop(path string) {
	if r.stopAt != toShow {
		r.path = path
		panic(refused{})
	}
}

func (r *renderer) leaf(path, text string) {
	r.out = append(r.out, diff.Field{Path: path, Value: text, Inside: r.inside})
}

// met returns the name of an object that was visited before. Otherwise it records the name.
func (r *renderer) met(at unsafe.Pointer, of *node, length, capacity int, name string) (first string, met bool) {
	if !r.track {
		return "", false
	}
	o, met := r.seen.meet(at, of, length, capacity)
	if met {
		return r.paths[o.pos], true
	}
	o.pos = len(r.paths)
	r.paths = append(r.paths, name)
	return "", false
}

func (r *renderer) fields(n *node, p unsafe.Pointer, path string) {
	if n.show != nil || n.opaque || n.how == byPosition || n.how == byInstant || n.how == byLocation {
		r.leaf(path, r.text(n, p))
		return
	}
	switch n.kind {
	case reflect.Struct:
		if n.how == byContent {
			r.target(n, *(*unsafe.Pointer)(p), path)
			return
		}
		outer := r.inside
		for _, f := range n.fields {
			if f.n.size > 0 {
				if outer == "" && !ast.IsExported(f.name) && r.foreign(n.typ) {
					r.inside = path
				}
				r.fields(f.n, unsafe.Add(p, f.off), joinPath(path, f.name))
				r.inside = outer
			}
		}
	case reflect.Pointer:
		at := *(*unsafe.Pointer)(p)
		if at != nil && n.elem.size > 0 {
			if first, met := r.met(at, n.elem, 1, isVariable, path); met {
				r.leaf(path, "-> "+cmp.Or(first, "the whole"))
				return
			}
		}
		r.target(n, at, path)
	case reflect.Array:
		if isBytes(n) {
			r.leaf(path, r.text(n, p))
			return
		}
		r.elements(n.elem, p, 0, n.count, path)
	case reflect.Slice:
		s := (*memory.Slice)(p)
		if s.Cap > 0 && n.elem.size > 0 {
			if first, met := r.met(s.Data, n.elem, s.Len, s.Cap, path); met {
				r.leaf(path, "-> "+first)
				return
			}
		}
		if s.Len == 0 || isBytes(n) {
			r.leaf(path, r.sliceBody(n, s))
			return
		}
		from := 0
		if r.passOver != nil && n.elem.size > 0 && n.elem.plain() {
			if from = r.passOver(path, n.elem, s); from > 0 {
				r.leaf(path+"[0]", "")
			}
		}
		r.elements(n.elem, s.Data, from, s.Len, path)
	case reflect.Map:
		if m := *(*unsafe.Pointer)(p); m != nil {
			if first, met := r.met(m, n.common, 0, isMap, path); met {
				r.leaf(path, "-> "+first)
				return
			}
		}
		if memory.MapLen(p) == 0 {
			r.leaf(path, r.mapBody(n, p))
			return
		}
		r.entries(n, *(*unsafe.Pointer)(p), path)
	case reflect.Interface:
		r.boxedFields(load(n, p), path)
	default:
		text := r.text(n, p)
		if name, ok := enumName(n, p); ok {
			text = name + "(" + text + ")"
		}
		r.leaf(path, text)
	}
}

// part renders a part that is shown even if it is empty.
func (r *renderer) part(n *node, p unsafe.Pointer, path string) {
	before := len(r.out)
	r.fields(n, p, path)
	if len(r.out) == before {
		r.leaf(path, "{}")
	}
}

func (r *renderer) target(n *node, at unsafe.Pointer, path string) {
	if at == nil {
		r.leaf(path, "nil")
		return
	}
	before := len(r.out)
	r.part(n.elem, at, path)
	if f := &r.out[before]; f.Path == path && strings.TrimLeft(f.Value, "&") == "nil" {
		f.Value = "&" + f.Value // the pointer is not nil, but its target is
	}
}

func (r *renderer) elements(elem *node, p unsafe.Pointer, from, count int, path string) {
	for i := from; i < count; i++ {
		r.part(elem, unsafe.Add(p, uintptr(i)*elem.size), path+"["+strconv.Itoa(i)+"]")
	}
}

func (r *renderer) entries(n *node, m unsafe.Pointer, path string) {
	es, done, why := r.sorted(n, m, path)
	defer done()
	if why != nil {
		r.leaf(path, "("+why.hint+")")
		return
	}
	for _, x := range es {
		r.part(n.elem, x.elem, path+"["+r.key(n.key, x.key)+"]")
	}
}

// sorted returns a map's entries, which are valid until done is called.
func (r *renderer) sorted(n *node, m unsafe.Pointer, path string) (es []entry, done func(), why *unsupportedType) {
	var err error
	e := r.encoder()
	base, keys := len(e.entries), len(e.keys)
	done = func() { e.pop(base, keys) }
	defer func() {
		if err != nil { // an interface in a key holds an unsupported value
			e.pop(0, 0)
			base, keys, why = 0, 0, unsupportedTypeOf(err)
		}
		if why != nil {
			r.stop(path)
		}
	}()
	defer Catch(&err)
	why = e.push(n, m)
	return e.entries[base:], done, why
}

func (r *renderer) boxedFields(v any, path string) {
	if v == nil {
		r.leaf(path, "nil")
		return
	}
	p, err := r.set.Of(v)
	if err != nil {
		r.stop(path)
		r.leaf(path, "("+reflect.TypeOf(v).String()+")")
		return
	}
	if r.stopAt == toCopy && p.uncopied != nil {
		r.stop(path)
	}
	var word unsafe.Pointer
	at := p.open(v, &word)
	if n := p.root; n.show == nil && !n.opaque && n.how == structural {
		switch {
		case n.kind == reflect.Struct && len(n.fields) > 0,
			n.kind == reflect.Pointer && *(*unsafe.Pointer)(at) != nil && n.elem.kind == reflect.Struct && len(n.elem.fields) > 0,
			n.kind == reflect.Map && memory.MapLen(at) > 0,
			n.kind == reflect.Array && n.count > 0 && !isBytes(n),
			n.kind == reflect.Slice && (*memory.Slice)(at).Len > 0 && !isBytes(n):
			r.fields(n, at, joinPath(path, "("+typeinfo.Short(n.typ)+")"))
			return
		}
	}
	r.leaf(path, r.boxedText(p.root, at))
}

// sharing lists overlaps in memory.
func (r *renderer) sharing() {
	if !r.track || !r.seen.overlap() {
		return
	}
	for _, g := range r.seen.clusters() {
		first := &r.seen.list[g[0]]
		lies := make([]string, len(g))
		for i, k := range g {
			o := &r.seen.list[k]
			lies[i] = fmt.Sprintf("%s at %+d bytes", r.paths[o.pos], int64(uintptr(o.at))-int64(uintptr(first.at)))
			if o.cap >= 0 {
				lies[i] += fmt.Sprintf(" with room for %d", o.cap)
			}
		}
		r.leaf("memory of "+r.paths[first.pos], strings.Join(lies, ", "))
	}
}

// enumName returns the result of an integer type's String method, unless the method fails.
func enumName(n *node, p unsafe.Pointer) (name string, ok bool) {
	if n.kind < reflect.Int || n.kind > reflect.Uintptr || n.typ == durationType {
		return "", false
	}
	s, ok := n.in(p).(fmt.Stringer)
	if !ok {
		return "", false
	}
	name, failed := rule.Contained(n.typ, s.String)
	return name, failed == "" // else it may be a value without a name
}

// isBytes reports whether n is a slice or array of bytes.
func isBytes(n *node) bool {
	return n.elem != nil && n.elem.kind == reflect.Uint8 && n.elem.how == structural && n.elem.show == nil
}

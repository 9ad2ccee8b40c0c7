package encoding

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/encoding/typeinfo"
	"github.com/macemc/macemc/macetime"
)

// Text renders v, a value of p's type, on one line: Ping{Seq:1}, &Node{Peers:[1 2]}, tick(3), resend{}. Type names
// have no package. Strings are quoted if they contain anything but letters, digits and _./:- or if the context does
// not determine their type. The text is the same in every process. It differs between values with different
// encodings, with two exceptions: it does not show which slices overlap, and it shows values encoded by a function as
// a 64-bit hash.
func (p *Plan) Text(v any) string { return p.text(v, false) }

// Names renders v like Text but for people: different values may have the same name. It shows enumerations by the
// names from their String methods (Reply{Answer:accepted}). It omits internal fields of generated code (XXX_...) and,
// in structs with 8 fields or more, zero fields. It shows values encoded by a function by their exported fields, or
// else by their own texts.
func (p *Plan) Names(v any) string { return p.text(v, true) }

func (p *Plan) text(v any, names bool) string {
	if p.root == nil {
		return "nil"
	}
	var word unsafe.Pointer
	r := newRenderer(p)
	r.names = names
	return r.boxedText(p.root, p.open(v, &word))
}

// boxedText renders a value with a type that the context does not determine.
func (r *renderer) boxedText(n *node, p unsafe.Pointer) string {
	name := typeinfo.Short(n.typ)
	switch {
	case n.show != nil || n.opaque && n.kind != reflect.Array:
		return r.text(n, p)
	case n.kind == reflect.Pointer && n.typ.Name() == "":
		at := *(*unsafe.Pointer)(p)
		if at == nil {
			return name + "(nil)"
		}
		if n.elem.size > 0 {
			if first, met := r.met(at, n.elem, 1, isVariable, r.number()); met {
				return name + "(" + first + ")"
			}
		}
		return "&" + r.boxedText(n.elem, at)
	case n.typ == reflect.TypeFor[int](), n.typ == reflect.TypeFor[bool]():
		return r.text(n, p)
	case n.typ == reflect.TypeFor[string]():
		return strconv.Quote(*(*string)(p))
	}
	text := r.text(n, p)
	if rest, ok := strings.CutPrefix(text, "map["); ok && n.kind == reflect.Map {
		return name + "{" + rest[:len(rest)-1] + "}"
	}
	switch {
	case text[0] == '[' && (n.kind == reflect.Slice || n.kind == reflect.Array):
		return name + "{" + text[1:len(text)-1] + "}"
	case text[0] == '{' && n.kind == reflect.Struct:
		return name + text
	}
	return name + "(" + text + ")"
}

// number returns the number of a pointer, slice or map. All of them are counted, whether nil, empty or not.
func (r *renderer) number() string {
	r.places++
	return "#" + strconv.Itoa(r.places)
}

// text renders a value with a type that the context determines.
func (r *renderer) text(n *node, p unsafe.Pointer) string {
	if n.show != nil && (n.kind != reflect.Pointer || *(*unsafe.Pointer)(p) != nil) {
		text, failed := n.show(n.in(p))
		if failed == "" {
			return text
		}
		return fmt.Sprintf("%s(ShowBy %s)#%s", typeinfo.Short(n.typ), failed, r.hash(n, p))
	}
	switch n.how {
	case byPosition:
		return r.time(*(*macetime.Time)(p))
	case byInstant:
		t := *(*time.Time)(p)
		return quote(t.Format("2006-01-02T15:04:05.999999999Z07:00")+"["+t.Location().String()+"]", false)
	case byLocation:
		zone := *(**time.Location)(p)
		if zone == nil {
			return "nil"
		}
		return quote(zone.String(), false)
	case byName:
		name := functionName(p)
		if name == "" {
			return "nil"
		}
		return name[strings.LastIndexByte(name, '/')+1:]
	case byContent:
		return r.targetText(n, *(*unsafe.Pointer)(p))
	}
	if n.opaque && n.kind != reflect.Array {
		if n.kind == reflect.Pointer && *(*unsafe.Pointer)(p) == nil {
			return "nil"
		}
		return r.opaqueText(n, p)
	}
	switch n.kind {
	case reflect.Bool:
		return strconv.FormatBool(*(*bool)(p))
	case reflect.String:
		return quote(*(*string)(p), false)
	case reflect.Float32:
		return strconv.FormatFloat(float64(*(*float32)(p)), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(*(*float64)(p), 'g', -1, 64)
	case reflect.Complex64:
		return strconv.FormatComplex(complex128(*(*complex64)(p)), 'g', -1, 64)
	case reflect.Complex128:
		return strconv.FormatComplex(*(*complex128)(p), 'g', -1, 128)
	case reflect.Struct:
		return r.structText(n, p)
	case reflect.Array:
		if isBytes(n) {
			return bytesText(unsafe.Slice((*byte)(p), n.count))
		}
		return r.list(n.elem, p, n.count)
	case reflect.Slice:
		return r.sliceText(n, (*memory.Slice)(p))
	case reflect.Map:
		return r.mapText(n, p)
	case reflect.Pointer:
		return r.pointerText(n, *(*unsafe.Pointer)(p))
	case reflect.Interface:
		return r.interfaceText(load(n, p))
	}
	return r.integer(n, p)
}

func (r *renderer) pointerText(n *node, at unsafe.Pointer) string {
	if at != nil && n.elem.size > 0 {
		if first, met := r.met(at, n.elem, 1, isVariable, r.number()); met {
			return first
		}
	}
	return r.targetText(n, at)
}

func (r *renderer) interfaceText(v any) string {
	if v == nil {
		return "nil"
	}
	p, err := r.set.Of(v)
	if err != nil {
		return "(" + reflect.TypeOf(v).String() + ")"
	}
	var word unsafe.Pointer
	return r.boxedText(p.root, p.open(v, &word))
}

// opaqueText renders a value that a function encodes: by its content for people, and with a hash where different
// values need different texts.
func (r *renderer) opaqueText(n *node, p unsafe.Pointer) string {
	text := ""
	if r.names || r.listing {
		text = r.brief(n.in(p))
		if text != "" && r.names {
			return text
		}
	}
	return fmt.Sprintf("%s#%s", cmp.Or(text, typeinfo.Short(n.typ)), r.hash(n, p))
}

// hash returns a hash of a value's encoding as text.
func (r *renderer) hash(n *node, p unsafe.Pointer) string {
	text, failed := rule.Contained(n, func() string { return fmt.Sprintf("%016x", Hash(0, r.encoder().run(n.prog, p, nil)).Hi) })
	return cmp.Or(text, "(EncodeBy "+failed+")")
}

func (r *renderer) integer(n *node, p unsafe.Pointer) string {
	if r.names {
		if name, ok := enumName(n, p); ok {
			return name
		}
	}
	v := reflect.NewAt(n.typ, p).Elem()
	switch {
	case n.typ == durationType:
		return time.Duration(v.Int()).String()
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

func (r *renderer) structText(n *node, p unsafe.Pointer) string {
	var b strings.Builder
	b.WriteByte('{')
	large := len(n.fields) >= largeStruct
	for _, f := range n.fields {
		if f.n.size == 0 || r.names && bookkeeping(f.name) {
			continue
		}
		if r.names && large && reflect.NewAt(f.n.typ, unsafe.Add(p, f.off)).Elem().IsZero() {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(f.name + ":" + r.text(f.n, unsafe.Add(p, f.off)))
	}
	b.WriteByte('}')
	return b.String()
}

func (r *renderer) targetText(n *node, at unsafe.Pointer) string {
	if at == nil {
		return "nil"
	}
	return "&" + r.text(n.elem, at)
}

func (r *renderer) list(elem *node, p unsafe.Pointer, count int) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = r.text(elem, unsafe.Add(p, uintptr(i)*elem.size))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func (r *renderer) sliceText(n *node, s *memory.Slice) string {
	number := r.number()
	if s.Cap > 0 && n.elem.size > 0 {
		if first, met := r.met(s.Data, n.elem, s.Len, s.Cap, number); met {
			return first
		}
	}
	return r.sliceBody(n, s)
}

func (r *renderer) sliceBody(n *node, s *memory.Slice) string {
	switch {
	case s.Data == nil && r.set.rules.NilShows():
		return "nil"
	case s.Len == 0:
		return "[]"
	case isBytes(n):
		return bytesText(unsafe.Slice((*byte)(s.Data), s.Len))
	}
	return r.list(n.elem, s.Data, s.Len)
}

func (r *renderer) mapText(n *node, p unsafe.Pointer) string {
	number := r.number()
	if m := *(*unsafe.Pointer)(p); m != nil {
		if first, met := r.met(m, n.common, 0, isMap, number); met {
			return first
		}
	}
	return r.mapBody(n, p)
}

func (r *renderer) mapBody(n *node, p unsafe.Pointer) string {
	m := *(*unsafe.Pointer)(p)
	if m == nil {
		if r.set.rules.NilShows() {
			return "nil"
		}
		return "map[]"
	}
	es, done, why := r.sorted(n, m, "")
	defer done()
	if why != nil {
		return "map[" + why.hint + "]"
	}
	parts := make([]string, len(es))
	for i, x := range es {
		parts[i] = r.key(n.key, x.key)
		if n.elem.size > 0 {
			parts[i] += ":" + r.text(n.elem, x.elem)
		}
	}
	return "map[" + strings.Join(parts, " ") + "]"
}

// key renders a map key. Strings with a colon are quoted, because a colon ends the key.
func (r *renderer) key(n *node, p unsafe.Pointer) string {
	if n.kind == reflect.String && n.show == nil && n.how == structural {
		return quote(*(*string)(p), true)
	}
	return r.text(n, p)
}

// time renders times by the order of their first occurrences.
func (r *renderer) time(t macetime.Time) string {
	if t == (macetime.Time{}) {
		return "t0"
	}
	e := r.encoder()
	e.position(t, nil)
	return "t" + strconv.Itoa(slices.Index(e.times, t)+1)
}

// quote quotes s if it could be mistaken for something else.
func quote(s string, key bool) string {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.', c == '/', c == '-':
		case c == ':' && !key:
		default:
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// bytesText renders printable bytes as a quoted string, and others in hexadecimal.
func bytesText(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return "0x" + hex.EncodeToString(b)
		}
	}
	return strconv.Quote(string(b))
}

package wire

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
)

// Codec encodes the messages of a system. It must be safe for concurrent use. Equal messages must have equal
// encodings; otherwise recordings seem to come from different code.
type Codec interface {
	// Append appends the encoding of a message to dst and returns the extended buffer. The caller reuses it, so
	// Append must not retain it.
	Append(dst []byte, msg any) ([]byte, error)
	// Decode returns the message that data encodes. It must use all of data and must not retain it.
	Decode(data []byte) (any, error)
	// ID differs between codecs that are incompatible.
	ID() uint64
}

// Types is the default [Codec]. It knows the types of messages, and of values behind interfaces in them. It encodes
// by reflection: unexported fields included, integers as varints, maps in the order of their encoded keys. Types
// that implement [encoding.BinaryMarshaler] and [encoding.BinaryUnmarshaler] encode themselves. It takes time
// linear in the encoding.
type Types struct {
	list  []reflect.Type // sorted by name
	tags  map[reflect.Type]int
	plans map[reflect.Type]*plan
	id    uint64
}

// maxDepth bounds the nesting of pointers and interfaces. Values with cycles exceed it.
const maxDepth = 100

// NewTypes returns a codec for messages of the types of the samples. The error names every type that cannot be
// encoded, and the part responsible: functions, channels, unsafe pointers, and macetime.Time, which has no meaning
// on another node.
func NewTypes(samples ...any) (*Types, error) {
	c := &Types{tags: map[reflect.Type]int{}, plans: map[reflect.Type]*plan{}}
	var errs []error
	for _, s := range samples {
		t := reflect.TypeOf(s)
		if t == nil {
			errs = append(errs, errors.New("a sample is nil"))
			continue
		}
		if !slices.Contains(c.list, t) {
			c.list = append(c.list, t)
		}
	}
	slices.SortFunc(c.list, func(a, b reflect.Type) int { return strings.Compare(name(a), name(b)) })
	h := fnv.New64a()
	for i, t := range c.list {
		c.tags[t] = i + 1
		if i > 0 && name(c.list[i-1]) == name(t) {
			errs = append(errs, fmt.Errorf("two message types are named %s", name(t)))
		}
		if _, err := c.compile(t, t.String()); err != nil {
			errs = append(errs, err)
		}
		fmt.Fprintf(h, "%s %s\n", name(t), shape(t, nil))
	}
	c.id = h.Sum64()
	if len(errs) > 0 {
		return nil, fmt.Errorf("messages cannot be sent: %w", errors.Join(errs...))
	}
	return c, nil
}

func name(t reflect.Type) string {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		return "*" + name(t.Elem())
	}
	if t.PkgPath() == "" || t.Name() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

// shape describes everything that a type's encoding depends on.
func shape(t reflect.Type, above []reflect.Type) string {
	if slices.Contains(above, t) {
		return name(t)
	}
	above = append(above, t)
	if marshals(t) {
		return "binary " + name(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		var b strings.Builder
		for i := range t.NumField() {
			fmt.Fprintf(&b, "%s %s;", t.Field(i).Name, shape(t.Field(i).Type, above))
		}
		return "{" + b.String() + "}"
	case reflect.Slice, reflect.Pointer:
		return t.Kind().String() + " " + shape(t.Elem(), above)
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), shape(t.Elem(), above))
	case reflect.Map:
		return "map " + shape(t.Key(), above) + " " + shape(t.Elem(), above)
	}
	return t.Kind().String()
}

var (
	marshaler   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

func marshals(t reflect.Type) bool {
	return t.Implements(marshaler) && reflect.PointerTo(t).Implements(unmarshaler) && t.Kind() != reflect.Pointer
}

// ID implements [Codec]. It is a hash of the types' names and fields.
func (c *Types) ID() uint64 { return c.id }

// Append implements [Codec].
func (c *Types) Append(dst []byte, msg any) (out []byte, err error) {
	defer catch(&err)
	e := encoder{buf: dst}
	e.boxed(c, reflect.ValueOf(msg))
	return e.buf, nil
}

// Decode implements [Codec].
func (c *Types) Decode(data []byte) (msg any, err error) {
	defer catch(&err)
	d := decoder{data: data}
	v := d.boxed(c)
	if len(d.data) > 0 {
		return nil, fmt.Errorf("%d bytes are left over after a %T", len(d.data), v)
	}
	return v, nil
}

// failure is the panic value of encoders and decoders.
type failure struct{ error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.error
	default:
		panic(r)
	}
}

type encoder struct {
	buf   []byte
	depth int
}

func (e *encoder) count(n int) { e.buf = binary.AppendUvarint(e.buf, uint64(n)) }

func (e *encoder) down() {
	if e.depth++; e.depth > maxDepth {
		fail("pointers are nested deeper than %d, or in a circle", maxDepth)
	}
}

// boxed encodes a value with its type.
func (e *encoder) boxed(c *Types, v reflect.Value) {
	if !v.IsValid() {
		e.count(0)
		return
	}
	tag, ok := c.tags[v.Type()]
	if !ok {
		fail("%s is not a message type registered with the codec", v.Type())
	}
	e.count(tag)
	if p := c.plans[v.Type()]; p.raw { // through a pointer, to reach unexported fields
		at := reflect.New(v.Type())
		at.Elem().Set(v)
		v = at.Elem()
	}
	e.down()
	c.plans[v.Type()].encode(e, v)
	e.depth--
}

type decoder struct {
	data  []byte
	depth int
}

func (d *decoder) down() {
	if d.depth++; d.depth > maxDepth {
		fail("pointers are nested deeper than %d", maxDepth)
	}
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		fail("the data ends within a number")
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.data)
	if size <= 0 {
		fail("the data ends within a number")
	}
	d.data = d.data[size:]
	return n
}

// count reads a number of elements. Each element takes at least least bytes.
func (d *decoder) count(least int) int {
	const most = 1 << 16 // of elements that take no space
	n := d.uvarint()
	if limit := uint64(len(d.data)); least > 0 && n > limit/uint64(least) || least == 0 && n > most {
		fail("%d elements do not fit into %d bytes", n, len(d.data))
	}
	return int(n)
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.data) {
		fail("%d bytes are missing", n-len(d.data))
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) boxed(c *Types) any {
	tag := d.uvarint()
	if tag == 0 {
		return nil
	}
	if tag > uint64(len(c.list)) {
		fail("message type %d is not known", tag)
	}
	t := c.list[tag-1]
	v := reflect.New(t).Elem()
	d.down()
	c.plans[t].decode(d, v)
	d.depth--
	return v.Interface()
}

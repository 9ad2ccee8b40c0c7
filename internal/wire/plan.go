package wire

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/macemc/macemc/macetime"
)

// plan encodes and decodes the values of a type. The values must be addressable.
type plan struct {
	encode func(*encoder, reflect.Value)
	decode func(*decoder, reflect.Value)
	least  int  // bytes of the shortest encoding, at most 1
	raw    bool // must be addressable, because of unexported fields
}

// compile returns the plan of a type. Where names the field for errors.
func (c *Types) compile(t reflect.Type, where string) (*plan, error) {
	if p := c.plans[t]; p != nil {
		return p, nil
	}
	p := &plan{least: 1}
	c.plans[t] = p
	return p, c.fill(p, t, where)
}

func (c *Types) fill(p *plan, t reflect.Type, where string) error {
	if t == reflect.TypeFor[macetime.Time]() {
		return fmt.Errorf("%s is a macetime.Time, which has no meaning on another node: send the elapsed time", where)
	}
	if marshals(t) {
		p.encode, p.decode = encodeBinary, decodeBinary
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		p.encode = func(e *encoder, v reflect.Value) {
			b := byte(0)
			if v.Bool() {
				b = 1
			}
			e.buf = append(e.buf, b)
		}
		p.decode = func(d *decoder, v reflect.Value) {
			b := d.bytes(1)[0]
			if b > 1 {
				fail("%d is not a bool", b)
			}
			v.SetBool(b == 1)
		}
	case reflect.String:
		p.encode = func(e *encoder, v reflect.Value) {
			s := v.String()
			e.count(len(s))
			e.buf = append(e.buf, s...)
		}
		p.decode = func(d *decoder, v reflect.Value) { v.SetString(string(d.bytes(d.count(1)))) }
	case reflect.Interface:
		p.encode = func(e *encoder, v reflect.Value) { e.boxed(c, v.Elem()) }
		p.decode = func(d *decoder, v reflect.Value) {
			x := d.boxed(c)
			if x == nil {
				return
			}
			if !reflect.TypeOf(x).AssignableTo(t) {
				fail("a %T is not a %s", x, t)
			}
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Struct:
		return c.fillStruct(p, t, where)
	case reflect.Array:
		return c.fillArray(p, t, where)
	case reflect.Slice:
		return c.fillSlice(p, t, where)
	case reflect.Pointer:
		return c.fillPointer(p, t, where)
	case reflect.Map:
		return c.fillMap(p, t, where)
	default:
		if !p.fillNumber(t) {
			return fmt.Errorf("%s is a %s, which has no meaning in another process", where, t.Kind())
		}
	}
	return nil
}

// fillNumber fills in the plan of a numeric type. It returns false for other types.
func (p *plan) fillNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.encode = func(e *encoder, v reflect.Value) { e.buf = binary.AppendVarint(e.buf, v.Int()) }
		p.decode = func(d *decoder, v reflect.Value) {
			n := d.varint()
			if v.OverflowInt(n) {
				fail("%d does not fit into a %s", n, t)
			}
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.encode = func(e *encoder, v reflect.Value) { e.buf = binary.AppendUvarint(e.buf, v.Uint()) }
		p.decode = func(d *decoder, v reflect.Value) {
			n := d.uvarint()
			if v.OverflowUint(n) {
				fail("%d does not fit into a %s", n, t)
			}
			v.SetUint(n)
		}
	case reflect.Float32, reflect.Float64:
		p.encode = func(e *encoder, v reflect.Value) {
			e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v.Float()))
		}
		p.decode = func(d *decoder, v reflect.Value) {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(d.bytes(8))))
		}
	case reflect.Complex64, reflect.Complex128:
		p.encode = func(e *encoder, v reflect.Value) {
			e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(real(v.Complex())))
			e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(imag(v.Complex())))
		}
		p.decode = func(d *decoder, v reflect.Value) {
			b := d.bytes(16)
			v.SetComplex(complex(math.Float64frombits(binary.LittleEndian.Uint64(b)),
				math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))))
		}
	default:
		return false
	}
	return true
}

// reach makes an unexported field settable.
func reach(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func (c *Types) fillStruct(p *plan, t reflect.Type, where string) error {
	type field struct {
		index  int
		hidden bool
		plan   *plan
	}
	var fields []field
	p.least = 0
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		fp, err := c.compile(f.Type, where+"."+f.Name)
		if err != nil {
			return err
		}
		fields = append(fields, field{i, !f.IsExported(), fp})
		p.least = max(p.least, fp.least)
		p.raw = p.raw || fp.raw || !f.IsExported()
	}
	of := func(v reflect.Value, f *field) reflect.Value {
		x := v.Field(f.index)
		if f.hidden {
			return reach(x)
		}
		return x
	}
	p.encode = func(e *encoder, v reflect.Value) {
		for i := range fields {
			fields[i].plan.encode(e, of(v, &fields[i]))
		}
	}
	p.decode = func(d *decoder, v reflect.Value) {
		for i := range fields {
			fields[i].plan.decode(d, of(v, &fields[i]))
		}
	}
	return nil
}

func (c *Types) fillArray(p *plan, t reflect.Type, where string) error {
	elem, err := c.compile(t.Elem(), where+"[]")
	if err != nil {
		return err
	}
	n := t.Len()
	p.raw = elem.raw
	p.least = min(n, elem.least)
	p.encode = func(e *encoder, v reflect.Value) {
		for i := range n {
			elem.encode(e, v.Index(i))
		}
	}
	p.decode = func(d *decoder, v reflect.Value) {
		for i := range n {
			elem.decode(d, v.Index(i))
		}
	}
	return nil
}

func (c *Types) fillSlice(p *plan, t reflect.Type, where string) error {
	if t.Elem().Kind() == reflect.Uint8 {
		p.encode = func(e *encoder, v reflect.Value) {
			e.count(v.Len())
			e.buf = append(e.buf, v.Bytes()...)
		}
		p.decode = func(d *decoder, v reflect.Value) {
			if n := d.count(1); n > 0 {
				v.SetBytes(bytes.Clone(d.bytes(n)))
			}
		}
		return nil
	}
	elem, err := c.compile(t.Elem(), where+"[]")
	if err != nil {
		return err
	}
	p.encode = func(e *encoder, v reflect.Value) {
		e.count(v.Len())
		for i := range v.Len() {
			elem.encode(e, v.Index(i))
		}
	}
	p.decode = func(d *decoder, v reflect.Value) {
		n := d.count(elem.least)
		if n == 0 {
			return
		}
		v.Grow(min(n, 64)) // the rest as it arrives: an element may be much larger than its encoding
		for i := range n {
			if i == v.Cap() {
				v.Grow(1)
			}
			v.SetLen(i + 1)
			elem.decode(d, v.Index(i))
		}
	}
	return nil
}

func (c *Types) fillPointer(p *plan, t reflect.Type, where string) error {
	elem, err := c.compile(t.Elem(), where)
	if err != nil {
		return err
	}
	p.encode = func(e *encoder, v reflect.Value) {
		if v.IsNil() {
			e.buf = append(e.buf, 0)
			return
		}
		e.buf = append(e.buf, 1)
		e.down()
		elem.encode(e, v.Elem())
		e.depth--
	}
	p.decode = func(d *decoder, v reflect.Value) {
		switch d.bytes(1)[0] {
		case 0:
		case 1:
			d.down()
			at := reflect.New(t.Elem())
			elem.decode(d, at.Elem())
			v.Set(at)
			d.depth--
		default:
			fail("bad pointer in a %s", t)
		}
	}
	return nil
}

func (c *Types) fillMap(p *plan, t reflect.Type, where string) error {
	key, err := c.compile(t.Key(), where+" (key)")
	if err != nil {
		return err
	}
	elem, err := c.compile(t.Elem(), where+"[]")
	if err != nil {
		return err
	}
	p.encode = func(e *encoder, v reflect.Value) {
		e.count(v.Len())
		entries := make([][]byte, 0, v.Len())
		k, x := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		for it := v.MapRange(); it.Next(); {
			k.Set(it.Key())
			x.Set(it.Value())
			own := encoder{depth: e.depth}
			key.encode(&own, k)
			elem.encode(&own, x)
			entries = append(entries, own.buf)
		}
		slices.SortFunc(entries, bytes.Compare)
		for _, b := range entries {
			e.buf = append(e.buf, b...)
		}
	}
	p.decode = func(d *decoder, v reflect.Value) {
		n := d.count(max(key.least, elem.least))
		if n == 0 {
			return
		}
		v.Set(reflect.MakeMap(t))
		for range n {
			k, x := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			key.decode(d, k)
			elem.decode(d, x)
			if !k.Comparable() {
				fail("a map key cannot be compared")
			}
			v.SetMapIndex(k, x)
		}
	}
	return nil
}

func encodeBinary(e *encoder, v reflect.Value) {
	b, err := v.Interface().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		fail("%s: %w", v.Type(), err)
	}
	e.count(len(b))
	e.buf = append(e.buf, b...)
}

func decodeBinary(d *decoder, v reflect.Value) {
	b := d.bytes(d.count(1))
	if err := v.Addr().Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
		fail("%s: %w", v.Type(), err)
	}
}

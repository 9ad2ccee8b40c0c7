package encoding

import (
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// node is the compiled form of one type. Nodes of recursive types form cycles.
type node struct {
	typ       reflect.Type
	kind      reflect.Kind
	size      uintptr
	word      unsafe.Pointer // type word of interfaces that hold the type; nil for interface types
	direct    bool           // the data word of such an interface is the value itself
	methods   bool           // an interface type with methods
	how       treatment
	opaque    bool // fields, elem and key are unknown
	unwritten bool // of a slice: memory beyond the length does not count
	immutable bool // a pointer to a library error, immutable if its content is

	fields    []field // of a struct: the fields that count
	elem, key *node
	common    *node // of a map: represents all map types that values can be converted to
	count     int   // of an array
	keys      op    // of a map: how keys are read when they are integers or strings; else opNone
	signed    bool  // keys are signed integers

	prog  []leaf // encodes a value
	fixes []leaf // completes a copy that was made by assignment
	bare  bool   // memory without any pointers
	dense leaf   // prog when it is one run of numbers without gaps; else op is opNone

	encodeAt    func(dst []byte, p unsafe.Pointer) []byte
	encodeBoxed func(dst []byte, v any) []byte
	copyAt      func(dst, src unsafe.Pointer)
	copyBoxed   func(v any) any
	show        func(v any) (text, failed string)
	pointerTo   unsafe.Pointer   // type word of *typ, when the type encodes itself
	uncopied    *unsupportedType // why the type itself, without its targets, cannot be copied
}

// encode calls the function that encodes values of the type.
func (n *node) encode(dst []byte, p unsafe.Pointer) []byte {
	if n.encodeAt != nil {
		return n.encodeAt(dst, p)
	}
	return n.encodeBoxed(dst, n.in(p))
}

// copy calls the function that copies values of the type.
func (n *node) copy(to, from unsafe.Pointer) {
	if n.copyAt != nil {
		n.copyAt(to, from)
		return
	}
	v := n.copyBoxed(n.in(from))
	if memory.TypeWord(v) != n.word {
		panic("encoding: the CopyBy function made a " + typeString(reflect.TypeOf(v)) + " of a " + n.typ.String())
	}
	data := (*memory.Interface)(unsafe.Pointer(&v)).Data
	if n.direct {
		*(*unsafe.Pointer)(to) = data
	} else {
		assign(n, to, data)
	}
}

// encode calls the function of a node by Calls.
func (s *Set) encode(n *node, dst []byte, p unsafe.Pointer) []byte {
	if s.Calls.Begin() {
		defer s.Calls.End("EncodeBy", n.typ)
		return n.encode(dst, p)
	}
	return s.encodeByCall(n, dst, p)
}

// encodeByCall is separate, because its closure moves dst to the heap.
func (s *Set) encodeByCall(n *node, dst []byte, p unsafe.Pointer) []byte {
	s.Calls.Call("EncodeBy", n.typ, func() { dst = n.encode(dst, p) })
	return dst
}

// copy calls the function of a node by Calls.
func (s *Set) copy(n *node, to, from unsafe.Pointer) {
	if s.Calls.Begin() {
		defer s.Calls.End("CopyBy", n.typ)
		n.copy(to, from)
		return
	}
	s.Calls.Call("CopyBy", n.typ, func() { n.copy(to, from) })
}

// flat reports whether a copy by assignment is complete.
func (n *node) flat() bool { return len(n.fixes) == 0 }

type field struct {
	name string
	off  uintptr
	n    *node
}

// treatment is how a type is encoded.
type treatment uint8

const (
	structural treatment = iota
	byFunction           // by a rule
	byHook               // by its own AppendState
	byPosition           // macetime.Time
	byInstant            // time.Time
	byLocation           // *time.Location, an immutable zone
	byContent            // unique.Handle, a pointer that represents its target
	byName               // a function
)

// op is an instruction on the memory of a value.
type op uint8

const (
	opNone op = iota

	// Ops on runs of leaf.n values that lie one after the other.
	opByte
	opInt16
	opInt32
	opInt64
	opUint16
	opUint32
	opUint64
	opFloat32
	opFloat64
	opString

	// Ops on one value.
	opPointer
	opSlice
	opMap
	opInterface
	opArray
	opFunction // EncodeBy or CopyBy
	opHook
	opPosition
	opInstant
	opLocation
	opContent
	opName
)

// widths are the sizes of values in a run.
var widths = [...]uintptr{opByte: 1, opInt16: 2, opInt32: 4, opInt64: 8, opUint16: 2, opUint32: 4, opUint64: 8,
	opFloat32: 4, opFloat64: 8, opString: unsafe.Sizeof("")}

// leaf is an op with its operand: the value at an offset in the type of the program.
type leaf struct {
	op  op
	n   int // length of a run
	off uintptr
	of  *node
}

// emit appends ops to a program, moved by an offset, and joins runs.
func emit(prog []leaf, off uintptr, more ...leaf) []leaf {
	for _, l := range more {
		l.off += off
		if k := len(prog) - 1; k >= 0 && l.op <= opString && prog[k].op == l.op &&
			prog[k].off+uintptr(prog[k].n)*widths[l.op] == l.off {
			prog[k].n += l.n
			continue
		}
		prog = append(prog, l)
	}
	return prog
}

// scalarOp returns the op for kinds that are encoded by their bits alone, or opNone.
func scalarOp(t reflect.Type) (o op, run int) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return opByte, 1
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		return [...]op{2: opInt16, 4: opInt32, 8: opInt64}[t.Size()], 1
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return [...]op{2: opUint16, 4: opUint32, 8: opUint64}[t.Size()], 1
	case reflect.Float32:
		return opFloat32, 1
	case reflect.Float64:
		return opFloat64, 1
	case reflect.Complex64:
		return opFloat32, 2
	case reflect.Complex128:
		return opFloat64, 2
	case reflect.String:
		return opString, 1
	}
	return opNone, 0
}

// methodful stands for any interface with methods: converting one to any reads only its dynamic
// type, whatever the methods are.
type methodful interface{ method() }

// in returns the value of n's type at p as an interface, without copying it.
func (n *node) in(p unsafe.Pointer) any {
	if n.kind == reflect.Interface {
		return load(n, p)
	}
	if n.direct {
		p = *(*unsafe.Pointer)(p)
	}
	return memory.Assemble(n.word, p)
}

// value is in for package reflect.
func (n *node) value(p unsafe.Pointer) reflect.Value {
	if n.kind == reflect.Interface {
		return reflect.NewAt(n.typ, p).Elem()
	}
	return reflect.ValueOf(n.in(p))
}

// load reads the interface of type n at p.
func load(n *node, p unsafe.Pointer) any {
	if n.methods {
		return any(*(*methodful)(p))
	}
	return *(*any)(p)
}

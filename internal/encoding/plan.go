// Package encoding compiles, once per type, how values of that type are encoded canonically, copied deeply and shown
// to people. It supports unexported fields, sorted maps, pointers with aliasing and cycles, and interfaces with their
// dynamic types. It rejects other types by name.
//
// # Equal encodings
//
// Values that code could distinguish have different encodings, or their type is rejected by name. Two values of one
// type have equal encodings if and only if they have the same content and the same sharing. Pointers, maps and slices
// that are one in the first value are one in the second. Slices and pointers that overlap in memory overlap alike,
// even if a conversion gave them different types. In detail:
//
//   - nil and empty slices and maps differ. A slice counts with its capacity and the memory beyond its
//     length, which re-slicing and append would reveal. The rule [ByElements] drops that.
//   - A pointer to or into a package variable, memory reachable from one, or memory of [Holding] counts by
//     its identity, as == compares it: sentinels, errors with equal texts.
//   - Floats count by their bits, so that -0 and 0 differ, and so do NaNs with different bits.
//   - An interface counts with its dynamic type, and a type with its package path and name.
//   - Blank fields, fields tagged `macemc:"-"` and fields named by [IgnoreField] do not count.
//   - A [macetime.Time] counts by its position among the distinct times encoded so far, see
//     [Encoder.Times]. A [time.Time] counts by its instant, its monotonic reading, and its whole zone: name,
//     offsets, transitions, and which zones are one.
//
// Functions, channels and unsafe pointers are rejected. So are map keys that hold pointers, because they have no
// canonical order. Locks and atomics count by their numbers. Behavior that Go leaves open does not count: whether
// pointers to variables without size are equal, and the addresses of memory.
//
// # Copies
//
// A copy has the same encoding, sharing and capacities as the original. It shares no mutable memory with it except
// constants, which are not copied. Ignored fields are copied shallowly. Zones are immutable, and so are errors made
// by the packages errors and fmt that hold nothing mutable. They are not copied either, so that they still compare
// equal to the originals. The rule [Apart] drops that.
package encoding

import (
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// Fingerprint is a 128-bit hash of content.
type Fingerprint struct{ Hi, Lo uint64 }

// Add returns the component-wise sum of f and g, modulo 2^64 in each half.
func (f Fingerprint) Add(g Fingerprint) Fingerprint {
	return Fingerprint{f.Hi + g.Hi, f.Lo + g.Lo}
}

// Sub undoes Add.
func (f Fingerprint) Sub(g Fingerprint) Fingerprint {
	return Fingerprint{f.Hi - g.Hi, f.Lo - g.Lo}
}

// Plan is the compiled form of one type in a [Set]. Its methods take values of exactly that type. They panic with a
// plain message for another type, and with an [*Error] if an interface in the value holds an unsupported value. Like
// its set, a Plan is not for concurrent use.
type Plan struct {
	set      *Set
	root     *node  // nil for the plan of nil
	head     []byte // the type's name with its length
	shares   bool   // values may refer to the same memory twice
	uncopied *Error // why values cannot be copied; nil means that they can
}

// Type returns the type of p, or nil for the plan of nil.
func (p *Plan) Type() reflect.Type {
	if p.root == nil {
		return nil
	}
	return p.root.typ
}

// Flat reports whether boxing a value in an interface already makes a private copy, which shares nothing mutable.
// Values may contain strings.
func (p *Plan) Flat() bool { return p.root == nil || p.root.flat() && p.uncopied == nil }

// Copyable reports whether [Plan.Copy] works, by the static types. Values that hold functions or foreign types
// without a [CopyBy] rule can only be rebuilt by executing the code that made them.
func (p *Plan) Copyable() bool { return p.uncopied == nil }

// Uncopyable returns why the type is not copyable; nil means that it is.
func (p *Plan) Uncopyable() error {
	if p.uncopied == nil {
		return nil
	}
	return p.uncopied
}

// open returns a pointer to the content of v. If v itself is a pointer, word stores it.
func (p *Plan) open(v any, word *unsafe.Pointer) unsafe.Pointer {
	e := (*memory.Interface)(unsafe.Pointer(&v))
	if e.Word != p.root.word {
		p.wrongType(v)
	}
	if p.root.direct {
		*word = e.Data
		return unsafe.Pointer(word)
	}
	return e.Data
}

func (p *Plan) wrongType(v any) {
	panic("encoding: the plan of " + p.root.typ.String() + " was given a " + typeString(reflect.TypeOf(v)))
}

func typeString(t reflect.Type) string {
	if t == nil {
		return "nil"
	}
	return t.String()
}

// Package plan compiles, once per type, how values of that type are encoded canonically, copied
// deeply and shown to people. It knows unexported fields, sorted maps, pointers with aliasing and
// cycles, and interfaces with their dynamic type; what it cannot handle it refuses by name.
//
// # What equal encodings mean
//
// Two values that code could tell apart are encoded differently, or their type is refused by name. So two
// values of one type encode equally exactly when they have the same content and the same sharing:
// pointers, maps and slices that are one in the first value are one in the second, and slices and
// pointers that overlap in memory overlap alike, also when a conversion gave them different types. In detail:
//
//   - nil and empty slices and maps differ; a slice counts with its capacity and with what lies beyond
//     its length, which re-slicing and append would show. The rule [ByElements] takes that back;
//   - a pointer to or into a variable of a package, what can be reached from one, or what [Holding] names, counts
//     with which memory that is, as == would tell: sentinels, errors of equal text;
//   - floats count by their bits, so that -0 and 0 differ, and NaNs of different bits;
//   - an interface counts with its dynamic type, a type with its package path and name;
//   - blank fields, fields tagged `macemc:"-"` and fields named by [IgnoreField] do not count;
//   - a [macetime.Time] counts by its position among the distinct times met so far, see
//     [Encoder.Times]; a [time.Time] by its instant, its monotonic reading, and its whole zone: name,
//     offsets, transitions, and which zones are one.
//
// Functions, channels and unsafe pointers are refused, as are map keys that hold pointers: they have
// no canonical order. Locks and atomics are their numbers. What Go leaves open does not count: whether
// pointers to variables without size are equal, and where memory lies.
//
// # What a copy is
//
// A copy encodes like the original, has the same sharing and capacities, and has no memory in common with
// it that could be changed, but that of constants, which stays
// what it is; ignored fields are copied shallowly. Zones, and errors made by the packages errors and fmt
// that hold nothing changeable, are immutable and stay what they are, too, so that they still compare equal
// to what they were made as; the rule [Apart] takes that back.
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

// Plan is what a [Set] knows of one type. Its methods take values of exactly that type and panic
// with a plain message when given another, and with an [*Error] when the value holds, behind an
// interface, what the set refuses. Like its set it is not for concurrent use.
type Plan struct {
	set      *Set
	root     *node  // nil: the plan of nil
	head     []byte // the type's name with its length
	shares   bool   // values may hold one piece of memory twice
	uncopied *Error // why values cannot be copied; nil: they can
}

// Type is the type that p is for, nil for the plan of nil.
func (p *Plan) Type() reflect.Type {
	if p.root == nil {
		return nil
	}
	return p.root.typ
}

// Flat reports whether boxing a value in an interface already makes a private copy: nothing that
// could be changed through it is shared. Strings are fine.
func (p *Plan) Flat() bool { return p.root == nil || p.root.flat() && p.uncopied == nil }

// Copyable reports whether [Plan.Copy] works, as far as static types tell. Values that hold
// functions or foreign types without a [CopyBy] rule can only be rebuilt by running what made them.
func (p *Plan) Copyable() bool { return p.uncopied == nil }

// Uncopyable says what makes the type not copyable; nil when it is.
func (p *Plan) Uncopyable() error {
	if p.uncopied == nil {
		return nil
	}
	return p.uncopied
}

// open returns a pointer to the content of v. Word is where the pointer is kept that v consists of,
// if it does.
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

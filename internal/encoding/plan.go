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
// without a [rule.CopyBy] rule can only be rebuilt by executing the code that made them.
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

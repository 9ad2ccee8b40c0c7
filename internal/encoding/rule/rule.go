// Package rule defines the rules for encoding, copying and showing values of types.
package rule

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Rule defines the treatment of values of a foreign type. The zero value is not a rule.
type Rule struct {
	kind  ruleKind
	Typ   reflect.Type
	field string // of IgnoreField and MethodByName

	// For rules about a type: At functions take pointers to values. Boxed functions take values that implement Typ if
	// that is an interface.
	EncodeAt    func(dst []byte, p unsafe.Pointer) []byte
	EncodeBoxed func(dst []byte, v any) []byte
	CopyAt      func(dst, src unsafe.Pointer)
	CopyBoxed   func(v any) any
	ShowBoxed   func(v any) (text, failed string)

	held []any // of Holding
}

type ruleKind uint8

const (
	noRule ruleKind = iota
	Ignored
	ByName
	encodeBy
	copyBy
	showBy
	byElements
	acrossPrograms
	holding
	apart
	showing
)

// IgnoreField excludes a field of T from encoding, comparison and rendering. T is a struct or a pointer to one. The
// name may be a path of fields ("raft.tick") through structs, pointers, slices, arrays and map elements, to reach
// fields of types that cannot be named. It refers to the field in all values of the struct that declares it. Copies
// share the field's target only if the field's own type has a [CopyBy] rule. Otherwise a field that points to
// anything makes its type uncopyable.
func IgnoreField[T any](name string) Rule {
	return Rule{kind: Ignored, Typ: reflect.TypeFor[T](), field: name}
}

// MethodByName encodes a field that holds a function or method value by the function's name. Bound variables do not
// count. Fields are named as in [IgnoreField].
func MethodByName[T any](field string) Rule {
	return Rule{kind: ByName, Typ: reflect.TypeFor[T](), field: field}
}

// EncodeBy encodes values of type T by a function that appends to dst. The function must be deterministic, must not
// keep or change v, and must encode different values differently. If T is an interface, the rule applies to all types
// that implement it and have no rule of their own. Nil pointers are encoded without the function. Targets of T are
// not visited, so T is copyable only with a [CopyBy] rule or if it holds no pointers.
func EncodeBy[T any](encode func(dst []byte, v T) []byte) Rule {
	return Rule{
		kind:        encodeBy,
		Typ:         reflect.TypeFor[T](),
		EncodeAt:    func(dst []byte, p unsafe.Pointer) []byte { return encode(dst, *(*T)(p)) },
		EncodeBoxed: func(dst []byte, v any) []byte { return encode(dst, v.(T)) },
	}
}

// CopyBy copies values of type T by a function. If T is an interface, the rule applies to all types that implement it
// and have no rule of their own. The copy must have the dynamic type of the original. Nil pointers are copied without
// the function. A function that returns its argument declares T immutable.
func CopyBy[T any](copy func(T) T) Rule {
	return Rule{
		kind:      copyBy,
		Typ:       reflect.TypeFor[T](),
		CopyAt:    func(dst, src unsafe.Pointer) { *(*T)(dst) = copy(*(*T)(src)) },
		CopyBoxed: func(v any) any { return copy(v.(T)) },
	}
}

// ShowBy renders values of type T, in fields and texts, by a function. Texts are part of stable keys, so they must be
// deterministic and distinguish different values. A line break in a text, with the blanks around it, becomes a blank.
// If the function panics, ends its goroutine or does not return, the text reports that. Without the rule, the text of a type that a
// function encodes is a hash of its encoding in stable keys, and its exported fields for people.
func ShowBy[T any](show func(T) string) Rule {
	typ := reflect.TypeFor[T]()
	return Rule{kind: showBy, Typ: typ, ShowBoxed: func(v any) (text, failed string) {
		return Contained(shown{typ}, func() string { return OneLine(show(v.(T))) })
	}}
}

// shown identifies the function of ShowBy for a type.
type shown struct{ typ reflect.Type }

// OneLine replaces line breaks in a text by blanks.
func OneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r") {
		return s
	}
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

// ByElements makes slices and maps count by their elements alone. The capacity of a slice and the memory beyond its
// length do not count, unless the memory is shared. Empty and nil do not differ. Copies have no room behind their
// elements then. The rule promises that no handler depends on any of that, for example by an append to a slice that
// something else still refers to.
func ByElements() Rule { return Rule{kind: byElements} }

// AcrossPrograms makes encodings comparable between processes that execute different program files. It includes
// [ByElements], and package variables count by their content alone.
func AcrossPrograms() Rule { return Rule{kind: acrossPrograms} }

// Holding makes constants of everything reachable from some values, including closures, when the set is made. Like
// memory reachable from package variables, it counts by its identity and is not copied. Equal lists of the same
// values are inspected once.
func Holding(values ...any) Rule { return Rule{kind: holding, held: values} }

// Apart makes copies that share only constants with the original. Errors and zones are copied, too, although they are
// immutable, so that their identities differ from the original ones.
func Apart() Rule { return Rule{kind: apart} }

// Showing is for sets that only show values. Finding constants takes milliseconds, so such sets use those of the
// system that was built last.
func Showing() Rule { return Rule{kind: showing} }

func (r *Rule) String() string {
	name := [...]string{"Rule", "IgnoreField", "MethodByName", "EncodeBy", "CopyBy", "ShowBy", "ByElements", "AcrossPrograms",
		"Holding", "Apart", "Showing"}[r.kind]
	if r.Typ != nil {
		name += "[" + r.Typ.String() + "]"
	}
	if r.field != "" {
		name += fmt.Sprintf("(%q)", r.field)
	}
	return name
}

// FieldRef names a field of a struct.
type FieldRef struct {
	In    reflect.Type
	Index int
}

// List holds the rules of a set, resolved.
type List struct {
	Loose   bool  // ByElements
	Across  bool  // AcrossPrograms
	Apart   bool  // Apart
	Showing bool  // Showing
	Held    []any // Holding
	Fields  map[FieldRef]ruleKind
	Encode  typeRules
	Copying typeRules
	Show    typeRules
}

// NilShows reports whether texts for people distinguish nil from empty slices and maps.
func (rs *List) NilShows() bool { return !rs.Loose || rs.Across }

// typeRules are the rules of one kind about types.
type typeRules struct {
	Exact map[reflect.Type]*Rule
	ifcs  []*Rule // of interfaces, in the order given
}

func (t *typeRules) add(r *Rule) error {
	if t.Exact == nil {
		t.Exact = map[reflect.Type]*Rule{}
	}
	if t.Exact[r.Typ] != nil {
		return fmt.Errorf("state rule %v is given twice", r)
	}
	t.Exact[r.Typ] = r
	if r.Typ.Kind() == reflect.Interface {
		t.ifcs = append(t.ifcs, r)
	}
	return nil
}

// Of returns the rule for typ, or nil.
func (t *typeRules) Of(typ reflect.Type) *Rule {
	if typ.Kind() == reflect.Interface {
		return nil // the value in it has its own type
	}
	if r := t.Exact[typ]; r != nil {
		return r
	}
	for _, r := range t.ifcs {
		if typ.Implements(r.Typ) {
			return r
		}
	}
	return nil
}

// Resolve checks rules and indexes them by type and field.
func Resolve(given []Rule) (*List, error) {
	rs := &List{Fields: map[FieldRef]ruleKind{}}
	for i := range given {
		r := &given[i]
		var err error
		switch r.kind {
		case noRule:
			err = fmt.Errorf("state rule %d is empty: make rules by IgnoreField, EncodeBy and so on", i)
		case byElements:
			rs.Loose = true
		case acrossPrograms:
			rs.Loose, rs.Across = true, true
		case apart:
			rs.Apart = true
		case showing:
			rs.Showing = true
		case holding:
			rs.Held = append(rs.Held, r.held...)
		case Ignored, ByName:
			err = rs.addField(r)
		case encodeBy:
			err = rs.Encode.add(r)
		case copyBy:
			err = rs.Copying.add(r)
		case showBy:
			err = rs.Show.add(r)
		}
		if err != nil {
			return nil, err
		}
	}
	return rs, nil
}

func (rs *List) addField(r *Rule) error {
	t := r.Typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var ref FieldRef
	var last reflect.Type
	for name := range strings.SplitSeq(r.field, ".") {
		if last != nil {
			t = structWithin(last)
		}
		if t.Kind() != reflect.Struct {
			return fmt.Errorf("state rule %v: %v is not a struct", r, t)
		}
		f, ok := declared(t, name)
		if !ok {
			return fmt.Errorf("state rule %v: %v has no field %q", r, t, name)
		}
		ref, last = FieldRef{t, f.Index[0]}, f.Type
	}
	if r.kind == ByName && last.Kind() != reflect.Func {
		return fmt.Errorf("state rule %v: the field is a %v, not a function", r, last)
	}
	if old, ok := rs.Fields[ref]; ok && old != r.kind {
		return fmt.Errorf("state rule %v contradicts another rule about the field", r)
	}
	rs.Fields[ref] = r.kind
	return nil
}

// declared finds a field that t itself declares, not one of an embedded struct.
func declared(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Name == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// structWithin returns the type inside the containers of t.
func structWithin(t reflect.Type) reflect.Type {
	for {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		default:
			return t
		}
	}
}

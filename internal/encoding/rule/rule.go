// Package rule has the rules about how values of types are encoded, copied and shown.
package rule

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Rule says how values of a foreign type are treated. The zero value is not a rule.
type Rule struct {
	kind  ruleKind
	Typ   reflect.Type
	field string // of IgnoreField and MethodByName

	// Of rules about a type: at takes pointers to values, boxed takes values that implement typ, when
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

// IgnoreField leaves a field of T out of encoding, comparison and rendering. T is a struct or a
// pointer to one. The name may be a path of fields ("raft.tick") through structs, pointers, slices,
// arrays and map elements, to reach fields of types that cannot be named; it stands for the field
// in all values of the struct that declares it. Copies share what the field points to only when the
// field's own type has a [CopyBy] rule; otherwise a field that points to anything makes its type
// uncopyable.
func IgnoreField[T any](name string) Rule {
	return Rule{kind: Ignored, Typ: reflect.TypeFor[T](), field: name}
}

// MethodByName encodes a field that holds a function or method value by the function's name. What
// the function is bound to does not count. Fields are named as in [IgnoreField].
func MethodByName[T any](field string) Rule {
	return Rule{kind: ByName, Typ: reflect.TypeFor[T](), field: field}
}

// EncodeBy encodes values of type T by appending to dst. The function must be deterministic, must
// not keep or change v, and must give different values different bytes. When T is an interface the
// rule is for all types that implement it and have no rule of their own. Nil pointers are encoded
// without it. What T points to is not looked at, so T is copyable only with a [CopyBy] rule or when
// it holds no pointers.
func EncodeBy[T any](encode func(dst []byte, v T) []byte) Rule {
	return Rule{
		kind:        encodeBy,
		Typ:         reflect.TypeFor[T](),
		EncodeAt:    func(dst []byte, p unsafe.Pointer) []byte { return encode(dst, *(*T)(p)) },
		EncodeBoxed: func(dst []byte, v any) []byte { return encode(dst, v.(T)) },
	}
}

// CopyBy copies values of type T by a function. When T is an interface the rule is for all types
// that implement it and have no rule of their own; the copy must have the dynamic type of the
// original. Nil pointers are copied without it. A function that returns its argument declares T
// immutable.
func CopyBy[T any](copy func(T) T) Rule {
	return Rule{
		kind:      copyBy,
		Typ:       reflect.TypeFor[T](),
		CopyAt:    func(dst, src unsafe.Pointer) { *(*T)(dst) = copy(*(*T)(src)) },
		CopyBoxed: func(v any) any { return copy(v.(T)) },
	}
}

// ShowBy renders values of type T, in fields and texts, by a function. Texts are part of stable
// keys: they must be deterministic and tell different values apart. Texts are lines: a break in one, with the
// blanks around, becomes a blank. Of a function that panics or ends its goroutine the text says so. Without it, types that are encoded by a function have a hash of their
// encoding as their text in stable keys, and people are shown what their exported fields hold.
func ShowBy[T any](show func(T) string) Rule {
	return Rule{kind: showBy, Typ: reflect.TypeFor[T](), ShowBoxed: func(v any) (text, failed string) {
		failed = Contained(func() { text = OneLine(show(v.(T))) })
		return text, failed
	}}
}

// OneLine replaces line breaks in a text.
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

// ByElements makes slices and maps count by their elements alone: neither by the capacity of a slice and
// what lies beyond its length, unless its memory is shared, nor by whether one that is empty is nil.
// Copies have no room behind their elements then. It promises that no handler asks for any of that, be
// it by an append to a slice that something else still refers to.
func ByElements() Rule { return Rule{kind: byElements} }

// AcrossPrograms makes encodings comparable between processes that execute different program files: it is
// [ByElements], and variables of packages count by their content alone.
func AcrossPrograms() Rule { return Rule{kind: acrossPrograms} }

// Holding makes constants of all that can be reached from some values, closures among them, when the set is made: as
// what variables of packages lead to, it counts with which memory it is, and stays in copies. Equal lists of the same values
// are looked into once.
func Holding(values ...any) Rule { return Rule{kind: holding, held: values} }

// Apart makes copies that have nothing in common with the original but constants: errors and zones, which do not change, are
// copied too, so that they are other ones than those of the original.
func Apart() Rule { return Rule{kind: apart} }

// Showing is for sets that only show values: to look for constants takes milliseconds, so that they take those of the system that was
// built last.
func Showing() Rule { return Rule{kind: showing} }

func (r *Rule) String() string {
	name := [...]string{"Rule", "IgnoreField", "MethodByName", "EncodeBy", "CopyBy", "ShowBy", "ByElements", "AcrossPrograms", "Holding", "Apart", "Showing"}[r.kind]
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

// NilShows reports whether people are shown which empty slices and maps are nil.
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

// Of returns the rule for t, or nil.
func (t *typeRules) Of(typ reflect.Type) *Rule {
	if typ.Kind() == reflect.Interface {
		return nil // what lies in it has a type of its own
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

// Resolve checks rules, and returns them by type and field.
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

// structWithin strips the containers off t.
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

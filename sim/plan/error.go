package plan

import (
	"reflect"
	"strings"
)

// Error tells what part of a value cannot be treated, and what to do about it.
type Error struct {
	Type reflect.Type // of the whole value
	Path string       // of the part, from Type; "" is the whole value
	Part reflect.Type // what is found there
	Verb string       // what cannot be done: "encoded" or "copied"
	Hint string       // what to do
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("state of " + typeString(e.Type) + ": ")
	if e.Path != "" {
		b.WriteString("field " + e.Path + " (" + typeString(e.Part) + ") ")
	}
	b.WriteString("cannot be " + e.Verb + ": " + e.Hint)
	return b.String()
}

// Catch, when deferred, turns a panic by a method of [Plan] or [Encoder] that refuses a value into
// an error. Other panics go on.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}

// refusal is an error under way from the part that is refused to the whole value.
type refusal struct {
	part  reflect.Type
	path  string
	verb  string
	hint  string // "": made from steps
	steps []step // innermost first
}

// step is one struct field on the way to a part.
type step struct {
	in    reflect.Type
	field string
}

func refuse(part reflect.Type, hint string) *refusal {
	return &refusal{part: part, verb: "encoded", hint: hint}
}

// under notes that what is refused lies in the field of a struct.
func (r *refusal) under(in reflect.Type, field string) *refusal {
	r.path = joinPath(field, r.path)
	r.steps = append(r.steps, step{in, field})
	return r
}

// inside notes that what is refused lies in a container's elements.
func (r *refusal) inside(brackets string) *refusal {
	r.path = joinPath(brackets, r.path)
	return r
}

// refusalOf makes an error about a whole value one about a part of a larger value.
func refusalOf(err error) *refusal {
	e := err.(*Error)
	r := &refusal{part: e.Part, path: e.Path, verb: e.Verb, hint: e.Hint}
	if r.part == nil {
		r.part = e.Type
	}
	return r
}

func joinPath(a, b string) string {
	if a == "" || b == "" || b[0] == '[' {
		return a + b
	}
	return a + "." + b
}

// whole makes the error about a value of type t.
func (r *refusal) whole(t reflect.Type) *Error {
	e := &Error{Type: t, Path: r.path, Part: r.part, Verb: r.verb, Hint: r.hint}
	if e.Path == "" && e.Hint == "" {
		e.Hint = "it is a " + r.part.Kind().String()
	}
	if len(r.steps) == 0 {
		return e
	}
	if e.Hint != "" {
		e.Hint += "; "
	}
	e.Hint += r.advice(t)
	return e
}

// advice says which rule or tag to add, for a type that the user can name.
func (r *refusal) advice(root reflect.Type) string {
	home := pkgOf(root)
	at, path := len(r.steps)-1, ""
	for i, s := range r.steps {
		if s.in.Name() != "" && (isExported(s.in) || s.in.PkgPath() == home) {
			at = i
			break
		}
	}
	for _, s := range r.steps[:at+1] {
		path = joinPath(s.field, path)
	}
	rule := func(name string) string {
		return "sim." + name + "[" + r.steps[at].in.String() + "](\"" + path + "\")"
	}
	if r.verb == "copied" {
		return "add a sim.CopyBy rule for " + typeString(r.part) + " or let it be rebuilt by replay"
	}
	options := []string{"add " + rule("IgnoreField")}
	if r.part.Kind() == reflect.Func && strings.HasSuffix(r.path, r.steps[0].field) {
		options = append(options, rule("MethodByName"))
	}
	if r.steps[0].in.PkgPath() == home {
		return strings.Join(append(options, "tag the field `macemc:\"-\"`"), " or ")
	}
	options = append(options, "sim.EncodeBy["+r.steps[at].in.String()+"]")
	for _, s := range r.steps {
		if s.in.PkgPath() == home {
			options = append(options, "tag field "+s.field+" of "+s.in.String()+" `macemc:\"-\"`")
			break
		}
	}
	return strings.Join(options, " or ")
}

func isExported(t reflect.Type) bool {
	return t.Name() != "" && t.Name()[0] >= 'A' && t.Name()[0] <= 'Z'
}

// pkgOf is the package of the user's own type that t is built from.
func pkgOf(t reflect.Type) string {
	for t.Name() == "" {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		default:
			return t.PkgPath()
		}
	}
	return t.PkgPath()
}

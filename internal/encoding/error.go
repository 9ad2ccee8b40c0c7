package encoding

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Error describes a part of a value that cannot be treated, and the remedy.
type Error struct {
	Role string       // role of the whole value; empty means a state
	Type reflect.Type // of the whole value
	Path string       // of the part, from Type; empty means the whole value
	Part reflect.Type // type of the part
	Verb string       // the impossible treatment or role: "encoded", "copied", "a timer"
	Hint string       // the remedy

	reason string // the hint without the rule to add
	steps  []step // from Part, innermost first, up to the next interface
	enough bool   // the hint is complete, no rule is needed
}

func (e *Error) Error() string {
	field := ""
	if e.Path != "" {
		field = "field " + e.Path + " (" + typeString(e.Part) + ") "
	}
	return cmp.Or(e.Role, "state of") + " " + typeString(e.Type) + ": " + field + "cannot be " + e.Verb + ": " + e.Hint
}

// As returns err with the role of its value if it is an [*Error].
func As(role string, err error) error {
	if e, ok := err.(*Error); ok {
		c := *e
		c.Role = role
		return &c
	}
	return err
}

// Catch, when deferred, turns the panic of a method of [Plan] or [Encoder] about an unsupported value into an error.
// Other panics continue.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}

// unsupportedType is an error that propagates from the unsupported part to the whole value.
type unsupportedType struct {
	part  reflect.Type
	path  string
	verb  string
	hint  string // if empty, made from steps
	steps []step // innermost first

	enough bool // the hint is complete, no rule is needed
}

// step is one struct field on the path to a part.
type step struct {
	in    reflect.Type
	field string
}

func refuse(part reflect.Type, hint string) *unsupportedType {
	return &unsupportedType{part: part, verb: "encoded", hint: hint}
}

// under records that the unsupported part is in a field of a struct.
func (r *unsupportedType) under(in reflect.Type, field string) *unsupportedType {
	r.path = joinPath(field, r.path)
	r.steps = append(r.steps, step{in, field})
	return r
}

// inside records that the unsupported part is in the elements of a container.
func (r *unsupportedType) inside(brackets string) *unsupportedType {
	r.path = joinPath(brackets, r.path)
	return r
}

// unsupportedTypeOf converts an error about a whole value to one about a part of a larger value.
func unsupportedTypeOf(err error) *unsupportedType {
	e := err.(*Error)
	r := &unsupportedType{part: e.Part, path: e.Path, verb: e.Verb, hint: e.reason, steps: slices.Clone(e.steps), enough: e.enough}
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

// whole returns the error about a value of type t.
func (r *unsupportedType) whole(t reflect.Type) *Error {
	if len(r.steps) == 0 && r.hint == "" {
		r.hint = "it is a " + r.part.Kind().String()
	}
	e := &Error{Type: t, Path: r.path, Part: r.part, Verb: r.verb, Hint: r.hint, reason: r.hint, steps: r.steps, enough: r.enough}
	if advice := r.advice(t); advice != "" && !r.enough {
		if e.Hint != "" {
			e.Hint += "; "
		}
		e.Hint += advice
	}
	return e
}

// outermost returns the step from the whole value of type t, if t is a struct or a pointer to one and an interface
// lies between it and the other steps.
func (r *unsupportedType) outermost(t reflect.Type) (s step, ok bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || len(r.steps) > 0 && r.steps[len(r.steps)-1].in == t {
		return s, false
	}
	field := r.path
	if i := strings.IndexAny(field, ".["); i >= 0 {
		field = field[:i]
	}
	if _, ok := t.FieldByName(field); !ok {
		return s, false
	}
	return step{t, field}, true
}

// programs is the package of services with state rules of its own, which their systems need.
const programs = "github.com/macemc/macemc/bubble"

// advice returns the rule or tag to add, for a type that the user can name. An empty string means none.
func (r *unsupportedType) advice(root reflect.Type) string {
	if root == nil {
		return ""
	}
	home := pkgOf(root)
	if outer, ok := r.outermost(root); ok {
		switch {
		case r.verb == "copied":
		case len(r.steps) == 0:
			r = &unsupportedType{part: r.part, path: r.path, verb: r.verb, steps: []step{outer}}
		case r.steps[0].in.PkgPath() != home: // of another library: its holder is the user's
			return "add sim.IgnoreField[" + outer.in.String() + "](\"" + outer.field + "\") to System.State, or tag field " +
				outer.field + " of " + outer.in.String() + " `macemc:\"-\"`"
		}
	}
	if len(r.steps) == 0 {
		return ""
	}
	if home == programs && r.steps[0].in.PkgPath() == programs {
		return "set System.State to bubble.Rules"
	}
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
	rules := []string{rule("IgnoreField")}
	if r.part.Kind() == reflect.Func && strings.HasSuffix(r.path, r.steps[0].field) {
		rules = append(rules, rule("MethodByName"))
	}
	tag := ""
	if r.steps[0].in.PkgPath() == home {
		tag = ", or tag the field `macemc:\"-\"`"
	} else {
		rules = append(rules, "sim.EncodeBy["+r.steps[at].in.String()+"]")
		for _, s := range r.steps {
			if s.in.PkgPath() == home {
				tag = ", or tag field " + s.field + " of " + s.in.String() + " `macemc:\"-\"`"
				break
			}
		}
	}
	return "add " + strings.Join(rules, " or ") + " to System.State" + tag
}

func isExported(t reflect.Type) bool {
	return t.Name() != "" && t.Name()[0] >= 'A' && t.Name()[0] <= 'Z'
}

// pkgOf returns the package of the user's own type that t is built from.
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

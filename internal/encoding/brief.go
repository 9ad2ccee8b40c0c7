package encoding

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/encoding/typeinfo"
)

const (
	// largeStruct is the number of fields from which texts for people omit the zero fields of a struct.
	largeStruct = 8

	// Limits of a brief text, which keep it cheap and on one line.
	briefDepth  = 5
	briefLength = 400
	briefItems  = 16
)

// briefer renders the exported fields of a value that a function encodes. A plan does not know the parts of such a
// value.
type briefer struct {
	rules *rule.List
	left  int
}

// brief returns a text for people of a value that a function encodes. An empty string means that no text is
// known to depend only on the content.
func (r *renderer) brief(v any) string {
	b := briefer{rules: r.set.rules, left: briefLength}
	value := reflect.ValueOf(v)
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	name := typeinfo.Short(value.Type())
	text, _ := rule.Contained(value.Type(), func() string {
		switch {
		case value.Kind() == reflect.Struct && len(shown(value.Type())) > 0:
			return name + b.fields(value, 0)
		case value.Kind() != reflect.Struct && value.Kind() != reflect.Pointer:
			text := b.text(value, 0)
			if text != "" && text[0] != '[' {
				text = "(" + text + ")"
			}
			return name + text
		}
		own := ownText(v)
		if own == "" {
			return ""
		}
		return name + "(" + own + ")"
	})
	return text
}

// ownText returns the own text of a value without exported fields, if two calls agree and the text contains no
// addresses.
func ownText(v any) string {
	say := func() string {
		switch v := v.(type) {
		case fmt.Stringer:
			return v.String()
		case json.Marshaler:
			if text, err := v.MarshalJSON(); err == nil {
				return string(text)
			}
		}
		return ""
	}
	text := say()
	if len(text) > briefLength || strings.Contains(text, "0x") || say() != text {
		return ""
	}
	return rule.OneLine(text)
}

// shownField is a displayed field.
type shownField struct {
	index int
	name  string
}

// shown returns the fields of a struct without bookkeeping.
func shown(t reflect.Type) []shownField {
	var list []shownField
	for i := range t.NumField() {
		if name := strings.TrimPrefix(t.Field(i).Name, hiddenField); ast.IsExported(name) && !bookkeeping(name) {
			list = append(list, shownField{i, name})
		}
	}
	return list
}

// hiddenField is the name prefix of unexported fields for which generated protobuf code has accessors.
const hiddenField = "xxx_hidden_"

// bookkeeping reports whether a field of that name is internal to generated protobuf code.
func bookkeeping(name string) bool { return strings.HasPrefix(name, "XXX_") }

func (b *briefer) fields(v reflect.Value, depth int) string {
	var parts []string
	for _, f := range shown(v.Type()) {
		if field := v.Field(f.index); !field.IsZero() && b.left > 0 {
			parts = append(parts, f.name+":"+b.spend(b.text(field, depth+1)))
		}
	}
	if b.left <= 0 { // some may be missing
		parts = append(parts, "…")
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func (b *briefer) spend(text string) string {
	b.left -= len(text) + 1
	return text
}

func (b *briefer) text(v reflect.Value, depth int) string {
	if v.CanInterface() && v.Kind() != reflect.Interface {
		if rule := b.rules.Show.Of(v.Type()); rule != nil && !(v.Kind() == reflect.Pointer && v.IsNil()) {
			if text, failed := rule.ShowBoxed(v.Interface()); failed == "" {
				return text
			}
		}
	}
	if depth > briefDepth || b.left <= 0 {
		return "…"
	}
	switch v.Kind() {
	case reflect.Struct:
		return b.fields(v, depth)
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return b.text(v.Elem(), depth+1)
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		v = v.Elem()
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		name := typeinfo.Short(v.Type())
		if v.Kind() == reflect.Struct {
			return name + b.text(v, depth+1)
		}
		return name + "(" + b.text(v, depth+1) + ")"
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return bytesText(bytesOf(v))
		}
		return b.elements(v, depth)
	case reflect.Map:
		return b.entries(v, depth)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return v.Type().String()
	case reflect.String:
		return quote(v.String(), false)
	}
	if s, ok := stringer(v); ok {
		return s.String()
	}
	return plain(v)
}

// stringer returns an integer with named values as a Stringer.
func stringer(v reflect.Value) (fmt.Stringer, bool) {
	if !v.CanInterface() || !v.CanInt() && !v.CanUint() {
		return nil, false
	}
	s, ok := v.Interface().(fmt.Stringer)
	return s, ok
}

func bytesOf(v reflect.Value) []byte {
	b := make([]byte, min(v.Len(), briefLength))
	for i := range b {
		b[i] = byte(v.Index(i).Uint())
	}
	return b
}

func (b *briefer) elements(v reflect.Value, depth int) string {
	var parts []string
	for i := range min(v.Len(), briefItems) {
		parts = append(parts, b.spend(b.text(v.Index(i), depth+1)))
	}
	if v.Len() > briefItems {
		parts = append(parts, "and "+strconv.Itoa(v.Len()-briefItems)+" more")
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func (b *briefer) entries(v reflect.Value, depth int) string {
	var parts []string
	for _, key := range v.MapKeys() {
		parts = append(parts, b.text(key, depth+1)+":"+b.text(v.MapIndex(key), depth+1))
	}
	slices.Sort(parts)
	if n := len(parts) - briefItems; n > 0 {
		parts = append(parts[:briefItems], "and "+strconv.Itoa(n)+" more")
	}
	return "[" + b.spend(strings.Join(parts, " ")) + "]"
}

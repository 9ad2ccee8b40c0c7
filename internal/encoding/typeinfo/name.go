// Package typeinfo names types and relates them.
package typeinfo

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
)

// Name returns the full name of t with package paths, which is the same in every process.
func Name(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + Name(t.Elem())
	case reflect.Slice:
		return "[]" + Name(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + Name(t.Elem())
	case reflect.Map:
		return "map[" + Name(t.Key()) + "]" + Name(t.Elem())
	case reflect.Struct:
		var b strings.Builder
		b.WriteString("struct{")
		for i := range t.NumField() {
			f := t.Field(i)
			if i > 0 {
				b.WriteByte(';')
			}
			if f.Anonymous {
				b.WriteByte('^')
			}
			b.WriteString(f.PkgPath + " " + f.Name + " " + Name(f.Type))
			if f.Tag != "" {
				b.WriteString(" " + strconv.Quote(string(f.Tag)))
			}
		}
		b.WriteByte('}')
		return b.String()
	}
	return t.String() // interfaces and unsupported types
}

// Short returns the name of t for people, without packages.
func Short(t reflect.Type) string {
	full := cmp.Or(t.Name(), t.String())
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		return "*" + Short(t.Elem())
	}
	var b strings.Builder
	start := 0 // of a possible package path
	for i := range len(full) {
		switch full[i] {
		case '.', '/':
			start = i + 1
		case '[', ']', ',', '*', '{', '}', ' ', ';', '(', ')':
			b.WriteString(full[start : i+1])
			start = i + 1
		}
	}
	b.WriteString(full[start:])
	return b.String()
}

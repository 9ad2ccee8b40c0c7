package program

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Entry returns the first line of a test's last log entry. If that line is only a position, as with package testify, Entry appends a later
// line: the one that begins with "Error:" if there is one.
func Entry(output string) string {
	rest := ""
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
		case !strings.HasPrefix(line, "     ") && strings.HasSuffix(text, ":"):
			return strings.TrimSpace(text + " " + rest)
		case !strings.HasPrefix(line, "     "):
			return text
		case !strings.HasPrefix(rest, "Error:") || strings.HasPrefix(text, "Error:"):
			rest = strings.Join(strings.Fields(text), " ")
		}
	}
	return rest
}

// PanicText describes the value of a panic. The runtime has already replaced an error or a Stringer by its text.
func PanicText(v any) string {
	if t := reflect.TypeOf(v); t != nil && !printable(t) {
		return "a value of type " + t.String()
	}
	return fmt.Sprint(v)
}

var methodsOfFmt = []reflect.Type{reflect.TypeFor[fmt.Formatter](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[error]()}

// printable reports whether package fmt prints the values of a type without calling their methods or following references. The methods
// could block outside of the bubble of the test, and the references form cycles.
func printable(t reflect.Type) bool {
	if slices.ContainsFunc(methodsOfFmt, t.Implements) {
		return false
	}
	switch t.Kind() {
	case reflect.Array:
		return printable(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !printable(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return false
	}
	return true
}

package program

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Entry returns the first line of a test's last log entry. If that line is only a position, as with package testify, Entry appends a later
// line: the one that begins with "Error:" if there is one, and the next one if it ends with a colon.
func Entry(output string) string {
	rest, continuation := "", ""
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
		case !strings.HasPrefix(line, "     ") && strings.HasSuffix(text, ":"):
			return strings.TrimSpace(text + " " + rest)
		case !strings.HasPrefix(line, "     "):
			return text
		case !strings.HasPrefix(rest, "Error:") || strings.HasPrefix(text, "Error:"):
			if rest = strings.Join(strings.Fields(text), " "); strings.HasPrefix(rest, "Error:") && strings.HasSuffix(rest, ":") && continuation != "" {
				rest += " " + continuation
			}
		}
		if continuation = ""; strings.HasPrefix(strings.TrimLeft(line, " "), "\t ") { // no label begins it
			continuation = strings.Join(strings.Fields(text), " ")
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

// noise matches addresses, UUIDs, hexadecimal words, durations and numbers.
var noise = regexp.MustCompile(`(?i)0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8,}\b|` +
	`-?(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+\b|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`)

// VariableFolder is an environment variable: the folder of the user, from which printed file names start.
const VariableFolder = "MACEMC_TEST_FOLDER"

// VariableInstant is an environment variable: the instant at which clocks of runs begin, and after a comma that of the command. Both are in
// nanoseconds since 1970.
const VariableInstant = "MACEMC_TEST_INSTANT"

// folders are replaced in messages, the longest first.
var folders = func() (list []string) {
	here, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	for _, dir := range []string{here, os.Getenv(VariableFolder), os.TempDir(), home, strings.TrimSuffix(Root, "/src/")} {
		if len(dir) > 1 {
			list = append(list, strings.TrimSuffix(dir, "/"))
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}()

// General removes from a message what may differ between runs.
func General(message string) string {
	for _, dir := range folders {
		message = strings.ReplaceAll(message, dir+"/", "DIR/")
	}
	return noise.ReplaceAllStringFunc(strings.Join(strings.Fields(Shorten(message)), " "), func(text string) string {
		if strings.ContainsAny(text, "0123456789") {
			return "N"
		}
		return text
	})
}

// Shorten omits the end of a message of more than 4 KiB.
func Shorten(message string) string {
	const most = 4096
	if len(message) <= most {
		return message
	}
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(message[:most], ""), len(message))
}

// Plural returns a number with a noun, in singular or plural.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// OneLine returns the first line of a text.
func OneLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

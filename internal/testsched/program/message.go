package program

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Entry returns the first line of a test's last log entry. If that line is only a position, as with package testify, Entry appends the
// text behind "Messages:" and that behind "Error:", or else the first line below.
func Entry(output string) string {
	lines := strings.Split(output, "\n")
	for i, line := range slices.Backward(lines) {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(line, "     ") {
			continue
		}
		if strings.HasSuffix(text, ":") {
			text = strings.TrimSpace(text + " " + reason(lines[i+1:]))
		}
		return text
	}
	return reason(lines)
}

// reason describes a failure by the lines below its position.
func reason(lines []string) string {
	const most = 2 // lines below one that ends with a colon
	texts, label, first := map[string][]string{}, "", ""
	for _, line := range lines {
		name, text := Labeled(line)
		if name != "" {
			label = name
		} else if label != "" && text == "" {
			label = "." // what follows an empty line, such as a diff, is not part of the text
		}
		if text != "" {
			texts[label] = append(texts[label], text)
			if first == "" {
				first = text
			}
		}
	}
	failure := texts["Error"]
	if len(failure) == 0 {
		return first
	}
	text := failure[0]
	if strings.HasSuffix(text, ":") && len(failure) > 1 {
		text += " " + strings.Join(failure[1:min(len(failure), 1+most)], ", ")
	}
	if why := texts["Messages"]; len(why) > 0 {
		return why[0] + ": " + text
	}
	return text
}

// Labeled returns the label of a line of package testify, such as Messages, and the text behind it. If there is no label, it is the whole
// line. Repeated spaces are omitted.
func Labeled(line string) (label, text string) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "\t"); ok {
		label, text, ok = strings.Cut(rest, ":")
		if _, value, tabbed := strings.Cut(text, "\t"); ok && tabbed && strings.TrimSpace(label) != "" && label[0] != ' ' {
			return label, words(value)
		}
	}
	return "", words(line)
}

// words returns a line without repeated spaces. Package testify aligns colons.
func words(line string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(line), " "), "actual :", "actual:")
}

// PanicText describes the value of a panic. The runtime has already replaced an error or a Stringer by its text.
func PanicText(v any) string {
	if t := reflect.TypeOf(v); t != nil && !printable(t) {
		return "a value of type " + t.String()
	}
	return fmt.Sprint(v)
}

// OfOperation reports whether the text of a panic is that of an operation, and not of a call of panic.
func OfOperation(text string) bool {
	return slices.ContainsFunc([]string{"runtime error: ", "sync: ", "close of closed channel", "close of nil channel", "send on closed channel"},
		func(prefix string) bool { return strings.HasPrefix(text, prefix) })
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

// OneLine returns the first line of a text that is not blank. If it ends with a colon, as if package testify follows, OneLine appends the
// reason below.
func OneLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line = strings.TrimSpace(line); strings.HasSuffix(line, ":") {
		line += " " + reason(strings.Split(rest, "\n"))
	}
	return strings.TrimSpace(line)
}

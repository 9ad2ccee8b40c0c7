package replay

import (
	"iter"
	"strings"
)

// Brief shortens the text of a value: a struct without fields to its type's name, and a struct with one field to
// that field's value: "resend{}" to "resend", "Ping{Seq:2}" to "Ping{2}". It keeps everything else, including words
// before the value.
func Brief(text string) string {
	open := strings.IndexByte(text, '{')
	if at := strings.LastIndexByte(text[:max(open, 0)], ' '); at >= 0 {
		return text[:at+1] + Brief(text[at+1:])
	}
	if open <= 0 || !strings.HasSuffix(text, "}") || !isName(text[:open]) {
		return text
	}
	inner := text[open+1 : len(text)-1]
	if inner == "" {
		return text[:open]
	}
	name, value, ok := strings.Cut(inner, ":")
	if !ok || !isName(name) || !single(value) {
		return text
	}
	return text[:open] + "{" + value + "}"
}

// isName reports whether s can be the name of a type or field.
func isName(s string) bool {
	return s != "" && !strings.ContainsAny(s, " {}[]()\":")
}

// single reports whether s is one value: it has no space or closing bracket outside brackets and quotes.
func single(s string) bool {
	open := 0
	for i, depth := range nesting(s) {
		if open = depth; depth < 0 || depth == 0 && s[i] == ' ' {
			return false
		}
	}
	return open == 0 && s != ""
}

// nesting yields each byte index of a text with its depth of nested brackets, not counting a bracket that closes
// there. A quotation counts as a bracket, and its content does not nest.
func nesting(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		depth, quoted, escaped := 0, false, false
		for i := range len(text) {
			switch c := text[i]; {
			case escaped:
				escaped = false
			case quoted && c == '\\':
				escaped = true
			case quoted && c == '"':
				quoted, depth = false, depth-1
			case c == '"':
				quoted, depth = true, depth+1
			case quoted:
			case c == '{' || c == '[' || c == '(':
				depth++
			case c == '}' || c == ']' || c == ')':
				depth--
			}
			if !yield(i, depth) {
				return
			}
		}
	}
}

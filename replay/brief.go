package replay

import "strings"

// Brief shortens the text of a value for people: a struct without fields to its type's name, and a
// struct with one field to that field's value: "resend{}" to "resend", "Ping{Seq:2}" to "Ping{2}".
// Words before stay, and so does anything else.
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

// single reports whether s is one value: no space or closing bracket outside brackets and quotes.
func single(s string) bool {
	depth := 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			if depth--; depth < 0 {
				return false
			}
		case c == ' ' && depth == 0:
			return false
		}
	}
	return depth == 0 && !quoted && s != ""
}

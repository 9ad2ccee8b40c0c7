package program

import (
	"regexp"
	"strings"
)

// Line is a line of a source file. Its methods return the text of an operand of one kind of operations, or an empty string unless all
// such operations in the line have the same one.
type Line struct {
	text   string
	code   string // the text without comments and the content of strings
	before string // the code of the line before it
}

// ReadLine returns a line of a source file. It is empty if there is none.
func ReadLine(file string, line int) (l Line) {
	s := sourceOf(file)
	if line < 1 || line > len(s.lines) {
		return l
	}
	l.text, l.code = s.lines[line-1], s.code[line-1]
	if line > 1 {
		l.before = s.code[line-2]
	}
	return l
}

// CaseOf returns the channel of a case of the select statement in a line of a source file: the nth, counted from 0, of those that send or
// receive. It is empty if it is unknown.
func CaseOf(file string, line int, sends bool, nth int) string {
	s := sourceOf(file)
	if line < 1 || line > len(s.lines) || !strings.HasSuffix(strings.TrimRight(s.code[line-1], " \t\r"), "select {") {
		return ""
	}
	depth := 0
	for i := line; i < len(s.lines); i++ {
		if l, ok := ReadLine(file, i+1).clause(); ok && depth == 0 {
			before, after, _ := strings.Cut(l.code, "<-")
			before = strings.TrimSpace(before)
			before = strings.TrimRight(before, "( ")
			receives := before == "case" || strings.HasSuffix(before, "=")
			switch {
			case strings.Contains(after, "<-"):
				return ""
			case receives == sends:
			case nth > 0:
				nth--
			case sends:
				return l.Sent()
			default:
				return l.Received()
			}
		}
		if depth += strings.Count(s.code[i], "{") - strings.Count(s.code[i], "}"); depth < 0 {
			break
		}
	}
	return ""
}

// clause returns the part of the line that belongs to the head of a case clause, if one begins there.
func (l Line) clause() (head Line, ok bool) {
	if !strings.HasPrefix(strings.TrimLeft(l.code, " \t"), "case ") {
		return head, false
	}
	depth := 0
	for i, c := range l.code {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ':' && depth == 0 && !strings.HasPrefix(l.code[i:], ":="):
			l.text, l.code = l.text[:i], l.code[:i]
			return l, true
		}
	}
	return l, true
}

// Sent returns the channel of send statements.
func (l Line) Sent() string { return l.only("<-", sent) }

// Received returns the channel of receive operations or, without an arrow, of range clauses.
func (l Line) Received() string {
	if !strings.Contains(l.code, "<-") {
		return l.only("range ", operandAfter)
	}
	return l.only("<-", received)
}

// Argument returns the first argument of calls of a function.
func (l Line) Argument(function string) string { return l.only(function+"(", argument) }

// Receiver returns the operand before calls of a method.
func (l Line) Receiver(method string) string { return l.only("."+method+"(", receiver) }

// Arguments returns the arguments of calls of a method.
func (l Line) Arguments(method string) string { return l.only("."+method+"(", arguments) }

// assigned matches a statement that assigns to one variable or field, up to the operator.
var assigned = regexp.MustCompile(`^\s*([\pL_][\pL\d_.]*)\s*(\+\+|--|([-+*/%&|^]|<<|>>|&\^)?=([^=]|$))`)

// Assigned returns the variable or field of the statement that assigns to it. Elements that append writes have no text.
func (l Line) Assigned() string {
	m := assigned.FindStringSubmatch(l.code)
	if m == nil || len(m[1]) > maxText || strings.ContainsAny(l.code, ";{") || strings.Contains(l.code, "append(") {
		return ""
	}
	return m[1]
}

// maxText is the maximum length of an object's text.
const maxText = 40

// operand locates an operand of a token that ends at an index. Equal results mean that there is none.
type operand func(code string, end int) (from, to int)

// only returns the text that find locates at an occurrence of a token, if it is the same at all occurrences.
func (l Line) only(token string, find operand) (text string) {
	code := l.code
	for at := 0; ; at++ {
		i := strings.Index(code[at:], token)
		if i < 0 {
			return text
		}
		at += i
		if token == "<-" && ofType(code, at) || word(token[0]) && at > 0 && (word(code[at-1]) || code[at-1] == '.') {
			continue
		}
		from, to := find(code, at+len(token))
		if from >= to || to-from > maxText {
			return ""
		}
		if strings.TrimSpace(code[:from]) == "" && strings.HasSuffix(strings.TrimSpace(l.before), ".") {
			return "" // it begins in an earlier line
		}
		if next := l.text[from:to]; text != "" && text != next {
			return ""
		} else {
			text = next
		}
	}
}

// ofType reports whether an arrow belongs to the type of a channel.
func ofType(code string, at int) bool {
	left, right := strings.TrimRight(code[:at], " "), strings.TrimLeft(code[at+2:], " ")
	return left != "" && lastWord(left) == "chan" || strings.HasPrefix(right, "chan") && !(len(right) > 4 && word(right[4]))
}

func lastWord(code string) string {
	i := len(code)
	for i > 0 && word(code[i-1]) {
		i--
	}
	return code[i:]
}

// receiver returns the operand before a call of a method whose name and parenthesis end at an index.
func receiver(code string, end int) (from, to int) {
	return operandBefore(code, strings.LastIndexByte(code[:end], '.'))
}

// sent returns the operand before an arrow.
func sent(code string, end int) (from, to int) {
	return operandBefore(code, len(strings.TrimRight(code[:end-2], " \t")))
}

// received returns the operand after an arrow.
func received(code string, at int) (from, to int) {
	if left := strings.TrimRight(code[:at-2], " \t"); left != "" &&
		(word(left[len(left)-1]) || strings.HasSuffix(left, ")") || strings.HasSuffix(left, "]")) &&
		!keyword(lastWord(left)) {
		return 0, 0 // a send
	}
	return operandAfter(code, at)
}

// argument returns the first argument of a call whose parenthesis ends at an index.
func argument(code string, at int) (from, to int) {
	depth := 0
	for i := at; i < len(code); i++ {
		switch c := code[i]; {
		case depth == 0 && (c == ')' || c == ','):
			return at, i
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
	}
	return 0, 0
}

// arguments returns the arguments of a call whose parenthesis ends at an index.
func arguments(code string, at int) (from, to int) {
	return at, closing(code, at-1)
}

// operandBefore returns the operand that ends at an index: names, selectors, indices and calls.
func operandBefore(code string, end int) (from, to int) {
	i := end
	for i > 0 {
		if c := code[i-1]; c == ')' || c == ']' {
			if i = opening(code, i-1); i < 0 {
				return 0, 0
			}
			if i > 0 && (word(code[i-1]) && !keyword(lastWord(code[:i])) || code[i-1] == ')' || code[i-1] == ']') {
				continue // a call or an index
			}
			if c == ']' || i > 0 && code[i-1] == '}' {
				return 0, 0
			}
			return i, end
		}
		name := lastWord(code[:i])
		if name == "" || keyword(name) {
			return 0, 0
		}
		i -= len(name)
		if i == 0 || code[i-1] != '.' {
			return i, end
		}
		i--
	}
	return 0, 0
}

// operandAfter returns the operand that begins at an index or behind the blanks there.
func operandAfter(code string, at int) (from, to int) {
	for at < len(code) && code[at] == ' ' {
		at++
	}
	i := at
	for i < len(code) {
		start := i
		for i < len(code) && word(code[i]) {
			i++
		}
		if i == start && (start != at || i == len(code) || code[i] != '(') || keyword(code[start:i]) {
			return 0, 0
		}
		for i < len(code) && (code[i] == '(' || code[i] == '[') {
			if i = closing(code, i) + 1; i == 0 {
				return 0, 0
			}
		}
		if i == len(code) || code[i] != '.' {
			return at, i
		}
		i++
	}
	return 0, 0
}

// opening returns the index of the bracket that the one at an index closes, or -1.
func opening(code string, at int) int {
	depth := 0
	for i := at; i >= 0; i-- {
		if strings.IndexByte(")]}", code[i]) >= 0 {
			depth++
		} else if strings.IndexByte("([{", code[i]) >= 0 {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closing returns the index of the bracket that closes the one at an index, or -1.
func closing(code string, at int) int {
	depth := 0
	for i := at; i < len(code); i++ {
		if strings.IndexByte("([{", code[i]) >= 0 {
			depth++
		} else if strings.IndexByte(")]}", code[i]) >= 0 {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func word(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// keyword reports whether a word next to an operand is not part of it.
func keyword(word string) bool {
	switch word {
	case "case", "return", "go", "defer", "if", "for", "switch", "range", "func", "select", "else", "chan", "map", "struct", "interface":
		return true
	}
	return false
}

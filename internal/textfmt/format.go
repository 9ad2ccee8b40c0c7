package textfmt

import (
	"fmt"
	"strconv"
	"strings"
)

// Number formats n with a comma between groups of three digits.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns a count with its noun, such as "1 step" or "1,200 steps".
func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return Number(n) + " " + what
}

// FirstLine returns the first line of a text.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// Few returns at most the given number of texts of a list, and the number of the rest.
func Few(list []string, most int) []string {
	if more := len(list) - most; more > 0 {
		return append(list[:most:most], fmt.Sprintf("and %d more", more))
	}
	return list
}

// Truncate shortens a text to n letters, ending in an ellipsis if it was longer.
func Truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return s
}

// CutPair shortens two texts to n letters each, around the first place where they differ: what they have in common before it gives way
// first. Cut ends are marked.
func CutPair(a, b string, n int) (string, string) {
	x, y := []rune(a), []rune(b)
	longest := max(len(x), len(y))
	if longest <= n {
		return a, b
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	// A third of the room leads to the difference, and more if it is near the end.
	from := max(0, min(same-n/3, longest-n))
	around := func(r []rune) string {
		if from == 0 {
			return Truncate(string(r), n)
		}
		return Truncate("…"+string(r[from+1:]), n)
	}
	return around(x), around(y)
}

// Names returns two texts without the numbers behind their names, as in "joined(2)", if the names differ.
func Names(a, b string) (string, string) {
	x, y := named(a), named(b)
	if x == "" || y == "" || x == y {
		return a, b
	}
	return x, y
}

// named returns the name in front of a number in parentheses. An empty string means that the text has another form.
func named(s string) string {
	at := strings.LastIndexByte(s, '(')
	if at < 1 || !strings.HasSuffix(s, ")") {
		return ""
	}
	if _, err := strconv.Atoi(s[at+1 : len(s)-1]); err != nil {
		return ""
	}
	return s[:at]
}

package task

import (
	"strings"
	"unicode"
)

// ShellWord quotes a word where a shell would not leave it as it is.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_=.,:/+@%", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

package task

import (
	"strings"
	"unicode"
)

// ShellWord quotes a word if a shell would change it.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("-_=.,:/+@%", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

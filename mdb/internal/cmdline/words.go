package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Split divides a line into commands, and these into words. Quotes '...' and "..." protect spaces and semicolons, and so do slashes around
// a whole word. The slashes remain part of the word.
func Split(line string) ([][]string, error) {
	var (
		all   [][]string
		words []string
		word  strings.Builder
		in    bool // inside a word
	)
	end := func() {
		if in {
			words = append(words, word.String())
		}
		word.Reset()
		in = false
	}
	rs := []rune(line)
	for i := 0; i < len(rs); i++ {
		switch c := rs[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
		case c == ';':
			end()
			if len(words) > 0 {
				all = append(all, words)
			}
			words = nil
		case c == '#' && !in && len(words) == 0:
			return all, nil
		case quotes(rs, i, in, expression(words)):
			j := closing(rs, i, expression(words))
			if j >= len(rs) {
				return nil, fmt.Errorf("%q: a quote %c is not closed", line, c)
			}
			in = true
			if c == '/' || expression(words) {
				word.WriteString(string(rs[i : j+1]))
			} else {
				word.WriteString(string(rs[i+1 : j]))
			}
			i = j
		default:
			in = true
			word.WriteRune(c)
		}
	}
	end()
	if len(words) > 0 {
		all = append(all, words)
	}
	return all, nil
}

// quotes reports whether a quoted text begins at rs[i]. in means that it is inside a word, and expression that it is part of an expression.
func quotes(rs []rune, i int, in, expression bool) bool {
	switch rs[i] {
	case '\'', '"':
		return true
	case '`':
		return expression
	case '/':
		return !in && !expression && slices.Contains(rs[i+1:], '/')
	}
	return false
}

// closing returns the index of the quote that ends the text that begins at rs[i], or the number of runes.
func closing(rs []rune, i int, expression bool) int {
	escapes := rs[i] == '/' || expression && rs[i] != '`'
	j := i + 1
	for j < len(rs) && rs[j] != rs[i] {
		if rs[j] == '\\' && escapes && j+1 < len(rs) {
			j++
		}
		j++
	}
	return min(j, len(rs))
}

// Join is the inverse of Split for one command.
func Join(words []string) string {
	if expression(words) {
		return strings.Join(words, " ")
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		read, err := Split(w)
		switch {
		case err == nil && len(read) == 1 && len(read[0]) == 1 && read[0][0] == w:
			quoted[i] = w
		case strings.Contains(w, "'") && !strings.Contains(w, `"`):
			quoted[i] = `"` + w + `"`
		default:
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// Usagef returns an error about a command's arguments.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// IsUsage reports whether an error is about a command's arguments.
func IsUsage(err error) bool {
	_, ok := errors.AsType[*usageError](err)
	return ok
}

type usageError struct{ why string }

func (u *usageError) Error() string { return u.why }

// expression reports whether words begin a command with an expression of Go, whose quotes are part of it.
func expression(words []string) bool {
	return len(words) > 0 && slices.Contains([]string{"print", "watch", "when", "set"}, words[0])
}

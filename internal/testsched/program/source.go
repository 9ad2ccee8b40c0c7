package program

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is a source file, by lines. code has no comments and no content of strings.
type source struct{ lines, code []string }

var sources = map[string]*source{}

// sourceOf reads a source file. A file that is missing has no text.
func sourceOf(file string) *source {
	s := sources[file]
	if s == nil {
		text, _ := os.ReadFile(file)
		s = &source{strings.Split(string(text), "\n"), strings.Split(codeOf(string(text)), "\n")}
		sources[file] = s
	}
	return s
}

// DescribeLine returns the text of a line, with its number among equal ones of the function if it is not the first. If the source is
// missing, it returns the position.
func DescribeLine(file string, line int) string {
	lines := sourceOf(file).lines
	if line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" {
		return fmt.Sprintf("%s:%d", filepath.Base(file), line)
	}
	text, n := strings.Join(strings.Fields(lines[line-1]), " "), 0
	for _, l := range slices.Backward(lines[:line]) {
		if strings.Join(strings.Fields(l), " ") == text {
			n++
		}
		if strings.HasPrefix(l, "func ") {
			break
		}
	}
	if n > 1 {
		return fmt.Sprintf("`%s` (%d)", text, n)
	}
	return "`" + text + "`"
}

// codeOf replaces comments of a source file by blanks, and strings by underscores. Newlines remain.
func codeOf(text string) string {
	code := []byte(text)
	for i := 0; i < len(code); {
		end, with := i+1, byte('_')
		switch c := code[i]; {
		case strings.HasPrefix(text[i:], "//"):
			end, with = until(text, i+2, "\n"), ' '
		case strings.HasPrefix(text[i:], "/*"):
			end, with = until(text, i+2, "*/")+2, ' '
		case c == '`':
			end = until(text, i+1, "`") + 1
		case c == '"' || c == '\'':
			for end < len(text) && text[end] != c && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end++
		default:
			i++
			continue
		}
		for end = min(end, len(code)); i < end; i++ {
			if code[i] != '\n' {
				code[i] = with
			}
		}
	}
	return string(code)
}

func until(text string, from int, token string) int {
	if i := strings.Index(text[from:], token); i >= 0 {
		return from + i
	}
	return len(text)
}

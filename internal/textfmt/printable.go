package textfmt

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces control characters, which terminals interpret, characters that change the direction of text, and
// those that XML and UTF-8 exclude. It keeps line ends and tabs.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == 0xfffe || r == 0xffff {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Printer returns a writer that applies [Printable] to its input.
func Printer(w io.Writer) io.Writer { return &printer{w: w} }

type printer struct {
	w    io.Writer
	rest []byte // the beginning of a character with its end still unwritten
}

// Write implements [io.Writer].
func (p *printer) Write(b []byte) (int, error) {
	text := slices.Concat(p.rest, b)
	whole := len(text)
	for at := whole - 1; at >= max(0, whole-utf8.UTFMax); at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	p.rest = text[whole:]
	if _, err := io.WriteString(p.w, Printable(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

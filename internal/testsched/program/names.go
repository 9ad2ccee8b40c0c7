package program

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern returns the value of -run that selects a test, or one seed of a fuzz test.
func Pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// allSpecs ends the name of an ordered container of specs.
const allSpecs = "/..."

// Spec returns the name by which a spec of a test is explored, like that of a subtest. The text begins with the description of the suite.
// ordered means that it is that of an ordered container, whose specs are explored together.
func Spec(test, text string, ordered bool) string {
	if ordered {
		text = strings.TrimRight(text, " ") // of a container without a text
	}
	name := test + "/" + strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !strconv.IsPrint(r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, text)
	switch last, ends := strings.CutSuffix(name, allSpecs); {
	case ordered:
		return name + allSpecs
	case ends: // only containers have such names
		return last + allSpecs[:len(allSpecs)-1] + "_"
	}
	return name
}

// Focus returns the regular expression that matches the text of a spec with a name, or of the specs of an ordered container.
func Focus(name string) string {
	_, spec, _ := strings.Cut(name, "/")
	text, ordered := strings.CutSuffix(spec, allSpecs)
	pattern := strings.ReplaceAll(regexp.QuoteMeta(text), "_", ".")
	if ordered {
		pattern += "( .*)?"
	}
	return "(?s)^" + pattern + "$"
}

// Printable replaces characters that cannot be printed, such as those that control a terminal. It keeps tabs.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) || r == '\t' {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

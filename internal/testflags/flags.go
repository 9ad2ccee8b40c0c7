// Package testflags has flags of go test, and names of tests and packages, as they are in commands and files.
package testflags

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Flags are the flags of go test, other than -race, that change what a test executes or sees.
type Flags struct {
	Tags, Run, Skip string
	Short           bool
	Timeout         time.Duration
	Args            []string // of the user's program
}

// ParseFlags parses the arguments of a test binary that was built with the given tags.
func ParseFlags(tags string, args []string) Flags {
	f := Flags{Tags: tags}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch {
		case name == "-test.run":
			f.Run = value
		case name == "-test.skip":
			f.Skip = value
		case name == "-test.timeout":
			f.Timeout, _ = time.ParseDuration(value)
		case name == "-test.short":
			f.Short = value != "false"
		case !strings.HasPrefix(name, "-test."):
			f.Args = append(f.Args, arg)
		}
	}
	return f
}

// Process returns the arguments with which a process of the same binary executes one test.
func (f Flags) Process(test string) []string {
	list := []string{"-test.run=" + f.Selection(test)}
	if f.Skip != "" {
		list = append(list, "-test.skip="+f.Skip)
	}
	if f.Short {
		list = append(list, "-test.short=true")
	}
	return append(list, f.Args...)
}

// Selection returns the value of -run that selects a test, and only those of its subtests that are selected here.
func (f Flags) Selection(test string) string {
	name := strings.Split(test, "/")
	var list []string
	for _, alternative := range alternatives(f.Run) {
		switch {
		case !matches(alternative, name):
		case len(alternative) <= len(name):
			return program.Pattern(test)
		default:
			list = append(list, program.Pattern(test)+"/"+strings.Join(alternative[len(name):], "/"))
		}
	}
	if len(list) == 0 {
		return program.Pattern(test)
	}
	return strings.Join(list, "|")
}

// matches reports whether the elements of a pattern match those of a name, as far as both have some.
func matches(pattern, name []string) bool {
	for i := range min(len(name), len(pattern)) {
		if ok, err := regexp.MatchString(pattern[i], name[i]); !ok || err != nil {
			return false
		}
	}
	return true
}

// alternatives splits a value of -run like package testing: into alternatives, and these into elements, outside of brackets and
// parentheses.
func alternatives(pattern string) (list [][]string) {
	var elements []string
	start, brackets, parentheses := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case c == '(' && brackets == 0:
			parentheses++
		case c == ')' && brackets == 0:
			parentheses--
		case (c == '/' || c == '|') && brackets == 0 && parentheses == 0:
			elements = append(elements, pattern[start:i])
			start = i + 1
			if c == '|' {
				list, elements = append(list, elements), nil
			}
		}
	}
	return append(list, append(elements, pattern[start:]))
}

// Selects reports whether -run and -skip select a test, or a subtest.
func (f Flags) Selects(test string) bool {
	name := strings.Split(test, "/")
	runs := slices.ContainsFunc(alternatives(f.Run), func(a []string) bool { return matches(a, name) })
	skips := f.Skip != "" && slices.ContainsFunc(alternatives(f.Skip), func(a []string) bool { return len(a) <= len(name) && matches(a, name) })
	return runs && !skips
}

// Of returns the flags that change what one test executes, as words of a command line.
func (f Flags) Of(test string) string {
	var list []string
	if f.Tags != "" {
		list = append(list, "-tags="+f.Tags)
	}
	if f.Short {
		list = append(list, "-short")
	}
	if run := f.Selection(test); run != program.Pattern(test) {
		list = append(list, "-run="+run)
	}
	if strings.Contains(f.Skip, "/") {
		list = append(list, "-skip="+f.Skip)
	}
	if len(f.Args) > 0 {
		list = append(append(list, "-args"), f.Args...)
	}
	for i, word := range list {
		word = strings.Join(strings.Fields(word), " ")
		if strings.Trim(word, "-=,./:_"+letters) != "" {
			word = "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
		}
		list[i] = word
	}
	return strings.Join(list, " ")
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// SplitFlags splits a result of [Flags.Of] into the flags of go test and, from -args on, the arguments of the user's program.
func SplitFlags(line string) (flags, args []string) {
	var words []string
	var word strings.Builder
	quote, begun := byte(0), false
	for i := range len(line) {
		switch c := line[i]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && c == ' ':
			words = append(words, word.String())
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	for i, w := range words {
		if w == "-args" {
			return words[:i], words[i:]
		}
	}
	return words, nil
}

package testflags

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Texts from files are checked by these functions before a command or a path is made of them. Their sender may be a stranger.

// CheckPackage returns an error unless a text is an import path of one package. The go command does not take it for a flag, a folder or a
// pattern.
func CheckPackage(path string) error {
	if strings.HasPrefix(path, "-") || strings.Contains(path, "...") {
		return fmt.Errorf("%q is not an import path", path)
	}
	for element := range strings.SplitSeq(path, "/") {
		if strings.Trim(element, ".") == "" || strings.ContainsFunc(element, outsidePath) {
			return fmt.Errorf("%q is not an import path", path)
		}
	}
	return nil
}

// FormatInstant returns the text of an instant at which the clock of a run begins, in nanoseconds since 1970.
func FormatInstant(instant uint64) string {
	return time.Unix(0, int64(instant)).UTC().Format(time.RFC3339Nano)
}

// ParseInstant is the inverse of FormatInstant.
func ParseInstant(text string) (uint64, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err == nil && (t.Year() < 1971 || t.Year() > 2200) {
		err = errors.New("the clock of a run begins in the years 1971 to 2200")
	}
	return uint64(t.UnixNano()), err
}

// outsidePath reports whether an import path cannot contain a character.
func outsidePath(r rune) bool {
	return !strings.ContainsRune("-._~+", r) && !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit)
}

// CheckTest returns an error unless a text is the name of a test, or of a subtest. As a path it does not lead upwards.
func CheckTest(name string) error {
	function, _, _ := strings.Cut(name, "/")
	bad := func(r rune) bool { return r != '_' && !unicode.In(r, unicode.Letter, unicode.Digit) }
	if function == "" || strings.ContainsFunc(function, bad) || CheckText(name) != nil {
		return fmt.Errorf("%q is not the name of a test", name)
	}
	for element := range strings.SplitSeq(name, "/") {
		if element == "." || element == ".." {
			return fmt.Errorf("%q is not the name of a test", name)
		}
	}
	return nil
}

// CheckText returns an error if a text has a character that cannot be printed, such as one that controls a terminal.
func CheckText(text string) error {
	if program.Printable(text) != text {
		return fmt.Errorf("%q has a control character", text)
	}
	return nil
}

// CheckFlags returns an error unless a line is a result of [Flags.Of] for the test: it has no other flags. Flags of package testing are
// refused also behind -args, where the test binary would accept them: some write files.
func CheckFlags(test, line string) error {
	if err := CheckText(line); err != nil {
		return err
	}
	flags, args := SplitFlags(line)
	for i, word := range flags {
		name, value, valued := strings.Cut(word, "=")
		check, known := fileFlags[name]
		switch {
		case !known:
			return fmt.Errorf("%q is not a flag that a schedule records", word)
		case slices.ContainsFunc(flags[:i], func(w string) bool { return w == name || strings.HasPrefix(w, name+"=") }):
			return fmt.Errorf("%s is there twice", name)
		case valued != (check != nil):
			return fmt.Errorf("%q is not a flag that a schedule records", word)
		case valued:
			if err := check(test, value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for _, word := range args {
		if name := strings.TrimLeft(word, "-"); name != word && strings.HasPrefix(name, "test.") {
			return fmt.Errorf("%q is not an argument that a schedule records", word)
		}
	}
	return nil
}

// fileFlags are the flags of go test that Flags.Of returns, with the checks of their values; nil means that a flag has none.
var fileFlags = map[string]func(test, value string) error{
	"-short": nil,
	"-skip":  func(_, _ string) error { return nil },
	"-tags": func(_, value string) error {
		if strings.ContainsFunc(value, func(r rune) bool {
			return !strings.ContainsRune("_., ", r) && !unicode.In(r, unicode.Letter, unicode.Digit)
		}) {
			return fmt.Errorf("%q is not a list of build tags", value)
		}
		return nil
	},
	"-run": func(test, value string) error {
		for _, alternative := range alternatives(value) {
			if !strings.HasPrefix(strings.Join(alternative, "/"), program.Pattern(test)+"/") {
				return errors.New("it selects other tests")
			}
		}
		return nil
	},
}

// TestPath returns the path of the folder with the schedules of a test or subtest. Its elements are valid names of files in all systems and
// in the archives of modules.
func TestPath(test string) string {
	if test == "" {
		return ""
	}
	const longest = 80
	elements := strings.Split(test, "/")
	for i, name := range elements {
		valid := strings.Map(func(r rune) rune {
			if !strings.ContainsRune("_-+=,#@. ", r) && !unicode.In(r, unicode.Letter, unicode.Digit) {
				return '~'
			}
			return r
		}, name)
		if len(valid) > longest {
			valid = strings.ToValidUTF8(valid[:longest], "")
		}
		if valid = strings.Trim(valid, ". "); valid != name || valid == "" {
			hash := uint64(14695981039346656037) // FNV-1a
			for _, b := range []byte(name) {
				hash = (hash ^ uint64(b)) * 1099511628211
			}
			valid = fmt.Sprintf("%s~%08x", valid, uint32(hash>>32^hash))
		}
		elements[i] = valid
	}
	return strings.Join(elements, "/")
}

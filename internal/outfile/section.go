package outfile

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/infile"
)

// Section is the part of the page File between the lines <!-- NAME --> and <!-- end of NAME -->, which a command
// rewrites each time.
type Section struct{ File, Name string }

// Check checks, before any long work, whether the page has the lines.
func (s Section) Check() error {
	_, _, err := s.around()
	return err
}

// Write replaces the text between the lines, which ends with a newline, and nothing else in the page.
func (s Section) Write(text string) error {
	before, after, err := s.around()
	if err != nil {
		return err
	}
	return replace(s.File, contains([]byte(before+text+after)), rename)
}

// around returns the text before and after the section, with its lines.
func (s Section) around() (before, after string, err error) {
	begin, end := "<!-- "+s.Name+" -->\n", "<!-- end of "+s.Name+" -->"
	page, err := infile.Read(s.File)
	if err != nil {
		return "", "", err
	}
	before, rest, ok := strings.Cut(string(page), begin)
	if !ok {
		return "", "", fmt.Errorf("%s has no line %q to write after", s.File, strings.TrimSpace(begin))
	}
	i := strings.Index(rest, end)
	if i < 0 {
		return "", "", fmt.Errorf("%s has no line %q after %q", s.File, end, strings.TrimSpace(begin))
	}
	return before + begin, rest[i:], nil
}

package program

import (
	"regexp"
	"strings"
	"testing"
)

// Each name selects its specs, whose texts begin with the description of the suite.
func TestFocus(t *testing.T) {
	for _, x := range []struct {
		text    string
		ordered bool
		other   string // is not selected
	}{
		{"S a+ b/c", false, "S a+ b/c d"}, {"S two\nlines \x01", false, "two\nlines"}, {"S list", true, "S lists"}, {"S bad\xff_", false, "S bad"},
		{"S ./...", false, "S ."}, {"S cmd/...", true, "S cmd"}, {"S ", true, "T"}, {"S a_", true, "S a begins"},
	} {
		name := Spec("TestX", x.text, x.ordered)
		if focus := regexp.MustCompile(Focus(name)); !focus.MatchString(x.text) || focus.MatchString(x.other) ||
			focus.MatchString(strings.TrimSpace(x.text)+" begins") != x.ordered {
			t.Errorf("%q: %s", name, focus)
		}
	}
}

// Characters that control terminals are not printed.
func TestPrintable(t *testing.T) {
	if got, want := Printable("a\x1b[2J\tb\u202e\nc"), "a\ufffd[2J\tb\ufffd\ufffdc"; got != want || strings.Contains(Printable("\xff"), "\xff") {
		t.Errorf("got %q, want %q", got, want)
	}
}

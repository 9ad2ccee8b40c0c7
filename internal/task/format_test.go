package task

import (
	"strings"
	"testing"
)

func TestFormatOf(t *testing.T) {
	formats := [][2]string{{".txt", "text"}, {".svg", "svg"}}
	for _, c := range []struct{ asked, file, want, err string }{
		{"", "", "text", ""}, {"", "run.svg", "svg", ""}, {"text", "run.svg", "text", ""}, {"svg", "run.png", "svg", ""}, {"", "/dev/stdout", "text", ""}, {"", ".", "text", ""},
		{"", "run.png", "", "run.png says no format; accepted are .txt, .svg"}, {"png", "run.svg", "", `"png" is not available; accepted are text, svg`},
	} {
		got, err := formatOf(c.asked, c.file, formats)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("--format %q of %q: %q, %v", c.asked, c.file, got, err)
		}
	}
}

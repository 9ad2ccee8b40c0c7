package format

import (
	"strings"
	"testing"
)

func TestTable_Choose(t *testing.T) {
	table := Table[string]{{Name: "text", Ext: ".txt"}, {Name: "svg", Ext: ".svg"}}
	for _, c := range []struct{ name, file, want, err string }{
		{"", "", "text", ""}, {"", "run.svg", "svg", ""}, {"text", "run.svg", "text", ""}, {"svg", "run.png", "svg", ""}, {"", "/dev/stdout", "text", ""}, {"", ".", "text", ""},
		{"", "run.png", "", "run.png names no format; accepted are .txt, .svg"}, {"png", "run.svg", "", `"png" is not available; accepted are text, svg`},
	} {
		got, err := table.Choose(c.name, c.file)
		if got.Name != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("--format %q of %q: got %q, %v, want %q, %q", c.name, c.file, got.Name, err, c.want, c.err)
		}
	}
}

package outfile

import (
	"os"
	"path/filepath"
	"testing"
)

// A section is rewritten, and nothing around it.
func TestSection(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("before\n<!-- x -->\nold\n<!-- end of x -->\nafter\n")
	s := Section{File: page, Name: "x"}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write("new\n"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(page); string(got) != "before\n<!-- x -->\nnew\n<!-- end of x -->\nafter\n" {
		t.Errorf("got %s", got)
	}
	for _, text := range []string{"", "<!-- end of x -->\n", "<!-- x -->\nold\n", "<!-- end of x -->\n<!-- x -->\n"} {
		write(text)
		if s.Check() == nil || s.Write("new\n") == nil {
			t.Errorf("%q was accepted", text)
		}
		if got, _ := os.ReadFile(page); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if (Section{File: filepath.Dir(page), Name: "x"}).Check() == nil {
		t.Error("a folder was accepted")
	}
}

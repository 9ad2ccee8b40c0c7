package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A line is identified by its text, and by its number among equal ones of its function.
func TestDescribe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte("package x\n\nfunc f() {\n\tg()\n\tg( )\n\tg()\n}\n\nfunc h() {\n\tg()\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range []int{4, 5, 6, 10, 2, 99} {
		got = append(got, DescribeLine(file, line))
	}
	if want := []string{"`g()`", "`g( )`", "`g()` (2)", "`g()`", "x.go:2", "x.go:99"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

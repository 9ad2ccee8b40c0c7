// Package golden compares output of tests with reviewed files.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Update is the value of the flag -update, which all packages with golden files share: rewrite files instead of
// comparing.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Compare compares got with the file testdata/name of the package under test.
func Compare(t testing.TB, name string, got []byte) {
	t.Helper()
	CompareFile(t, filepath.Join("testdata", name), got)
}

// CompareFile compares got with a file.
func CompareFile(t testing.TB, file string, got []byte) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if line, g, w := Difference(string(got), string(want)); line > 0 {
		t.Errorf("%s differs in line %d (run with -update to accept):\ngot  %q\nwant %q", file, line, g, w)
	}
}

// Difference returns the number of the first line that differs, and the line in both texts, or nil after the end of
// a text. The number is 0 if the texts are equal.
func Difference(got, want string) (line int, g, w []string) {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		g, w = a[min(i, len(a)):min(i+1, len(a))], b[min(i, len(b)):min(i+1, len(b))]
		if !slices.Equal(g, w) {
			return i + 1, g, w
		}
	}
	return 0, nil, nil
}

// CompareFolder compares the files of a folder with texts by name, and fails for other files. An empty text means
// that the file is compared elsewhere.
func CompareFolder(t testing.TB, folder string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if text != "" {
			CompareFile(t, filepath.Join(folder, name), []byte(text))
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := texts[f.Name()]; !ok {
			t.Errorf("%s does not belong in %s", f.Name(), folder)
		}
	}
}

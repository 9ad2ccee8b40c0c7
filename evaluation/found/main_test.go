package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The page has a row for each test, with the version that the test's module requires.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../found.md")
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ version, test string }
	var got, want []row
	version := ""
	line := regexp.MustCompile("(?m)^\\|(?: ([^|]*?)(?: (v\\S+))?)? \\| `(Test\\w+)` \\| .* \\| .* \\| .* \\| .* \\|$")
	for _, m := range line.FindAllStringSubmatch(string(page), -1) {
		if m[1] != "" {
			version = m[2]
		}
		got = append(got, row{version, m[3]})
	}
	files, err := filepath.Glob("*/found_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		module, err := os.ReadFile(filepath.Join(filepath.Dir(file), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		version := regexp.MustCompile(`(?m)^require \S+ (v\S+?)(?:\+incompatible)?$`).FindStringSubmatch(string(module))[1]
		if regexp.MustCompile(`^v0\.0\.0-`).MatchString(version) {
			version = "" // the row has none, or the commit
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
			want = append(want, row{version, m[1]})
		}
	}
	compare := func(a, b row) int { return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(a.version, b.version)) }
	slices.SortFunc(got, compare)
	slices.SortFunc(want, compare)
	if !slices.Equal(got, want) {
		t.Errorf("rows of the page: %v\ntests: %v", got, want)
	}
}

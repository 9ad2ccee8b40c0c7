package cli

import (
	"slices"
	"testing"
)

func TestFolderFlag_FirstArgumentOnly(t *testing.T) {
	for _, c := range []struct {
		args   []string
		folder string
		rest   []string
	}{
		{nil, "", nil},
		{[]string{"-C", "dir", "./...", "-v"}, "dir", []string{"./...", "-v"}},
		{[]string{"--C=dir", "."}, "dir", []string{"."}},
		{[]string{".", "-C", "dir"}, "", []string{".", "-C", "dir"}},
		{[]string{"-C"}, "", []string{"-C"}},
	} {
		folder, rest := folderFlag(c.args)
		if folder != c.folder || !slices.Equal(rest, c.rest) {
			t.Errorf("%q: got %q and %q, want %q and %q", c.args, folder, rest, c.folder, c.rest)
		}
	}
}

func TestWithoutTags(t *testing.T) {
	for _, c := range []struct {
		args, rest []string
		tags       string
	}{
		{[]string{"./...", "-v"}, []string{"./...", "-v"}, ""},
		{[]string{"-tags", "a,b", "."}, []string{"."}, "a,b"},
		{[]string{"--tags=a", ".", "-run", "X"}, []string{".", "-run", "X"}, "a"},
		{[]string{".", "-args", "-tags", "a"}, []string{".", "-args", "-tags", "a"}, ""},
	} {
		rest, tags := withoutTags(c.args)
		if !slices.Equal(rest, c.rest) || tags != c.tags {
			t.Errorf("%q: %q and tags %q", c.args, rest, tags)
		}
	}
}

package cli

import (
	"slices"
	"testing"
)

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

package golden_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/golden"
)

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		got, want string
		line      int
	}{
		{"a\nb", "a\nb", 0}, {"", "", 0}, {"a\nb", "a\nc", 2}, {"a", "a\nb", 2}, {"a\n", "a", 2}, {"x", "y", 1},
	} {
		if line, _, _ := golden.Difference(c.got, c.want); line != c.line {
			t.Errorf("Difference(%q, %q) is in line %d, want %d", c.got, c.want, line, c.line)
		}
	}
}

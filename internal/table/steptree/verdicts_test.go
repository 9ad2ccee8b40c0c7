package steptree_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/table/steptree"
)

// The cache may forget verdicts, but not that of the last states, and confuses none.
func TestVerdicts_AgreeWithMap(t *testing.T) {
	recalled := 0
	rapid.Check(t, func(t *rapid.T) {
		var c steptree.Verdicts
		known := map[[2]uint32]uint32{}
		last, local := [2]uint32{}, rapid.OneOf(rapid.Uint32Range(0, 3), rapid.Uint32())
		for range rapid.IntRange(1, 400).Draw(t, "look-ups") {
			v := [2]uint32{local.Draw(t, "first"), local.Draw(t, "second")}
			flags := c.Of(slices.Clone(v[:]))
			switch {
			case *flags != 0 && *flags != known[v], v == last && *flags != known[v]:
				t.Fatalf("the verdict about %v is %b, want %b", v, *flags, known[v])
			case *flags != 0:
				recalled++
			}
			*flags |= rapid.SampledFrom([]uint32{steptree.IsSound, steptree.IsLive, steptree.NotLive}).Draw(t, "verdict")
			known[v], last = *flags, v
		}
	})
	if recalled == 0 {
		t.Error("nothing was remembered")
	}
}

package fpset

import (
	"testing"

	"github.com/macemc/macemc/internal/encoding"
	"pgregory.net/rapid"
)

// The table agrees with a Go map. Few different low halves make long chains.
func TestVisitedAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := New(), New()
		want := map[encoding.Fingerprint]Info{}
		for range rapid.IntRange(0, 3000).Draw(t, "n") {
			f := encoding.Fingerprint{Hi: rapid.Uint64Range(0, 200).Draw(t, "hi"), Lo: rapid.Uint64Range(0, 20).Draw(t, "lo")}
			info := Explored(rapid.IntRange(0, MaxDepth).Draw(t, "left")) | rapid.SampledFrom([]Info{0, WalkedFlag, RecoversFlag}).Draw(t, "flag")
			table := v
			if rapid.Bool().Draw(t, "other table") {
				table = w
			}
			known := table.Get(f) != 0
			if table.Add(f, info) == known {
				t.Fatalf("known: %v, but add says otherwise", known)
			}
			old := want[f]
			want[f] = max(old&^FlagMask, info&^FlagMask) | (old|info)&FlagMask | OccupiedFlag
		}
		before := v.N
		if n := v.AddAll(w); v.N != before+n || v.N != len(want) {
			t.Fatalf("%d and %d states, want %d in all", before, n, len(want))
		}
		for f, info := range want {
			if got := v.Get(f); got != info {
				t.Fatalf("%v: %b, want %b", f, got, info)
			}
		}
		v.Reset()
		for f := range want {
			if v.Get(f) != 0 {
				t.Fatal("reset left something")
			}
		}
	})
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		info Info
		left int
		want bool
	}{
		{0, 0, false}, {RecoversFlag | OccupiedFlag, 0, false}, {Explored(0), 0, true}, {Explored(0), 1, false},
		{Explored(5) | WalkedFlag, 5, true}, {Explored(MaxDepth), MaxDepth, true}, {Explored(MaxDepth - 1), MaxDepth, false},
	} {
		if got := c.info.Covers(c.left); got != c.want {
			t.Errorf("%b covers %d: %v, want %v", c.info, c.left, got, c.want)
		}
	}
}

package crashes

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The pairs that remain are the union of all sets of pairs that meet each other's obligations.
func TestDecide_AgreesWithEnumeration(t *testing.T) {
	remain, removed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "pairs")
		ends := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 2)
		a := &simulation{}
		for range n {
			p := simulationPair{wrong: rapid.SampledFrom([]string{"", "", "", "wrong"}).Draw(t, "wrong")}
			for range rapid.IntRange(0, 2).Draw(t, "obligations") {
				p.obligations = append(p.obligations, crashObligation{ends: ends.Draw(t, "ends")})
			}
			a.list = append(a.list, p)
		}
		want := 0 // a set of pairs
		for set := range 1 << n {
			has := func(k int) bool { return set>>k&1 == 1 }
			meets := true
			for k := range a.list {
				p := &a.list[k]
				meets = meets && (!has(k) || p.wrong == "" && !slices.ContainsFunc(p.obligations, func(o crashObligation) bool {
					return !slices.ContainsFunc(o.ends, has)
				}))
			}
			if meets {
				want |= set
			}
		}
		a.decide()
		for k := range a.list {
			holds := want>>k&1 == 1
			if a.list[k].fails() == holds {
				t.Fatalf("pair %d of %+v fails: %v, want %v", k, a.list, holds, !holds)
			}
			if holds {
				remain++
			} else {
				removed++
			}
		}
	})
	if remain == 0 || removed == 0 {
		t.Errorf("%d pairs remain, %d were removed", remain, removed)
	}
}

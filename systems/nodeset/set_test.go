package nodeset_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// A Set behaves like a sorted slice without duplicates.
func TestSetIsASortedSlice(t *testing.T) {
	node := rapid.Map(rapid.IntRange(0, nodeset.Max-1), func(i int) sim.NodeID { return sim.NodeID(i) })
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(node).Draw(t, "ids")
		id := node.Draw(t, "id")
		set := nodeset.Of(ids...)
		slices.Sort(ids)
		ids = slices.Compact(ids)

		if got := slices.Collect(set.All()); !slices.Equal(got, ids) {
			t.Fatalf("All: %v, want %v", got, ids)
		}
		if set.Len() != len(ids) || set.Has(id) != slices.Contains(ids, id) || set.Has(nodeset.None) {
			t.Fatalf("Len %d, Has(%d) %v", set.Len(), id, set.Has(id))
		}
		if with := set.With(id); !with.Has(id) || with.Without(id) != set.Without(id) || set.Without(nodeset.None) != set {
			t.Fatalf("With %v, Without %v", with, set.Without(id))
		}
		for i, want := range ids {
			if got := set.At(i); got != want {
				t.Fatalf("At(%d): %d, want %d", i, got, want)
			}
		}
		if len(ids) == 0 {
			return
		}
		after := ids[0]
		if i := slices.IndexFunc(ids, func(other sim.NodeID) bool { return other > id }); i >= 0 {
			after = ids[i]
		}
		if set.Lowest() != ids[0] || set.After(id) != after {
			t.Fatalf("Lowest %d, After(%d) %d, want %d and %d", set.Lowest(), id, set.After(id), ids[0], after)
		}
	})
}

func TestSetString(t *testing.T) {
	for want, set := range map[string]nodeset.Set{"{}": 0, "{0}": nodeset.Of(0), "{1 63}": nodeset.Of(63, 1)} {
		if got := set.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

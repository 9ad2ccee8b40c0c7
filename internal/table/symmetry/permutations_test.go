package symmetry_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/table/symmetry"
	"github.com/macemc/macemc/sim"
)

// The permutations are all ways to assign to each node one of its role. Nodes without a role stay.
func TestPermutations_AgreeWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "nodes")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b"}), n, n).Draw(t, "roles")
		all := make([]sim.NodeID, n)
		for i := range all {
			all[i] = sim.NodeID(i)
		}
		want := map[string]bool{}
		var assign func(p []sim.NodeID)
		assign = func(p []sim.NodeID) {
			at := len(p)
			if at == n {
				want[fmt.Sprint(p)] = true
				return
			}
			for to, name := range names {
				id := sim.NodeID(to)
				if name == names[at] && (name != "" || to == at) && !slices.Contains(p, id) {
					assign(append(slices.Clone(p), id))
				}
			}
		}
		assign(nil)
		roles, _ := symmetry.RolesOf(&sim.System{Nodes: n, Roles: func(id sim.NodeID) string { return names[id] }})
		got := symmetry.Permutations([][]sim.NodeID{all}, roles)
		for _, p := range got {
			if !want[fmt.Sprint(p)] {
				t.Fatalf("%v permutes other roles than %q", p, names)
			}
			delete(want, fmt.Sprint(p)) // none comes twice
		}
		if len(want) > 0 {
			t.Fatalf("of %q %v are missing", names, want)
		}
	})
}

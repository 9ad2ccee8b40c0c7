package kernel_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// A predicate is evaluated at nodes in their order, until it does not hold, regardless of cached values: a cached
// failure at a node does not hide a panic at a node before.
func TestEach_InOrder(t *testing.T) {
	asked := []sim.NodeID(nil)
	sys := counterSystem()
	sys.Nodes = 3
	sys.Properties = []sim.Property{{Name: "each", Eventually: sim.Each(func(id sim.NodeID, c *counter) bool {
		if asked = append(asked, id); id == 0 && c.Fired == 1 {
			panic("one")
		}
		return id != 1 // so that node 2 is never evaluated
	})}}
	w := start(t, sys)
	live := func() (err error) {
		defer contain.CatchState(&err)
		if w.Live() {
			t.Error("it holds at node 1")
		}
		return nil
	}
	for range 3 { // it is cached from the second time on
		if err := live(); err != nil {
			t.Fatal(err)
		}
	}
	asked = nil
	if err := live(); err != nil || len(asked) > 0 {
		t.Errorf("%v, nodes %v are asked though nothing changed", err, asked)
	}
	for _, ev := range w.Enabled() {
		if ev.Node == 0 && ev.Kind == eventkind.FireTimer {
			if err := w.Step(ev, choose.First); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if err := live(); err == nil || !slices.Equal(asked, []sim.NodeID{0}) {
		t.Errorf("%v, nodes %v are asked", err, asked)
	}
}

// Any holds if one node complies, and Each if all do. ReadBy and FailsAt name the nodes that decide.
func TestAnyAndEach_Nodes(t *testing.T) {
	fired := func(_ sim.NodeID, c *counter) bool { return c.Fired > 0 }
	sys := counterSystem()
	sys.Nodes = 3
	sys.Properties = []sim.Property{{Name: "any", Eventually: sim.Any(fired)}, {Name: "each", Eventually: sim.Each(fired)}}
	w := start(t, sys)
	check := func(when string, any bool, readByAny, readByEach, failsAt []int) {
		t.Helper()
		for range 2 { // then it is cached
			if got := w.Holds(&sys.Properties[0]); got != any || w.Holds(&sys.Properties[1]) {
				t.Errorf("%s: any holds: %v, want %v; or each holds", when, got, any)
			}
		}
		for what, nodes := range map[string][2][]int{
			"read by any": {kernel.ReadBy(w, "any"), readByAny}, "read by each": {kernel.ReadBy(w, "each"), readByEach},
			"any fails at": {kernel.FailsAt(w, "any"), nil}, "each fails at": {kernel.FailsAt(w, "each"), failsAt},
		} {
			if !slices.Equal(nodes[0], nodes[1]) {
				t.Errorf("%s: %s nodes %v, want %v", when, what, nodes[0], nodes[1])
			}
		}
	}
	check("at the start", false, []int{0, 1, 2}, []int{0}, []int{0, 1, 2})
	for _, ev := range w.Enabled() {
		if ev.Node == 1 && ev.Kind == eventkind.FireTimer {
			if err := w.Step(ev, choose.First); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	check("after n1 fired", true, []int{1}, []int{0}, []int{0, 2})
}

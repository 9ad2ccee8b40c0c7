package channel

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// with is a setting of two values of two kinds.
func with(abstract bool, b bugs) sim.System {
	return machines(setting{2, 2, 2, abstract, b}).Sim("channel")
}

func TestChannelAbstraction(t *testing.T) {
	implementation, abstraction := with(false, 0), with(true, 0)
	mctest.Refines(t, implementation, abstraction, client)
}

// With the abstraction of the paper, trace inclusion alone detects one mistake of three in the listings.
func TestAbstraction(t *testing.T) {
	for _, c := range []struct {
		name      string
		impl, abs sim.System
		what      string
		trace     []string // without data
		states    int      // of both
	}{
		{"corrected", with(false, 0), with(true, 0), "", nil, 362},
		{"nothing that the implementation does not do", with(true, 0), with(false, 0), "", nil, 362},
		{"calls that may be lost forever", with(false, nl3), with(true, 0), refine.MustGoOn, []string{"internal n0"}, 362},
		{"as listing 4 is printed", with(false, nl1), with(true, 0), refine.MustGoOn, []string{"internal n0", "internal n0", "deliver n0"}, 346},
		{"no look at duplicates", with(false, nl2), with(true, 0), refine.NeverDone, []string{"internal n0", "deliver n0", "deliver n0"}, 266},
	} {
		r, err := refine.Compare(t.Context(), &c.impl, &c.abs, refine.Options{Clients: []sim.NodeID{client}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var trace []string
		for _, seen := range r.Trace {
			trace = append(trace, strings.Join(strings.Fields(seen)[:2], " "))
		}
		if r.What != c.what || (r.Verdict == refine.NoDifference) != (c.what == "") || !slices.Equal(trace, c.trace) || r.States+r.Abstract != c.states {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// As many inputs as the paper's driver has values make no difference.
func TestAbstractionOfMoreInputs(t *testing.T) {
	impl := machines(setting{4, 2, 2, false, 0}).Sim("channel")
	abs := machines(setting{4, 2, 2, true, 0}).Sim("channel")
	r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{client}})
	if err != nil || r.Verdict != refine.NoDifference || r.States != 10_531 || r.Abstract != 501 || r.Largest != 15 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{client}, MaxStates: 100}); err != nil || r.Verdict != refine.Undecided {
		t.Errorf("within 100 states: %+v, %v", r, err)
	}
}

package refinement_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/refinement"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Transitions are the states and steps that an exploration visits, and their paths lead where they say.
func TestTransitions_AgreeWithExplore(t *testing.T) {
	for name, params := range map[string]map[string]string{"channel": nil, "chain": {"clients": "1"}, "commit": {"clients": "1", "values": "1"}, "twophase": nil} {
		if testing.Short() && params != nil {
			continue // large
		}
		e, err := papers.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: params})
		if err != nil {
			t.Fatal(err)
		}
		sys.Monitors, sys.Properties = nil, nil
		if name == "twophase" {
			sys.Crashes = 1
		}
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		if err != nil || !x.Complete {
			t.Fatalf("%s: %v, %+v", name, err, x)
		}
		labels := map[string]uint32{}
		tr, err := refinement.NewTransitions(&sys, refinement.TransitionOptions{Clients: []sim.NodeID{0}, Label: func(text string) uint32 {
			if _, ok := labels[text]; !ok {
				labels[text] = uint32(len(labels) + 1)
			}
			return labels[text]
		}})
		if err != nil {
			t.Fatal(err)
		}
		roots, err := tr.Roots()
		if err != nil {
			t.Fatal(err)
		}
		ways := make([][]uint32, 0, x.States) // by state: steps from the first root
		for range roots {
			ways = append(ways, nil)
		}
		steps := 0
		for id := uint32(0); int(id) < tr.Len(); id++ {
			row, err := tr.From(id)
			if err != nil {
				t.Fatal(err)
			}
			steps += len(row)
			for k, step := range row {
				if int(step.To) == len(ways) {
					ways = append(ways, append(ways[id][:len(ways[id]):len(ways[id])], uint32(k)))
				}
			}
		}
		if tr.Len() != x.States || steps != x.Transitions {
			t.Errorf("%s: %d states and %d steps, an exploration has %d and %d", name, tr.Len(), steps, x.States, x.Transitions)
		}
		if len(roots) > 1 {
			continue
		}
		prints := map[encoding.Fingerprint]bool{}
		every := max(1, len(ways)/50)
		for id := 0; id < len(ways); id += every {
			prints[after(t, &sys, tr.Path(0, ways[id]))] = true
		}
		if want := (len(ways) + every - 1) / every; len(prints) != want {
			t.Errorf("%s: the paths to %d states lead to %d", name, want, len(prints))
		}
	}
}

// after is the fingerprint of the state that a path leads to.
func after(t *testing.T, sys *sim.System, path choose.Path) encoding.Fingerprint {
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	for err == nil && !c.AtEnd() {
		err = c.Next()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.World().Fingerprint()
}

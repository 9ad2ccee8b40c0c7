package statespace_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// visitedBy explores to a depth in one of the orders, and returns the fingerprints of all states that were visited, and
// the finding that ended the exploration early.
func visitedBy(t failer, sys *sim.System, depth int, depthFirst bool) (met map[encoding.Fingerprint]bool, finding error) {
	t.Helper()
	e, err := steptree.NewEngine(sys, kernel.Options{MaxChoices: 50}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := statespace.NewGraph(e, nil)
	opts := explore.Options{Visited: stateset.Kinds[2], MaxDepth: depth}
	if depthFirst {
		opts.Frontier = explore.Frontiers[1]
	}
	r := &recorder{Graph: g, met: map[encoding.Fingerprint]bool{}}
	loop, err := explore.New(r, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r.met, loop.Run(context.Background()).Err
}

// recorder notes the fingerprints of states.
type recorder struct {
	*statespace.Graph
	met map[encoding.Fingerprint]bool
}

// Check implements [graph.Graph].
func (r *recorder) Check(m *graph.FoundState) (live bool, err error) {
	r.met[r.Fingerprint(m.State)] = true
	return r.Graph.Check(m)
}

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// sameFingerprints explores in both orders, which fill the tables differently, and walks at random on the replay
// engine, which must reach only visited states.
func sameFingerprints(t failer, sys *sim.System, depth, walks int, seed uint64) {
	t.Helper()
	met, finding := visitedBy(t, sys, depth, false)
	if finding != nil {
		return // each order ends with another one
	}
	if other, _ := visitedBy(t, sys, depth, true); !maps.Equal(met, other) {
		t.Fatalf("%d fingerprints breadth first, and %d other ones depth first", len(met), len(other))
	}
	w, err := kernel.NewWorld(sys, kernel.Options{MaxChoices: 50})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	src := choose.SourceFunc(func(p choose.Point) int { return rnd.IntN(p.Arity) })
	for range walks {
		err := w.Start(src)
		for step := 0; err == nil; step++ {
			if f := w.Fingerprint(); !met[f] {
				t.Fatalf("after %d steps the fingerprint is %x, which the exploration has not visited", step, f)
			}
			events := w.Injections(slices.Clone(w.Enabled()))
			if step == depth || len(events) == 0 {
				break
			}
			err = w.Step(events[rnd.IntN(len(events))], src)
		}
		if err != nil {
			t.Fatal(err) // the exploration would have found it
		}
	}
}

// The fingerprints of the explorer are those of [kernel.World], whatever the order of discovery.
func TestFingerprint_AgreesWithReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	type setting struct {
		name   string
		limits sim.Limits
	}
	settings := []setting{
		{"randtree", sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}}, {"randtree", sim.Limits{sim.Partitions: 1}},
		{"pingack", sim.Limits{sim.Partitions: 1}}, {"pingack", sim.Limits{sim.Loss: 1, sim.Dup: 1, sim.Crashes: 1}},
	}
	for _, entry := range papers.All() {
		settings = append(settings, setting{entry.Name, entry.Limits})
	}
	for _, s := range settings {
		t.Run(fmt.Sprintf("%s %+v", s.name, s.limits), func(t *testing.T) {
			entry, err := papers.Find(s.name)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := entry.New(spec.Config{Nodes: entry.DefaultNodes})
			if err == nil {
				sys, err = sys.WithLimits(s.limits)
			}
			if err != nil {
				t.Fatal(err)
			}
			sameFingerprints(t, &sys, 4, 200, 1)
		})
	}
}

func TestFingerprint_RandomSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameFingerprints(t, script.Draw(t).System(), 3, 20, rapid.Uint64().Draw(t, "seed"))
	})
}

package explore

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// An analysis sees all edges of the states, even if some came from a log, or a reducer followed few of them.

func showing(g *randomGraph) *shown {
	return &shown{g: g, every: 1 << 30, drop: -1, within: -1, forget: 1 << 30}
}

func TestRowsOfLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for seed := range uint64(60) {
		g := drawShown(seed)
		for _, set := range stateset.Kinds {
			for _, always := range []bool{true, false} {
				log := &memoryLog{}
				for _, left := range []int{0, 3, 2, 1} {
					log.blocks = slices.Clone(log.blocks[:len(log.blocks)*left/3])
					g.checked, g.trails = nil, nil
					j := showing(g)
					if err := j.over(&loggedGraph{randomGraph: g, always: always}, Options{Visited: set, Frontier: few, Log: log}); err != nil {
						t.Fatalf("seed %d, %s, %d thirds of the log: %v", seed, set.Name, left, err)
					}
				}
			}
		}
	}
}

// halves is a reducer that follows only every other edge.
type halves struct{}

func (halves) Sufficient(_ []uint32, e graph.Row, keep []uint32) []uint32 {
	for k := range uint32(e.Len()) {
		if k%2 == 0 {
			keep = append(keep, k)
		}
	}
	return keep
}

func (halves) Rest([]uint32, bool) bool { return false }

func TestRowsOfReducedStates(t *testing.T) {
	for seed := range uint64(60) {
		g := drawShown(2*seed + 1) // without sleeping edges
		for n, edges := range g.edges {
			g.edges[n] = nil
			for _, e := range edges {
				g.edges[n] = append(g.edges[n], e, e)
			}
		}
		for _, set := range stateset.Kinds {
			j := showing(g)
			if err := j.show(Options{Visited: set, Reducer: halves{}}); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, set.Name, err)
			}
		}
	}
}

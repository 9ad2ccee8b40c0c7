package statespace_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

type booting struct {
	sim.Nop
	Drawn int
}

func (b *booting) Boot(env sim.Env) { b.Drawn = env.Choose("at boot", 300) }

// Judges have the first states listed again, in which a limit may be reached. Paths begin at any of these states all the same.
func TestGraph_RootsWithinLimits(t *testing.T) {
	e, err := steptree.NewEngine(&sim.System{Name: "booting", Nodes: 1, New: func(sim.NodeID) sim.Service { return &booting{} }}, kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := statespace.NewGraph(e, nil)
	if err := g.Roots(&graph.Edges{}); err != nil {
		t.Fatal(err)
	}
	g.LimitBy(func() error { return explore.ErrLimit })
	if err := g.Roots(&graph.Edges{}); !errors.Is(err, explore.ErrLimit) {
		t.Fatal(err)
	}
	for _, root := range []uint32{0, 255, 299} {
		if path := g.Path([]uint32{root}); !slices.Equal(path, []int32{int32(root)}) {
			t.Errorf("%v leads to root %d", path, root)
		}
	}
}

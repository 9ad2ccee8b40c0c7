package statespace

import (
	"errors"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/sim"
)

// reader is a graph that finds edges by cached transitions only. It changes no shared data.
type reader struct{ Graph }

// errUnread ends a read that needs a transition that is not cached.
var errUnread = errors.New("a transition is not cached")

// Reader implements [graph.Readable].
func (g *Graph) Reader() graph.Reader {
	if g.World.Layout.PairCount > 0 || g.World.Sys.Timing == sim.Prompt || len(g.KnownViolations) > 0 || g.Onward != nil {
		return nil
	}
	return &reader{Graph{World: g.World, Configs: g.Configs, reads: true}}
}

// Read implements [graph.Reader].
func (r *reader) Read(state []uint32, e *graph.Edges) bool {
	r.WorldVector, r.width, r.unread = state, e.Width, false
	if e.Width > 0 {
		r.fingerprint = r.Configs.Fingerprint(state)
	}
	return r.takeAll(e) == nil
}

// Verifies implements [graph.Reader].
func (r *reader) Verifies(number int) bool { return r.World.Samples.Sampled(number + 1) }

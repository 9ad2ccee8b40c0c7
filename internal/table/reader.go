package table

import (
	"errors"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// reader is a graph that tells edges by transitions that are known, and changes nothing that others read.
type reader struct{ graph }

// errUnread ends reading.
var errUnread = errors.New("it takes more than to read")

// Reader implements [explore.Readable].
func (g *graph) Reader() explore.Reader {
	if g.w.layout.pairCount > 0 || g.w.sys.Timing == sim.Prompt || len(g.known) > 0 || g.onward != nil {
		return nil
	}
	return &reader{graph{w: g.w, sites: g.sites, reads: true}}
}

// Read implements [explore.Reader].
func (r *reader) Read(state []uint32, e *explore.Edges) bool {
	r.worldVector, r.width, r.unread = state, e.Width, false
	if e.Width > 0 {
		r.fingerprint = r.sites.fingerprint(state)
	}
	return r.takeAll(e) == nil
}

// Verifies implements [explore.Reader].
func (r *reader) Verifies(number int) bool { return r.w.samples.sampled(number + 1) }

package table

import (
	"math/bits"
	"strings"

	"github.com/macemc/macemc/sim"
)

// StoppedCrashes says of an exploration that it left out crashes and that this may change the verdict.
const StoppedCrashes = "crashes"

// Crashes tells which crashes and halts were left out.
type Crashes struct {
	Model          CrashModel       `json:"model"`            // that was asked for
	Implicit       []sim.NodeID     `json:"implicit"`         // nodes that did not crash, though they may
	Proven         bool             `json:"proven"`           // it is known that this changes no verdict
	CrashSensitive []CrashSensitive `json:"opaque,omitempty"` // nodes of which it is not; they did crash if the model is auto
	Why            string           `json:"why,omitempty"`    // no crash can be left out
}

// spare says which nodes do not crash in an exploration, and makes it so; nil: all do, as was asked for.
func spare(g *graph, opts *ExploreOptions) *Crashes {
	e := g.w.engine
	if opts.Crashes == "" || opts.Crashes == CrashExplicit || e.sys.Crashes == 0 && e.sys.Halts == 0 {
		return nil
	}
	c := &Crashes{Model: opts.Crashes, Implicit: []sim.NodeID{}, CrashSensitive: opts.crashSensitive}
	if c.Why = unspared(g, opts); c.Why != "" {
		return c
	}
	if e.crashing == nil {
		var err error
		if e.crashing, e.halting, err = e.bench.WhoFails(); err != nil {
			return c // it is found when runs begin
		}
	}
	for node := range e.nodes {
		if e.crashing[node] && e.sys.Crashes > 0 || e.halting[node] && e.sys.Halts > 0 {
			e.uncrashed |= 1 << node
		}
	}
	for _, o := range opts.crashSensitive {
		e.uncrashed &^= 1 << o.Node
	}
	for nodes := e.uncrashed; nodes != 0; nodes &= nodes - 1 {
		c.Implicit = append(c.Implicit, sim.NodeID(bits.TrailingZeros64(nodes)))
	}
	return c
}

// unspared says what of a system and its exploration keeps all crashes from being left out; "": nothing.
func unspared(g *graph, opts *ExploreOptions) string {
	switch {
	case opts.Log != nil:
		return "what is kept to go on with has all crashes"
	case opts.Known != nil:
		return "what lies behind a violation is not visited, so that not all steps are known"
	case opts.MaxDepth > 0:
		return "with a bound on depth not all steps are known"
	case len(g.w.properties.eventually) > 0:
		return "liveness: nodes that crash may keep others from recovering"
	case g.w.inboxes.bounded || g.w.inboxes.holds:
		return "messages wait in queues, where one that is not taken is in the way of others"
	}
	return strings.TrimSuffix(irreducible(g.w.engine), notReduced)
}

// refused reports whether crashes were to be left out that cannot be.
func (c *Crashes) refused() bool { return c != nil && c.Model == CrashImplicit && c.Why != "" }

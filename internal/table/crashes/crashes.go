package crashes

import (
	"math/bits"
	"strings"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/sim"
)

// StoppedCrashes says of an exploration that it left out crashes and that this may change the verdict.
const StoppedCrashes = "crashes"

// Crashes tells which crashes and halts were left out.
type Crashes struct {
	Model          options.CrashModel       `json:"model"`            // that was asked for
	Implicit       []sim.NodeID             `json:"implicit"`         // nodes that did not crash, though they may
	Proven         bool                     `json:"proven"`           // it is known that this changes no verdict
	CrashSensitive []options.CrashSensitive `json:"opaque,omitempty"` // nodes of which it is not; they did crash if the model is auto
	Why            string                   `json:"why,omitempty"`    // no crash can be left out
}

// Select says which nodes do not crash in an exploration, and makes it so; nil: all do, as was asked for.
func Select(g *statespace.Graph, opts *options.Options) *Crashes {
	e := g.World.Engine
	if opts.Crashes == "" || opts.Crashes == options.CrashExplicit || e.Sys.Crashes == 0 && e.Sys.Halts == 0 {
		return nil
	}
	c := &Crashes{Model: opts.Crashes, Implicit: []sim.NodeID{}, CrashSensitive: opts.CrashSensitive}
	if c.Why = unspared(g, opts); c.Why != "" {
		return c
	}
	if e.Crashing == nil {
		var err error
		if e.Crashing, e.Halting, err = e.Bench.WhoFails(); err != nil {
			return c // it is found when runs begin
		}
	}
	for node := range e.Nodes {
		if e.Crashing[node] && e.Sys.Crashes > 0 || e.Halting[node] && e.Sys.Halts > 0 {
			e.Uncrashed |= 1 << node
		}
	}
	for _, o := range opts.CrashSensitive {
		e.Uncrashed &^= 1 << o.Node
	}
	for nodes := e.Uncrashed; nodes != 0; nodes &= nodes - 1 {
		c.Implicit = append(c.Implicit, sim.NodeID(bits.TrailingZeros64(nodes)))
	}
	return c
}

// unspared says what of a system and its exploration keeps all crashes from being left out; "": nothing.
func unspared(g *statespace.Graph, opts *options.Options) string {
	switch {
	case opts.Log != nil:
		return "what is kept to go on with has all crashes"
	case opts.Known != nil:
		return "what lies behind a violation is not visited, so that not all steps are known"
	case opts.MaxDepth > 0:
		return "with a bound on depth not all steps are known"
	case len(g.World.Properties.Eventually) > 0:
		return "liveness: nodes that crash may keep others from recovering"
	case g.World.Inboxes.Bounded || g.World.Inboxes.HoldsOutgoing:
		return "messages wait in queues, where one that is not taken is in the way of others"
	}
	return strings.TrimSuffix(por.Irreducible(g.World.Engine), por.NotReduced)
}

// Refused reports whether crashes were to be left out that cannot be.
func (c *Crashes) Refused() bool { return c != nil && c.Model == options.CrashImplicit && c.Why != "" }

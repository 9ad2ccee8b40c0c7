package crashes

import (
	"math/bits"
	"strings"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/sim"
)

// StoppedCrashes is the reason of an exploration that left out crashes which may change the verdict.
const StoppedCrashes = "crashes"

// Crashes reports which crashes and halts were left out.
type Crashes struct {
	Model          options.CrashModel       `json:"model"`            // the model asked for
	Implicit       []sim.NodeID             `json:"implicit"`         // nodes that may crash and did not
	Proven         bool                     `json:"proven"`           // leaving the crashes out changes no verdict
	CrashSensitive []options.CrashSensitive `json:"opaque,omitempty"` // nodes without that proof; they did crash if the model is auto
	Why            string                   `json:"why,omitempty"`    // why no crash can be left out
}

// Select chooses the nodes that do not crash in an exploration, and marks them as uncrashed. It returns nil if all
// nodes crash as asked for.
func Select(g *statespace.Graph, opts *options.Options) *Crashes {
	e := g.World.Engine
	if opts.Crashes == "" || opts.Crashes == options.CrashExplicit || e.Sys.Crashes == 0 && e.Sys.Halts == 0 {
		return nil
	}
	c := &Crashes{Model: opts.Crashes, Implicit: []sim.NodeID{}, CrashSensitive: opts.CrashSensitive}
	if c.Why = whyExplicit(g, opts); c.Why != "" {
		return c
	}
	if e.Failures.Crashing == nil {
		var err error
		if e.Failures.Crashing, e.Failures.Halting, err = e.Bench.WhoFails(); err != nil {
			return c // reported when runs begin
		}
	}
	for node := range e.Nodes {
		if e.Failures.Crashing[node] && e.Sys.Crashes > 0 || e.Failures.Halting[node] && e.Sys.Halts > 0 {
			e.Failures.NeverFail |= 1 << node
		}
	}
	for _, o := range opts.CrashSensitive {
		e.Failures.NeverFail &^= 1 << o.Node
	}
	for nodes := e.Failures.NeverFail; nodes != 0; nodes &= nodes - 1 {
		c.Implicit = append(c.Implicit, sim.NodeID(bits.TrailingZeros64(nodes)))
	}
	return c
}

// whyExplicit returns the reason why no crash can be left out of an exploration, or an empty string.
func whyExplicit(g *statespace.Graph, opts *options.Options) string {
	switch {
	case opts.Log != nil:
		return "a stored search explores all crashes"
	case opts.Known != nil:
		return "states behind a violation are not visited, so some steps are unknown"
	case opts.MaxDepth > 0:
		return "with a bound on depth some steps are unknown"
	case len(g.World.Properties.Eventually) > 0:
		return "liveness: a crashed node may keep others from recovering"
	case g.World.Inboxes.Bounded || g.World.Inboxes.HoldsOutgoing:
		return "messages wait in queues, where an undelivered one blocks those behind it"
	}
	return strings.TrimSuffix(por.Irreducible(g.World.Engine), por.NotReduced)
}

// Refused reports whether crashes had to be left out and cannot be.
func (c *Crashes) Refused() bool { return c != nil && c.Model == options.CrashImplicit && c.Why != "" }

package table

import (
	"math/bits"
	"strings"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// CrashModel says whether nodes crash and halt in an exploration. A crash may be left out where it is shown to be one of slow messages: whatever
// the node does after it, it could do without, see [reduction.crashSensitive].
type CrashModel string

// The crash models.
const (
	CrashExplicit CrashModel = "explicit" // nodes crash as the limits allow
	// CrashImplicit: no node crashes. The exploration is complete only if that is shown to keep the verdicts of all nodes.
	CrashImplicit CrashModel = "implicit"
	CrashAuto     CrashModel = "auto" // the nodes crash of which that is not shown
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
func (g *graph) spare(opts *ExploreOptions) *Crashes {
	e := g.w.engine
	if opts.Crashes == "" || opts.Crashes == CrashExplicit || e.sys.Crashes == 0 && e.sys.Halts == 0 {
		return nil
	}
	c := &Crashes{Model: opts.Crashes, Implicit: []sim.NodeID{}, CrashSensitive: opts.crashSensitive}
	if c.Why = g.crashSensitive(opts); c.Why != "" {
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

// crashSensitive says what of a system and its exploration keeps all crashes from being left out; "": nothing.
func (g *graph) crashSensitive(opts *ExploreOptions) string {
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
	return strings.TrimSuffix(g.w.irreducible(), notReduced)
}

// refused reports whether crashes were to be left out that cannot be.
func (c *Crashes) refused() bool { return c != nil && c.Model == CrashImplicit && c.Why != "" }

// crashesAll has all nodes crash until the function is called that it returns.
func (e *engine) crashesAll() (again func()) {
	spared := e.uncrashed
	e.uncrashed = 0
	return func() { e.uncrashed = spared }
}

// judgeCrashes says what an exploration came to in which nodes did not crash.
func (x *exploration) judgeCrashes(r *explore.Result) {
	c := x.crashes
	if c == nil || x.g.w.uncrashed == 0 {
		return
	}
	c.Proven = r.Complete && r.Err == nil && len(x.crashSensitive) == 0
	if c.Proven {
		return
	}
	c.CrashSensitive = append(c.CrashSensitive, x.crashSensitive...)
	if r.Depth = 0; r.Complete && r.Err == nil {
		r.Complete, r.Stopped = false, StoppedCrashes
	}
}

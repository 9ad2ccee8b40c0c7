package table

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
)

// deadStates finds the states from which no live state can be reached.
type deadStates struct {
	explore.DeadStates
	g       *statespace.Graph
	reduced *por.ReducedGraph // nil if the graph is g
}

// analysis returns d, or nil if the system has no Eventually property and thus no dead states.
func (d *deadStates) analysis() explore.Analysis {
	if len(d.g.World.Properties.Eventually) == 0 {
		return nil
	}
	return d
}

// Analyze implements [explore.Analysis].
func (d *deadStates) Analyze(ctx context.Context, s *explore.Space) error {
	if len(d.g.Sampled()) > 0 {
		return nil // an answer outside the sample might lead to a live state
	}
	return d.DeadStates.Analyze(ctx, s)
}

// report adds the dead states to out.
func (d *deadStates) report(out *Exploration) {
	out.LivenessChecked, out.Dead = true, d.Dead
	if d.Dead == 0 {
		return
	}
	// The predecessor of the nearest dead state is not dead, so the last step is the critical one.
	w := d.g.World
	if r := d.reduced; r != nil {
		path, starts := r.Path(d.Path)
		// In an edge of several steps only the first leads from a live state to a dead one.
		out.DeadPath, out.DeadCritical = path, starts[len(starts)-1]
	} else {
		out.DeadPath, out.DeadCritical = d.g.Path(d.Path), len(d.Path)-1
	}
	w.Refresh()
	out.DeadOutOfEvents = !slices.ContainsFunc(w.AllEvents(nil), w.IsRecovery)
}

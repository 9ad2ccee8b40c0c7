package table

import (
	"context"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
)

// deadStates finds the states from which no live one can be reached.
type deadStates struct {
	explore.DeadStates
	g       *statespace.Graph
	reduced *por.ReducedGraph // the graph; nil: it is g
}

// judge is the judge of a system; nil: it has no Eventually property, so that no state is dead.
func (d *deadStates) judge() explore.Analysis {
	if len(d.g.World.Properties.Eventually) == 0 {
		return nil
	}
	return d
}

// Analyze implements [explore.Analyze].
func (d *deadStates) Analyze(ctx context.Context, s *explore.Space) error {
	if len(d.g.Sampled()) > 0 {
		return nil // an answer that was not in a sample might lead on
	}
	return d.DeadStates.Analyze(ctx, s)
}

// tell tells which states are dead.
func (d *deadStates) tell(out *Exploration) {
	out.LivenessChecked, out.Dead = true, d.Dead
	if d.Dead == 0 {
		return
	}
	// The state before the nearest one that is dead is not, so that the last step is what matters.
	w := d.g.World
	if r := d.reduced; r != nil {
		path, turns := r.Path(d.Path)
		out.DeadPath, out.DeadCritical = path, turns[len(turns)-1] // those behind the first of an edge lead from no live state to a dead one
	} else {
		out.DeadPath, out.DeadCritical = d.g.Path(d.Path), len(d.Path)-1
	}
	w.Refresh()
	out.DeadOutOfEvents = !slices.ContainsFunc(w.AllEvents(nil), w.IsRecovery)
}

package table_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

// Of a step that fails by one of its answers, crashes inside by others are no part of recovery, though they would be live.
func TestCrashesBesideAFailureAreNoRecovery(t *testing.T) {
	sys := &sim.System{
		Name: "failing", Nodes: 1, Crashes: 1, New: func(sim.NodeID) sim.Service { return &tally{} },
		Actions: []sim.AnyAction{sim.Action[*tally]{Name: "fail", Times: 2, Do: func(_ *tally, env sim.Env) {
			env.Assert(env.Choose("way", 2) == 0, "it fails")
			env.Disk().Put("key", nil)
		}}},
		Properties: []sim.Property{{Name: "down", Eventually: func(v *sim.View) bool { return v.Service(0) == nil }}},
	}
	r, err := table.Recover(t.Context(), sys, choose.Path{}, table.ExploreOptions{})
	if err != nil || r.Live != nil || r.Finding == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

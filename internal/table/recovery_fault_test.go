package table_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// If a step fails by one of its answers, crashes inside it by other answers do not belong to recovery, even if they
// lead to live states.
func TestRecover_CrashBesideFailure(t *testing.T) {
	sys := &sim.System{
		Name: "failing", Nodes: 1, Crashes: 1, New: func(sim.NodeID) sim.Service { return &tally{} },
		Actions: []sim.AnyAction{sim.Action[*tally]{Name: "fail", Times: 2, Do: func(_ *tally, env sim.Env) {
			env.Assert(env.Choose("way", 2) == 0, "it fails")
			env.Disk().Put("key", nil)
		}}},
		Properties: []sim.Property{{Name: "down", Eventually: func(v *sim.View) bool { return v.Service(0) == nil }}},
	}
	r, err := table.Recover(t.Context(), sys, choose.Path{}, options.Options{})
	if err != nil || r.Failed == nil || !r.Dead() {
		t.Errorf("%+v, %v", r, err)
	}
}

// A step that fails by some answers hides no recovery by other answers or other steps. A step that hangs ends the search.
func TestRecover_BesideFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		path choose.Path
		fail func(env sim.Env)
		ends bool // a step makes choices forever, or does not return
	}{
		{name: "panic", fail: func(sim.Env) { panic("it fails") }},
		{name: "inside", path: choose.Path{0}, fail: func(sim.Env) { panic("it fails") }},
		{name: "assertion", fail: func(env sim.Env) { env.Assert(false, "it fails") }},
		{name: "divergence", fail: func(sim.Env) { panic(&sim.Finding{Kind: sim.Divergence, Message: "it goes round"}) }},
		{name: "exit", fail: func(sim.Env) { (&testing.T{}).FailNow() }},
		{name: "loop", fail: func(env sim.Env) {
			for {
				env.Choose("again", 2)
			}
		}, ends: true},
		{name: "hang", fail: func(sim.Env) { select {} }, ends: true},
	} {
		for _, saved := range []bool{false, true} {
			sys := &sim.System{
				Name: "failing", Nodes: 1, New: func(sim.NodeID) sim.Service { return &tally{} },
				Actions: []sim.AnyAction{
					sim.Action[*tally]{Name: "fail", When: func(s *tally) bool { return s.N == 0 }, Do: func(s *tally, env sim.Env) {
						if s.N = 1 + env.Choose("way", 3); s.N == 2 {
							c.fail(env)
						}
					}},
					sim.Action[*tally]{Name: "go on", Times: 3, When: func(s *tally) bool { return s.N == 3 }, Do: func(*tally, sim.Env) {}},
				},
				Properties: []sim.Property{{Name: "over", Eventually: sim.Each(func(_ sim.NodeID, s *tally) bool { return saved && s.N == 3 })}},
			}
			// All others are waited for
			opts := options.Options{World: kernel.Options{Overdue: func(ticks int) bool { return c.name == "hang" && ticks > 4 }}}
			r, err := table.Recover(t.Context(), sys, c.path, opts)
			switch {
			case err != nil:
			case c.name == "hang":
				if r.Stopped == "finding" && r.Path != nil {
					continue
				}
			case c.ends:
				if r.Stopped == "violation" && r.Finding != nil && !r.Dead() {
					continue
				}
			case saved:
				if r.Live != nil && r.Failed != nil {
					continue
				}
			case r.Dead() && r.Failed != nil && r.Finding == nil:
				continue
			}
			t.Errorf("%s, saved %v: %+v, %v", c.name, saved, r, err)
		}
	}
}

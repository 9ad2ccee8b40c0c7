package search_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// hoarder has hidden state that determines its next step.
type hoarder struct {
	sim.Nop
	Odd  bool
	kept int `macemc:"-"`
}

func (h *hoarder) turn(sim.Env) {
	h.kept++
	h.Odd = h.kept%3 == 1
}

// A finding of the judging of fair runs is reported, although runs did not show it.
func TestFair_ReportsNondeterminism(t *testing.T) {
	sys := sim.System{
		Name: "hoarder", Nodes: 1, New: func(sim.NodeID) sim.Service { return &hoarder{} },
		Actions:    []sim.AnyAction{sim.Action[*hoarder]{Name: "turn", Fair: true, Do: (*hoarder).turn}},
		Properties: []sim.Property{{Name: "odd", Inevitably: func(v *sim.View) bool { return v.Service(0).(*hoarder).Odd }}},
	}
	res := run(t, search.Config{System: sys, Engine: runloop.ReplayEngine, Alone: true, MaxPaths: 2})
	if res.Verdict != search.Violation || res.Finding == nil || res.Finding.Kind != sim.Nondeterminism {
		t.Errorf("%s, %s, %+v, %+v", res.Verdict, res.Stopped, res.Finding, res.Stats.Fair)
	}
}

// States that were not visited because of a violation do not count as correct.
func TestFair_NotJudgedBehindViolation(t *testing.T) {
	sys := gridSystem()
	at := func(x, y int) func(*sim.View) bool {
		return func(v *sim.View) bool { g := v.Service(0).(*grid); return g.X >= x && g.Y >= y }
	}
	sys.Properties = []sim.Property{{Name: "there", Inevitably: at(0, 0)}, {Name: "not both", Always: func(v *sim.View) bool { return !at(1, 1)(v) }},
		{Name: "across", Eventually: func(v *sim.View) bool { return at(2, 0)(v) || at(0, 2)(v) }}}
	told := 0
	res := run(t, search.Config{System: sys, Strategy: search.BFS, Found: func(context.Context, *search.Result) error { told++; return nil }})
	if told != 1 || res.Verdict != search.Violation || res.Stats.Complete || res.Stats.Recovers || res.Stats.Fair.Judged || res.Stats.Fair.Why == "" {
		t.Errorf("told of %d, %s, %+v, %+v", told, res.Verdict, res.Stats, res.Stats.Fair)
	}
}

package render_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type led struct {
	sim.Nop
	Term, Beats int
}

// If an action is exhausted where a run is dead, the report names it: when nothing else can happen, and when it is
// the critical step.
func TestExhausted_Actions(t *testing.T) {
	sys := sim.System{
		Name: "led", Nodes: 1, New: func(sim.NodeID) sim.Service { return &led{} },
		Actions: []sim.AnyAction{
			sim.Action[*led]{Name: "lead", Times: 5, Do: func(l *led, _ sim.Env) { l.Term++ }},
			sim.Action[*led]{Name: "beat", Do: func(l *led, _ sim.Env) { l.Beats++ }},
		},
		Properties: []sim.Property{{Name: "led", Eventually: sim.Each(func(_ sim.NodeID, l *led) bool { return l.Term > 5 })}},
	}
	text := func(path choose.Path, c report.Critical, kind sim.FindingKind) string {
		t.Helper()
		dead, err := replay.Record(&sys, path, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := &report.Report{Settings: report.Settings{System: "led", Nodes: 1}, Verdict: search.Violation, Kind: kind,
			Property: "led", Dead: dead, Critical: &c}
		return string(printed(t, render.Terminal, r))
	}
	const want = "lead 5 of 5"
	fifth := choose.Path{0, 0, 1, 0, 0, 0, 0, 0} // beats are event 0 once lead is used up
	for name, c := range map[string]struct {
		critical report.Critical
		kind     sim.FindingKind
		path     choose.Path
		want     bool
	}{
		"critical step": {report.Critical{Transition: critical.Transition{Case: critical.Located, Step: 6}}, sim.Liveness, fifth, true},
		"another step":  {report.Critical{Transition: critical.Transition{Case: critical.Located, Step: 7}}, sim.Liveness, fifth, false},
		"nothing can happen": {report.Critical{Transition: critical.Transition{Case: critical.TooLateToTell, OutOfEvents: true}},
			sim.Deadlock, fifth, true},
		"known bound":       {report.Critical{Transition: critical.Transition{Case: critical.Unlocated, Bound: 6}}, sim.Liveness, fifth, true},
		"bound before that": {report.Critical{Transition: critical.Transition{Case: critical.Unlocated, Bound: 5}}, sim.Liveness, fifth, false},
		"it may happen again": {report.Critical{Transition: critical.Transition{Case: critical.TooLateToTell, OutOfEvents: true}},
			sim.Deadlock, fifth[:5], false},
	} {
		got := text(c.path, c.critical, c.kind)
		if strings.Contains(got, want) != c.want || strings.Contains(got, "actions used up:") != c.want {
			t.Errorf("%s: want %q: %v\n%s", name, want, c.want, got)
		}
	}
}

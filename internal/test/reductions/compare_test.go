package reductions_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/sim"
)

// traveler goes one of two ways.
type traveler struct {
	sim.Nop
	At string
}

func traveling() *sim.System {
	way := func(to string) sim.AnyAction {
		return sim.Action[*traveler]{
			Name: to, When: func(s *traveler) bool { return s.At == "" }, Do: func(s *traveler, _ sim.Env) { s.At = to },
		}
	}
	arrived := sim.Each(func(_ sim.NodeID, s *traveler) bool { return s.At == "home" })
	return &sim.System{
		Name: "traveling", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(traveler) },
		Actions:    []sim.AnyAction{way("home"), way("trap")},
		Properties: []sim.Property{{Name: "live", Eventually: arrived}, {Name: "seen", Sometimes: arrived}},
	}
}

// Each difference between explorations is noticed.
func TestSame_NoticesDifferences(t *testing.T) {
	sys := traveling()
	full, err := reductions.Explore(sys, options.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if full.States != 3 || full.Dead != 1 || len(full.Terminal) != 2 || len(full.Orbits) != 0 {
		t.Fatalf("got %+v with terminal states %v, want 3 states, 2 of them terminal, 1 dead", full.Exploration, full.Terminal)
	}
	for _, c := range []struct {
		want   string
		change func(less *reductions.States)
	}{
		{"", func(*reductions.States) {}},
		{"complete false", func(less *reductions.States) { less.Complete = false }},
		{"liveness checked false", func(less *reductions.States) { less.LivenessChecked = false }},
		{"4 states", func(less *reductions.States) { less.States++ }},
		{"", func(less *reductions.States) { less.States-- }},
		{"0 dead states", func(less *reductions.States) { less.Dead = 0 }},
		{"a state reported as dead recovers", func(less *reductions.States) { less.DeadPath = nil }},
		{"the path does not fit", func(less *reductions.States) { less.DeadPath = append(slices.Clone(less.DeadPath), 0) }},
		{"sometimes [false]", func(less *reductions.States) { less.Coverage.Sometimes = []bool{false} }},
		{"1 terminal states", func(less *reductions.States) { clear(less.Terminal); less.Terminal[graph.Fingerprint{}] = true }},
		{"a terminal state is missing", func(less *reductions.States) {
			clear(less.Terminal)
			less.Terminal[graph.Fingerprint{}], less.Terminal[graph.Fingerprint{Lo: 1}] = true, true
		}},
		{"covered", func(less *reductions.States) { less.Coverage.Used[sim.Crashes]++ }},
		{"covered", func(less *reductions.States) { less.Coverage.Actions = []bool{true} }},
		{"found wrong, of all states <nil>", func(less *reductions.States) { less.Finding = errors.New("wrong") }},
	} {
		x := *full.Exploration
		less := &reductions.States{Exploration: &x, Terminal: maps.Clone(full.Terminal)}
		c.change(less)
		got := ""
		if err := reductions.Same(sys, full, less); err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A finding counts only if something is wrong at the end of its path.
func TestSame_ExecutesFindings(t *testing.T) {
	sys := traveling()
	sys.Properties = []sim.Property{{Name: "free", Always: sim.Each(func(_ sim.NodeID, s *traveler) bool { return s.At != "trap" })}}
	full, err := reductions.Explore(sys, options.Options{})
	if err != nil || full.Finding == nil {
		t.Fatalf("%v, found %v", err, full.Finding)
	}
	if err := reductions.Same(sys, full, full); err != nil {
		t.Error(err)
	}
	for _, x := range []table.Exploration{
		{Finding: full.Finding}, {Finding: full.Finding, Path: []int32{0}}, {Finding: full.Finding, Path: []int32{7}}, {Complete: true},
	} {
		if err := reductions.Same(sys, full, &reductions.States{Exploration: &x}); err == nil {
			t.Errorf("found %v at the end of %v, and no difference", x.Finding, x.Path)
		}
	}
}

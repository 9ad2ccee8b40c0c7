package search

import (
	"testing"

	"github.com/macemc/macemc/internal/search/strategy"
)

// Names and phases are distinct, and each strategy either visits states or executes runs.
func TestStrategies_TableIsConsistent(t *testing.T) {
	names, phases := map[Name]bool{}, map[phase]bool{startPhase: true, prefixPhase: true, criticalPhase: true, leafWalks: true}
	for _, s := range runners() {
		if names[s.name] {
			t.Errorf("strategy %q: listed twice", s.name)
		}
		names[s.name] = true
		if visits := s.name.Can(strategy.VisitsStates); visits != (s.frontier.New != nil) || visits == (s.new != nil) {
			t.Errorf("strategy %s: visits states %v, frontier %q, executes runs %v", s.name, visits, s.frontier.Name, s.new != nil)
		}
		if s.new == nil {
			continue
		}
		if phases[s.phase] || s.phase == "" || s.phase.strategy() != s.name {
			t.Errorf("strategy %s: its phase %q is taken", s.name, s.phase)
		}
		phases[s.phase] = true
	}
	for _, info := range strategy.All {
		if !names[Name(info.Name)] {
			t.Errorf("strategy %q has no runner", info.Name)
		}
	}
	if len(names) != len(strategy.All) {
		t.Errorf("strategies %v, want those of %v", names, strategy.All)
	}
	if got := phaseOrder(); len(got) != len(phases) {
		t.Errorf("phases in reports: %q, want all of %v", got, phases)
	}
}

func TestName_Require(t *testing.T) {
	if err := DFS.Require(strategy.VisitsStates, "Symmetry"); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	const want = "Log needs a strategy that visits states breadth first (bfs), not deepening"
	if err := Name("").Require(strategy.BreadthFirst, "Log"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if Name("none").Can(0) || Name("none").Validate() == nil || Name("").Validate() != nil {
		t.Error("an unknown name is accepted, or the empty one refused")
	}
}

package search

import "testing"

// Names, phases and descriptions are distinct, and each strategy either visits states or executes runs.
func TestStrategies_TableIsConsistent(t *testing.T) {
	names, phases := map[Name]bool{}, map[phase]bool{startPhase: true, prefixPhase: true, criticalPhase: true, leafWalks: true}
	for _, s := range strategies() {
		if names[s.Name] || s.Doc == "" {
			t.Errorf("strategy %q: listed twice, or without a description", s.Name)
		}
		names[s.Name] = true
		if visits := s.Caps&VisitsStates != 0; visits != (s.frontier.New != nil) || visits == (s.new != nil) {
			t.Errorf("strategy %s: visits states %v, frontier %q, executes runs %v", s.Name, visits, s.frontier.Name, s.new != nil)
		}
		if s.new == nil {
			continue
		}
		if phases[s.phase] || s.phase == "" || s.phase.strategy() != s.Name {
			t.Errorf("strategy %s: its phase %q is taken", s.Name, s.phase)
		}
		phases[s.phase] = true
	}
	if got := phaseOrder(); len(got) != len(phases) {
		t.Errorf("phases in reports: %q, want all of %v", got, phases)
	}
}

func TestName_Require(t *testing.T) {
	if err := DFS.Require(VisitsStates, "Symmetry"); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	const want = "Log needs a strategy that visits states breadth first (bfs), not deepening"
	if err := Name("").Require(BreadthFirst, "Log"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if Name("none").Can(0) || Name("none").Validate() == nil || Name("").Validate() != nil {
		t.Error("an unknown name is accepted, or the empty one refused")
	}
}

package papers_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/systems/spec"
)

// Brute force counts the states of protocols with quorums.
func TestQuorumsByForce(t *testing.T) {
	for system, states := range map[string]int{"echo": 2401, "synod": 27_662} {
		if testing.Short() && states > 10_000 {
			continue
		}
		e, err := papers.Find(system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: map[string]string{"quorum": "true"}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := bruteforce.Explore(&sys)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.States) != states || g.Violation() != nil {
			t.Errorf("%s: %d states, want %d; %v", system, len(g.States), states, g.Violation())
		}
	}
}

package echo

import (
	"testing"

	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// built returns the system with parameters and bugs.
func built(t *testing.T, params map[string]string, bugs ...string) sim.System {
	t.Helper()
	return systest.Build(t, Entry(), spec.Config{Params: params, Bugs: bugs}, sim.Limits{})
}

// Three honest receivers and an initiator, which needs two of three confirmations. Besides the start there are 20
// states with fewer, as the initial message is in flight, the confirmation is, or one is counted. Afterwards the last
// receiver is one of three with its message or its confirmation in flight, or is counted; and each of the commits has
// arrived or not: (3+3+1) * 8.
func TestEntry_CountsTheStatesOfHonestNodes(t *testing.T) {
	systest.Clean(t, built(t, map[string]string{"byzantine-receivers": "0", "byzantine-initiators": "0"}), 1+20+56)
}

func TestEntry_HasTheDocumentedStates(t *testing.T) {
	systest.Clean(t, built(t, nil), 28_702)
	sys := built(t, map[string]string{"quorum": "true"})
	systest.Clean(t, sys, 2401)
	g, err := bruteforce.Explore(&sys)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.States) != 2401 || g.Violation() != nil {
		t.Errorf("by brute force: got %d states and violation %v, want 2401 and none", len(g.States), g.Violation())
	}
}

func TestAgreement_FailsBelowTheThreshold(t *testing.T) {
	for _, quorum := range []string{"false", "true"} {
		systest.Violated(t, built(t, map[string]string{"receivers": "2", "byzantine-receivers": "2", "quorum": quorum}), Agreement)
		systest.Violated(t, built(t, map[string]string{"receivers": "4", "quorum": quorum}, "EC1"), Agreement)
	}
}

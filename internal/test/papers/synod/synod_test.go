package synod

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

// One proposer, three acceptors, one learner. Besides the start there are 20 states before the proposer writes: a read
// is in flight, its reply is, or at most one is counted. Afterwards each write is in flight, or its accept is, or the
// learner has counted it, 27 states. In them the third acceptor, one of three, has its read or its reply in flight, or
// the proposer has counted it, or the read came after the write and is ignored. Then one write is not in flight.
func TestEntry_CountsTheStatesOfOneProposer(t *testing.T) {
	systest.Clean(t, built(t, map[string]string{"proposers": "1"}), 1+20+(3+3+1)*27+26)
}

func TestEntry_HasTheDocumentedStates(t *testing.T) {
	systest.Clean(t, built(t, nil), 126_910)
	sys := built(t, map[string]string{"quorum": "true"})
	systest.Clean(t, sys, 27_662)
	if testing.Short() {
		t.Skip("brute force is slow")
	}
	g, err := bruteforce.Explore(&sys)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.States) != 27_662 || g.Violation() != nil {
		t.Errorf("by brute force: got %d states and violation %v, want 27662 and none", len(g.States), g.Violation())
	}
}

func TestAgreement_FailsInFaultyPaxos(t *testing.T) {
	for _, quorum := range []string{"false", "true"} {
		systest.Violated(t, built(t, map[string]string{"quorum": quorum}, "SY1"), Agreement)
		systest.Violated(t, built(t, map[string]string{"quorum": quorum, "learners": "2"}, "SY2"), Agreement)
	}
}

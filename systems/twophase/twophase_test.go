package twophase_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/twophase"
)

func explore(t *testing.T, c spec.Config, crashes int) *bruteforce.Graph {
	t.Helper()
	sys := systest.Build(t, twophase.Entry(), c, sim.Limits{sim.Crashes: crashes})
	g, err := bruteforce.Explore(&sys)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Participants are independent, so the states of n of them can be counted by hand without crashes. By the state of the
// coordinator they are:
//
//	idle       1
//	voting     4^n - 1    each participant is asked, in doubt with its yes in flight, aborted with its
//	                      no in flight, or in doubt with its yes counted: but not all are counted
//	committed  2^n        the decision is in flight to each participant, or was delivered
//	aborted    10^n - 1   see below
//
// In an aborted transaction a participant with the messages in flight to and from it (P prepare, Y yes, N no, A abort)
// is in one of these states, with as many transitions as successors:
//
//	 1 undecided P A  -> 2, 3 (its choice), 4
//	 2 in doubt Y A   -> 7, 10 (a late yes is answered by the decision)
//	 3 aborted N A    -> 5, 8
//	 4 aborted P      -> 5
//	 5 aborted N      -> 9
//	 6 in doubt A     -> 9
//	 7 aborted Y      -> 8
//	 8 aborted A      -> 9
//	 9 aborted        none
//	10 in doubt A A   -> 8 (both messages are equal: one event)
//
// The total is 13. The time-out may come before any vote, so each participant may be in any of them but 6. State 6
// holds those with a counted yes, which are not all of them.
//
// Transitions: begin is 1. While voting there is the time-out in each of 4^n - 1 states. A participant moves in two
// ways when asked, in one with its vote in flight, in none when counted, with the others in any of 4 states: 4 n
// 4^(n-1). Committed: n 2^(n-1). Aborted: 13 n 10^(n-1), minus the n of the state in which all are in 6.
func TestCounts(t *testing.T) {
	power := func(base, n int) int {
		p := 1
		for range n {
			p *= base
		}
		return p
	}
	for n := 1; n <= 4; n++ {
		wantStates := 1 + power(4, n) - 1 + power(2, n) + power(10, n) - 1
		wantTransitions := 1 + power(4, n) - 1 + n*power(4, n) + n*power(2, n-1) + 13*n*power(10, n-1) - n
		g := explore(t, spec.Config{Nodes: 1 + n}, 0)
		if len(g.States) != wantStates || g.Transitions() != wantTransitions {
			t.Errorf("%d participants: %d states and %d transitions, want %d and %d",
				n, len(g.States), g.Transitions(), wantStates, wantTransitions)
		}
		if s := g.Violation(); s != nil {
			t.Errorf("%d participants: path %v: %v", n, s.Path, s.Err)
		}
		if s := g.Dead(); s != nil {
			t.Errorf("%d participants: dead after path %v", n, s.Path)
		}
	}
}

// With crashes the protocol still commits consistently, and can always finish.
func TestCrashes(t *testing.T) {
	for _, c := range []struct{ participants, crashes int }{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}} {
		if testing.Short() && c.participants+c.crashes == 4 {
			continue
		}
		g := explore(t, spec.Config{Nodes: 1 + c.participants}, c.crashes)
		if s := g.Violation(); s != nil {
			t.Errorf("%+v: path %v: %v", c, s.Path, s.Err)
		}
		if s := g.Dead(); s != nil {
			t.Errorf("%+v: dead after path %v", c, s.Path)
		}
	}
}

// Two-phase commit blocks: it survives the permanent loss of a participant, but not that of the coordinator.
func TestHalts(t *testing.T) {
	for coordinator, blocks := range map[bool]bool{false: false, true: true} {
		sys := systest.Build(t, twophase.Entry(), spec.Config{Nodes: 3}, sim.Limits{sim.Crashes: 1, sim.Halts: 1})
		sys.MayHalt = func(id sim.NodeID) bool { return (id == 0) == coordinator }
		g, err := bruteforce.Explore(&sys)
		if err != nil {
			t.Fatal(err)
		}
		if s := g.Violation(); s != nil {
			t.Errorf("the coordinator halts: %v: path %v: %v", coordinator, s.Path, s.Err)
		}
		if dead := g.Dead() != nil; dead != blocks {
			t.Errorf("the coordinator halts: %v: dead states: %v, want %v", coordinator, dead, blocks)
		}
	}
}

// Each bug shows in the smallest system, with the limits that it needs and not without them, as the documented kind of
// violation.
func TestBugs(t *testing.T) {
	for _, b := range twophase.Entry().Bugs {
		config := spec.Config{Nodes: 2, Bugs: spec.BugSet{b.ID}}
		for crashes := range b.Defaults.Limits[sim.Crashes] + 1 {
			g := explore(t, config, crashes)
			enough := crashes == b.Defaults.Limits[sim.Crashes]
			wantUnsafe, wantDead := enough && b.Kind == sim.Safety, enough && b.Kind == sim.Deadlock
			if unsafe := g.Violation() != nil; unsafe != wantUnsafe {
				t.Errorf("%s with %d crashes: violated: %v, want %v", b.ID, crashes, unsafe, wantUnsafe)
			}
			if dead := g.Dead() != nil; dead != wantDead {
				t.Errorf("%s with %d crashes: dead states: %v, want %v", b.ID, crashes, dead, wantDead)
			}
		}
	}
}

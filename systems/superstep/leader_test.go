package superstep_test

import (
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// sent is an env that keeps the last message.
type sent struct {
	sim.Env
	last any
}

func (*sent) Self() sim.NodeID             { return 1 }
func (*sent) Nodes() int                   { return 4 }
func (*sent) SetTimer(any, time.Duration)  {}
func (s *sent) Send(_ sim.NodeID, msg any) { s.last = msg }
func (s *sent) asked(t *testing.T) (incs []int) {
	t.Helper()
	swap, ok := s.last.(superstep.Swap)
	if !ok {
		t.Fatalf("the store received %T", s.last)
	}
	return swap.Commit.Incs
}

// A new leader gives no parts to former members, nor to the former leader.
func TestNewLeaderCountsOnNobodyWhoIsGone(t *testing.T) {
	env, m := &sent{}, &superstep.Member{Worker: superstep.Worker{Data: &superstep.Letters{}}}
	m.Start(env, 5)
	m.Receive(env, 2, superstep.Hello{Inc: 7}) // once
	m.Receive(env, 3, superstep.Hello{Inc: 8})
	c := superstep.NewCommit(3, []int{1, 0})
	c.Rev, c.Epoch, c.Leader, c.Incs = 3, 2, 3, []int{5, 0, 8}
	m.Receive(env, 0, superstep.Granted{Commit: c, Lens: c.Len})
	if got := env.asked(t); !slices.Equal(got, []int{5, 0, 0}) {
		t.Errorf("the epoch is to begin with %v", got)
	}
}

// An answer from before the last commit does not do for the log of a part that is taken over.
func TestLogsAreReadAsFarAsTheCommitSays(t *testing.T) {
	d := &superstep.Letters{}
	c := superstep.NewCommit(2, []int{3, 2})
	c.Owner, c.Until, c.Len = []sim.NodeID{2, 1}, []int{2, 2}, []int{3, 2}
	d.Renew(&c, 2)
	for _, step := range []struct {
		from   int
		states []superstep.State
		read   bool
	}{{0, []superstep.State{"a", "c"}, false}, {2, []superstep.State{"e"}, true}} {
		if d.Logged(superstep.Log{Part: 0, From: step.from, States: step.states}, &c); d.Read(&c, 2) != step.read {
			t.Errorf("told %v from %d on: read %v", step.states, step.from, d.Read(&c, 2))
		}
	}
}

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
		t.Fatalf("the store was told %T", s.last)
	}
	return swap.Commit.Incs
}

// Who comes to lead does not give parts to those who were there once, nor to the one that led.
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

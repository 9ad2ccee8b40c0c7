package shard_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/internal/test/shards"
	"github.com/macemc/macemc/sim"
)

// counted cannot be copied, and is after its first timer as it was made.
type counted struct {
	sim.Nop
	N   int
	Odd script.Opaque
}

func (c *counted) Boot(env sim.Env) {
	c.N = -1
	env.SetTimer("begin", 0)
}

func (c *counted) Timer(sim.Env, any) { c.N = 0 }

// Another process comes by steps to a state of a node that looks like the one that it was made with.
func TestShards_Uncopyable(t *testing.T) {
	sys := &sim.System{
		Name: "counted", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counted{Odd: script.NewOpaque()} },
		State: []sim.StateRule{script.OpaqueRule()},
		Actions: []sim.AnyAction{sim.Action[*counted]{Name: "count", Times: 3, When: func(c *counted) bool { return c.N >= 0 },
			Do: func(c *counted, _ sim.Env) { c.N++ }}},
		Properties: []sim.Property{{Name: "counted", Eventually: sim.Each(func(_ sim.NodeID, c *counted) bool { return c.N == 3 })}},
	}
	if x := shards.Explore(t, sys); x.States != 25 || !x.LivenessChecked || x.Dead != 0 {
		t.Errorf("%+v, want 5 times 5 states, none dead", x)
	}
}

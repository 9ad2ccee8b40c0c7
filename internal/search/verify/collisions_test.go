package verify_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
)

// concealer reads what its encoding omits.
type concealer struct {
	sim.Nop
	Sum    int
	secret int `macemc:"-"`
}

func concealing(reads bool) sim.System {
	return sim.System{
		Name: "concealing", Nodes: 1, New: func(sim.NodeID) sim.Service { return &concealer{} },
		Actions: []sim.AnyAction{
			sim.Action[*concealer]{Name: "hide", Times: 1, Do: func(c *concealer, env sim.Env) { c.secret = env.Choose("secret", 2) }},
			sim.Action[*concealer]{Name: "show", Do: func(c *concealer, env sim.Env) {
				if c.Sum += env.Choose("add", 3); reads {
					c.Sum += c.secret
				}
			}},
		},
	}
}

// The same step from states with equal encodings is found where it leads to different ones, in the later run, unless the
// earlier run is forgotten. A step with other answers is another one.
func TestLook_NamesCollision(t *testing.T) {
	for _, c := range []struct{ reads, forget, otherAnswer, found bool }{
		{reads: true, found: true}, {reads: true, forget: true}, {reads: true, otherAnswer: true}, {},
	} {
		sys := concealing(c.reads)
		loop := systest.Loop(t, sys)
		v := verifier(&sys, loop)
		var collisions verify.EncodingCollisions
		collisions.Begin(true)
		// Both hide: the first 0, the second 1. Then both show, adding 1, and the first shows again.
		record(t, loop, v, choose.Path{0, 0, 0, 1, 0, 0})
		if got := collisions.Look(&sys, loop.Replay(), &v.Recorded); got != nil {
			t.Errorf("the first run collides: %+v", got.Finding)
		}
		if c.forget {
			collisions.Begin(true)
		}
		path := choose.Path{0, 1, 0, 1}
		if c.otherAnswer {
			path[3] = 2
		}
		record(t, loop, v, path)
		got := collisions.Look(&sys, loop.Replay(), &v.Recorded)
		if !c.found {
			if got != nil {
				t.Errorf("%+v: got %+v", c, got.Finding)
			}
			continue
		}
		if got == nil {
			t.Fatal("the collision was not found")
		}
		want := verify.Difference{Step: 2, Where: "n0", Field: "Sum", Values: [2]string{"1", "2"}, Collision: true}
		message := "two states have the same encoding but behave differently: the same step makes n0 Sum 1 in one and 2 in the other"
		if f := got.Finding; f.Kind != sim.Nondeterminism || f.Node != 0 || f.Message != message {
			t.Errorf("got  %s of node %d: %s\nwant %s of node 0: %s", f.Kind, f.Node, f.Message, sim.Nondeterminism, message)
		}
		if got.Steps != 2 || !slices.Equal(got.Path, path) || !reflect.DeepEqual(got.Difference, &want) {
			t.Errorf("got %d steps, path %v, %+v; want 2, %v, %+v", got.Steps, got.Path, got.Difference, path, want)
		}
	}
}

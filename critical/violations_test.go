package critical_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

type gambler struct {
	sim.Nop
	Won bool
}

// Where the only live states violate an Always property, they are live all the same: the run is dead since the last try, and not
// since the first one, by walks as by an exhaustive search.
func TestFind_LiveStatesViolate(t *testing.T) {
	sys := sim.System{
		Name: "gambler", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(gambler) },
		Actions: []sim.AnyAction{sim.Action[*gambler]{Name: "try", Times: 3, Do: func(g *gambler, env sim.Env) {
			g.Won = g.Won || env.Choose("number", 3) == 2
		}}},
		Properties: []sim.Property{
			{Name: "wins", Eventually: sim.Each(func(_ sim.NodeID, g *gambler) bool { return g.Won })},
			{Name: "the bank does not lose", Always: sim.Each(func(_ sim.NodeID, g *gambler) bool { return !g.Won })},
		},
	}
	for _, engine := range []string{runloop.ReplayEngine, runloop.TableEngine} {
		for _, states := range []int{-1, 0} {
			res, err := critical.Find(t.Context(), critical.Config{
				System: sys, Path: choose.Path{0, 0, 0, 1, 0, 0}, Walks: 50, WalkSteps: 10, Engine: engine, States: states,
			})
			if err != nil || res.Case != critical.Located || res.Step != 3 || states == 0 && res.Proof != critical.Exact {
				t.Errorf("engine %s, states %d: %+v, %v", engine, states, res, err)
			}
		}
	}
	// From the last state before the end the exhaustive search alone finds what walks may miss.
	res, err := critical.Find(t.Context(), critical.Config{System: sys, Path: choose.Path{0, 0, 0, 1, 0, 0}, Walks: 1, WalkSteps: 10})
	if err != nil || res.Case != critical.Located || res.Step != 3 || res.Proof != critical.Exact {
		t.Errorf("%+v, %v", res, err)
	}
}

type climber struct {
	sim.Nop
	Level        int
	Fell, Rested bool
}

// A live state that is reached past others which violate an Always property is found, though walks end in those.
func TestFind_ViolationsOnTheWay(t *testing.T) {
	on := func(c *climber) bool { return !c.Fell && !c.Rested && c.Level < 20 }
	sys := sim.System{
		Name: "climber", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(climber) },
		Actions: []sim.AnyAction{
			sim.Action[*climber]{Name: "climb", When: on, Do: func(c *climber, env sim.Env) {
				c.Fell = env.Choose("hold", 2) == 0
				c.Level++
			}},
			sim.Action[*climber]{Name: "rest", When: on, Do: func(c *climber, _ sim.Env) { c.Rested = true }},
		},
		Properties: []sim.Property{
			{Name: "on top", Eventually: sim.Each(func(_ sim.NodeID, c *climber) bool { return c.Level == 20 && !c.Fell })},
			{Name: "nobody falls", Always: sim.Each(func(_ sim.NodeID, c *climber) bool { return !c.Fell })},
		},
	}
	res, err := critical.Find(t.Context(), critical.Config{System: sys, Path: choose.Path{0, 1, 1}, Walks: 50, WalkSteps: 50})
	if err != nil || res.Case != critical.Located || res.Step != 2 || res.Proof != critical.Exact {
		t.Errorf("%+v, %v", res, err)
	}
	// So it is past steps that fail.
	action := sys.Actions[0].(sim.Action[*climber])
	action.Do = func(c *climber, env sim.Env) {
		env.Assert(env.Choose("hold", 2) > 0, "falls")
		c.Level++
	}
	failing := sys
	failing.Actions = []sim.AnyAction{action, sys.Actions[1]}
	res, err = critical.Find(t.Context(), critical.Config{System: failing, Path: choose.Path{0, 1, 1}, Walks: 50, WalkSteps: 50})
	if err != nil || res.Case != critical.Located || res.Step != 2 || res.Proof != critical.Exact {
		t.Errorf("with steps that fail: %+v, %v", res, err)
	}
	// Successors of a violation are not visited, so nothing is proven if there is no other way.
	sys.Properties[0].Eventually = sim.Each(func(_ sim.NodeID, c *climber) bool { return c.Level > 20 })
	res, err = critical.Find(t.Context(), critical.Config{System: sys, Path: choose.Path{0, 1, 1}, Walks: 50, WalkSteps: 50})
	if err != nil || res.Case != critical.DeadFromStart || res.Proof != critical.Walks || res.Unproven == "" {
		t.Errorf("%+v, %v", res, err)
	}
}

type saver struct {
	sim.Nop
	Level          int
	Cheated, Ended bool
}

// The live run beside a dead one has no violation if there is such a run, even if one with a violation is nearer.
func TestFind_LiveRunWithoutViolation(t *testing.T) {
	goes := func(s *saver) bool { return !s.Ended && !s.Cheated && s.Level < 2 }
	sys := sim.System{
		Name: "saver", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(saver) },
		Actions: []sim.AnyAction{
			sim.Action[*saver]{Name: "cheat", When: goes, Do: func(s *saver, _ sim.Env) { s.Level, s.Cheated = 2, true }},
			nil, // below
			sim.Action[*saver]{Name: "end", When: goes, Do: func(s *saver, _ sim.Env) { s.Ended = true }},
		},
		Properties: []sim.Property{
			{Name: "enough", Eventually: sim.Each(func(_ sim.NodeID, s *saver) bool { return s.Level == 2 })},
			{Name: "nobody cheats", Always: sim.Each(func(_ sim.NodeID, s *saver) bool { return !s.Cheated })},
		},
	}
	for _, c := range []struct {
		most int // of what can be saved
		want choose.Path
	}{{2, choose.Path{1, 1}}, {1, choose.Path{0}}} {
		sys.Actions[1] = sim.Action[*saver]{Name: "save", Times: c.most, When: goes, Do: func(s *saver, _ sim.Env) { s.Level++ }}
		res, err := critical.Find(t.Context(), critical.Config{System: sys, Path: choose.Path{2}, Walks: 50, WalkSteps: 10})
		if err != nil || res.Case != critical.Located || res.Step != 1 || !slices.Equal(res.Live, c.want) {
			t.Errorf("of at most %d: %+v, %v; the live run should be %v", c.most, res, err, c.want)
		}
	}
}

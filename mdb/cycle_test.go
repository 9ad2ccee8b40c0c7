package mdb_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

type ball struct{}

// TestCycle_Marked checks that the steps of an infinite cycle are marked in lists, at the current step, and in graphs, if they form a cycle.
func TestCycle_Marked(t *testing.T) {
	type player struct{ Other machine.ID }
	plays := machine.Define[player]("player", machine.In("playing", machine.On(func(p *player, x *machine.Ctx, b ball) { x.Send(p.Other, b) })))
	starts := machine.Define[player]("starter", machine.In("playing",
		machine.Entry(func(p *player, x *machine.Ctx) { x.Send(p.Other, ball{}) }),
		machine.On(func(p *player, x *machine.Ctx, b ball) { x.Send(p.Other, b) })))
	var ms machine.System
	ms.Add(starts, player{1})
	ms.Add(plays, player{0})
	sys := ms.Sim("game")
	sys.Properties = []sim.Property{{Name: "the game ends", Inevitably: func(*sim.View) bool { return false }}}
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil || x.Fairness.Starvation == nil || x.Fairness.Starvation.Round != 2 {
		t.Fatalf("%v, %+v", err, x.Fairness)
	}
	for round, marked := range map[int]bool{2: true, 1: false} {
		s := opened(t, mdb.Config{System: &sys, Header: pathfile.Header{Endless: true, Round: round}, Path: x.Fairness.Starvation.Path})
		list, at, graph, info := do(t, s, "steps 1 2"), do(t, s, "goto 1"), do(t, s, "graph"), do(t, s, "info")
		if strings.Contains(list, " o+") != marked || strings.Contains(at, "IN THE CYCLE of steps 1 to 2") != marked || strings.Contains(graph, " @ 1") != marked || strings.Contains(info, "steps 1 to 2 repeat forever") != marked {
			t.Errorf("a round of %d steps:\n%s\n%s\n%s\n%s", round, list, at, graph, info)
		}
	}
	s := opened(t, mdb.Config{System: &sys, Header: pathfile.Header{Endless: true, Note: "the game ends stays pending forever"}, Path: x.Fairness.Starvation.Path})
	if info := do(t, s, "info"); !strings.Contains(info, "the game ends stays pending forever") || !strings.Contains(info, "no fair event can happen any more") {
		t.Errorf("a run that ends:\n%s", info)
	}
}

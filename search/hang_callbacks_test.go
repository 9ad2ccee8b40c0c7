package search_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// asks has a function that does not return in the third state.
func asks(t *testing.T, where string) sim.System {
	end := new(atomic.Bool)
	t.Cleanup(func() { end.Store(true) })
	at := func(here string, did int) {
		for where == here && did == 2 && !end.Load() { // ends with the test, to release the processor
		}
	}
	did := func(v *sim.View) (n int) {
		for _, s := range sim.Nodes[*stays](v) {
			n = s.did
		}
		return n
	}
	asked := func(here string) func(*sim.View) bool {
		return func(v *sim.View) bool { at(here, did(v)); return true }
	}
	sys := sim.System{
		Name: "asks", Nodes: 1,
		New: func(sim.NodeID) sim.Service { return &stays{} },
		Actions: []sim.AnyAction{sim.Action[*stays]{Name: "act", Times: 4, Do: func(s *stays, env sim.Env) {
			s.did++
			env.Announce(s.did)
		}}},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return watching{at} }},
		Properties: []sim.Property{
			{Name: "always", Always: asked("always")},
			{Name: "eventually", Eventually: asked("eventually")},
			{Name: "sometimes", Sometimes: func(v *sim.View) bool { at("sometimes", did(v)); return false }},
		},
	}
	if where == "MayCrash" {
		sys.Crashes, sys.MayCrash = 1, func(sim.NodeID) bool { at("MayCrash", 2); return true }
	}
	return sys
}

type watching struct {
	at func(string, int) `macemc:"-"`
}

func (w watching) Observe(_ sim.NodeID, did any) error {
	w.at("monitor", did.(int))
	return nil
}

// A function of the state that does not return is suspected like a handler, by every strategy and engine.
func TestHang_FunctionsOfState(t *testing.T) {
	if testing.Short() {
		t.Skip("waits")
	}
	for where, property := range map[string]string{
		"always": "always", "eventually": "eventually", "sometimes": "sometimes", "monitor": "", "MayCrash": "",
	} {
		for _, c := range []struct {
			strategy search.Name
			engine   string
		}{
			{search.Deepening, runloop.ReplayEngine}, {search.BFS, ""}, {search.Walk, runloop.TableEngine}, {search.DFS, ""},
		} {
			if where != "always" && c.strategy != search.Deepening && c.strategy != search.BFS {
				continue // the code is the same
			}
			t.Run(fmt.Sprint(where, " ", c.strategy), func(t *testing.T) {
				f := overdue(t, search.Config{System: asks(t, where), Strategy: c.strategy, Engine: c.engine})
				if want := 2; where != "MayCrash" && len(f.Path) < want {
					t.Errorf("path %v", f.Path)
				}
				if c.strategy.Can(strategy.VisitsStates) && f.Property != property {
					t.Errorf("property %q, want %q", f.Property, property)
				}
			})
		}
	}
}

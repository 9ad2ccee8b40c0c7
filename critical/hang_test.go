package critical_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// counts is what hanging is made of.
type counts struct {
	sim.Nop
	N int
}

// hanging counts; at 30 the action or the property does not return.
func hanging(where string) sim.System {
	return sim.System{
		Name: "counts", Nodes: 1,
		New: func(sim.NodeID) sim.Service { return new(counts) },
		Actions: []sim.AnyAction{sim.Action[*counts]{Name: "count", Do: func(c *counts, _ sim.Env) {
			if c.N++; where == "action" && c.N == 30 {
				select {}
			}
		}}},
		Properties: []sim.Property{{Name: "rests", Eventually: sim.Each(func(_ sim.NodeID, c *counts) bool {
			if where == "property" && c.N == 30 {
				select {}
			}
			return false
		})}},
	}
}

// Checked code that does not return in a walk from the run ends Find, with the path into it.
func TestFind_WalkHangs(t *testing.T) {
	for _, where := range []string{"action", "property"} {
		for _, engine := range []string{runloop.ReplayEngine, runloop.TableEngine} {
			cfg := critical.Config{
				System: hanging(where), Path: repeat(0, 10), WalkSteps: 25, Workers: 2, States: -1, Engine: engine, HandlerLimit: 100 * time.Millisecond,
			}
			_, err := critical.Find(t.Context(), cfg)
			var ended *critical.Ended
			if !errors.As(err, &ended) || !ended.Overdue || ended.Finding.Kind != sim.Divergence || ended.Steps < 29 || len(ended.Path) < 29 ||
				!strings.Contains(err.Error(), "did not return within 100ms") {
				t.Errorf("%s, engine %s: %v", where, engine, err)
			}
			c, err := critical.Confirm(cfg)(t.Context(), search.Suspect{Finding: sim.Finding{Kind: sim.Liveness}, Path: cfg.Path})
			if err != nil || c.Violation || c.Refuted || c.Instead == nil || !c.Instead.Overdue {
				t.Errorf("%s, engine %s: %+v, %v", where, engine, c, err)
			}
		}
	}
}

package search_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// creditor has obligations for announced events, and misbehaves after two of them.
type creditor struct {
	Seen int
	how  string
}

func (c *creditor) Observe(sim.NodeID, any) error { c.Seen++; return nil }

func (c *creditor) fail(how string) {
	if c.Seen == 2 && c.how == how {
		select {}
	}
	if c.Seen == 2 && c.how == how+" panics" {
		panic("no")
	}
}

func (c *creditor) Obliges() bool { c.fail("Obliges"); return true }

func (c *creditor) Obligations() []sim.Obligation {
	c.fail("Obligations")
	return []sim.Obligation{{Key: "all", Hot: c.Seen%2 == 1}}
}

func (c *creditor) Passed() (hot, settled []string) { c.fail("Passed"); return nil, nil }

func crediting(how string) sim.System {
	return sim.System{
		Name: "crediting", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(sim.Nop) },
		Actions: []sim.AnyAction{
			sim.Action[*sim.Nop]{Name: "rest", Times: 2, Do: func(*sim.Nop, sim.Env) {}},
			sim.Action[*sim.Nop]{Name: "borrow", Times: 3, Do: func(_ *sim.Nop, env sim.Env) { env.Announce("borrowed") }},
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &creditor{how: how} }},
	}
}

// A misbehaving obligation method of a monitor is found like a misbehaving Observe: by every strategy and engine, and
// when the run is executed again.
func TestObligations_Misbehave(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"Obliges", "Obligations", "Passed", "Obligations panics"} {
		for _, cfg := range []search.Config{
			{Strategy: search.BFS}, {Strategy: search.DFS}, {Strategy: search.Walk, Engine: runloop.ReplayEngine}, {Strategy: search.Walk, Engine: runloop.TableEngine},
			{Strategy: search.Deepening},
		} {
			t.Run(fmt.Sprint(how, " ", cfg.Strategy, " ", cfg.Engine), func(t *testing.T) {
				if testing.Short() && cfg.Strategy != search.BFS {
					t.Skip("waits")
				}
				t.Parallel()
				began := time.Now()
				sys, panics := crediting(how), how == "Obligations panics"
				cfg.System, cfg.Workers, cfg.Time, cfg.HandlerLimit = sys, 1, endless, 100*time.Millisecond
				cfg.Confirm = func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
					return search.Confirmed{Violation: s.Overdue || panics}, nil
				}
				res, err := search.Run(t.Context(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				f := res.Finding
				if f == nil || f.Overdue == panics || f.Kind != (map[bool]sim.FindingKind{true: sim.Panic, false: sim.Divergence})[panics] {
					t.Fatalf("%s, %+v", res.Verdict, f)
				}
				if took := time.Since(began); took > endless/2 {
					t.Errorf("it took %v", took)
				}
				w, err := kernel.NewWorld(&sys, kernel.Options{Overdue: func(ticks int) bool { return !panics && ticks > 2 }})
				if err != nil {
					t.Fatal(err)
				}
				src := &choose.Prefix{Path: f.Path}
				for err = w.Start(src); err == nil && !src.Done(); {
					i, _ := src.Take()
					err = w.Step(w.Enabled()[i], src)
				}
				var finding *sim.Finding
				if !errors.As(err, &finding) || contain.Overdue(finding) == panics {
					t.Errorf("executed again: %v, path %v", err, f.Path)
				}
			})
		}
	}
}

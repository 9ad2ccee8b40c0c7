package search_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
)

// A state that can recover only by an answer or event of weight 0, or by a fault, is dead, by every strategy and
// engine.
func TestRecovery_AllStrategies(t *testing.T) {
	never := automaton.Move{From: 0, To: []int{0, 1}, Weights: []int{1, 0}}
	noBoots := search.DefaultWeights()
	noBoots.Consequence = 0
	for _, c := range []struct {
		name    string
		table   automaton.Table
		weights search.Weights
		faults  bool // the violation needs one
	}{
		{"answer of weight 0", automaton.Table{Moves: []automaton.Move{never, automaton.To(1, 0)}, Live: []int{1}}, search.Weights{}, false},
		{"event of weight 0", automaton.Table{Moves: []automaton.Move{automaton.To(0, 0)}, Live: []int{0}, Crashes: 1}, noBoots, true},
		{"only a crash helps", automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 1)}, Live: []int{0}, Crashes: 1}, search.Weights{}, false},
	} {
		for name, engine := range everyEngine(runloop.ReplayEngine, runloop.TableEngine) {
			for _, by := range []int{1, 4} {
				if by > 1 && name != search.Deepening || c.faults && !name.Can(strategy.Faults) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s %d/%s", c.name, name, by, engine), func(t *testing.T) {
					sys := c.table.System()
					cfg := search.Config{
						System: sys, Strategy: name, Engine: engine, Weights: c.weights, WalkSteps: 100, MaxPaths: 200, HandlerLimit: patient,
						Alone: name == search.Deepening, Workers: 1,
						Confirm: critical.Confirm(critical.Config{System: sys, WalkSteps: 100, Walks: 20, Weights: c.weights}),
					}
					if name == search.Deepening {
						cfg.DeepenBy = by
					}
					if res := run(t, cfg); res.Verdict != search.Violation {
						t.Errorf("%s, %s", res.Verdict, res.Stopped)
					}
				})
			}
		}
	}
}

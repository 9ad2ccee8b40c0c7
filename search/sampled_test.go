package search_test

import (
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// scheduled is a service that takes one of many schedules by itself.
type scheduled struct {
	sim.Nop
	Ticks int
}

func (s *scheduled) Boot(env sim.Env)                      { env.SetTimer("tick", 1) }
func (s *scheduled) Timer(sim.Env, any)                    { s.Ticks++ }
func (s *scheduled) Uncovered(sim.Interleave) string       { return "other schedules" }
func (s *scheduled) Sampled(sim.Interleave) map[string]int { return map[string]int{"schedule": 1} }

// A search of a service that samples by itself is conclusive when it ends, but not complete.
func TestSampled_ByService(t *testing.T) {
	sys := sim.System{
		Name: "scheduled", Nodes: 1, New: func(sim.NodeID) sim.Service { return &scheduled{} },
		Properties: []sim.Property{{Name: "few", Always: func(v *sim.View) bool { return v.Service(0).(*scheduled).Ticks < 2 }}},
	}
	everyWay(func(cfg search.Config) {
		cfg.System, cfg.Alone = sys, cfg.Strategy == search.Deepening
		res := run(t, cfg)
		stopped := stats.StoppedSampled
		if onlyWalks(cfg.Strategy) {
			stopped = stats.StoppedPaths
		}
		s := res.Stats.Sampled
		if res.Verdict != search.OK || res.Stats.Complete || res.Stopped != stopped || len(s) != 1 || s[0].Label != "schedule" || s[0].Taken != 1 {
			t.Errorf("%s, %s: %s, complete %v, stopped: %s, sampled %+v", cfg.Strategy, cfg.Engine, res.Verdict, res.Stats.Complete, res.Stopped, s)
		}
	})
}

// The number of sampled alternatives does not depend on the number of workers.
func TestSampled_TakenByWorkers(t *testing.T) {
	var taken []int
	for _, workers := range []int{1, 3} {
		res := run(t, search.Config{MaxPaths: 2000, Workers: workers, System: drawing(func(s *numbers, env sim.Env) {
			s.Got = 10 + env.Rand().IntN(1_000_000_000)
		})})
		taken = append(taken, res.Stats.Sampled[0].Taken)
	}
	if taken[0] < 500 || taken[0] != taken[1] {
		t.Errorf("%v alternatives were taken by 1 and 3 workers", taken)
	}
}

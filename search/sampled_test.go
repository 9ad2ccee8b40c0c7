package search_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
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

// Every strategy reports the checks that are made only by samples, for the features of the system.
func TestSampled_ChecksBySample(t *testing.T) {
	always := "handlers are deterministic"
	act := sim.Action[*keeper]{Name: "act", Times: 1, Do: func(*keeper, sim.Env) {}}
	guarded := act
	guarded.When = func(*keeper) bool { return true }
	sends := act
	sends.Do = func(_ *keeper, env sim.Env) { env.Send(0, &mark{}) }
	for _, c := range []struct {
		action  sim.Action[*keeper]
		quorums []sim.AnyQuorum
		want    []string
	}{
		{act, nil, []string{always}},
		{guarded, nil, []string{always, "When has no side effects"}},
		{sends, nil, []string{always, "messages are not modified after sending"}},
		{act, []sim.AnyQuorum{sim.Quorum[*keeper, mark]{Name: "q", Need: func(*keeper) int { return 1 }, Do: func(*keeper, sim.Env, []sim.From[mark]) {}}},
			[]string{always, sim.QuorumProperty}},
	} {
		sys := sim.System{
			Name: "sampled", Nodes: 1, New: func(sim.NodeID) sim.Service { return &keeper{} }, Network: netsim.Datagrams{},
			Actions: []sim.AnyAction{c.action}, Quorums: c.quorums,
		}
		everywhere(t, c.want[len(c.want)-1], sys, func(t *testing.T, res *search.Result) {
			if !slices.Equal(res.Stats.BySample, c.want) {
				t.Errorf("by sample: %q, want %q", res.Stats.BySample, c.want)
			}
		})
	}
}

// A draw with very many alternatives is sampled, which is reported. Violations behind its first and last alternatives
// are found.
func TestSampled_LargeDraw(t *testing.T) {
	const many = 1_000_000_000
	for _, bad := range []int{0, 9, many - 3, -1} {
		everyWay(func(cfg search.Config) {
			cfg.System = drawing(func(s *numbers, env sim.Env) {
				if s.Got = 10 + env.Rand().IntN(many); s.Got == 10+bad {
					s.Got = 7
				}
			})
			cfg.MaxPaths = 2000
			res := run(t, cfg)
			found := res.Finding != nil
			if found != (bad >= 0) {
				t.Errorf("%d: %s, %s: got %v, %+v", bad, cfg.Strategy, cfg.Engine, res.Verdict, res.Stats)
			}
			if s := res.Stats.Sampled; !found && (res.Stats.Complete || len(s) != 1 || s[0].Label != "rand.IntN" || s[0].Arity != many) {
				t.Fatalf("%s, %s: complete %v, sampled %v", cfg.Strategy, cfg.Engine, res.Stats.Complete, s)
			}
			if !found && cfg.Strategy.Can(strategy.VisitsStates) != (res.Stats.Sampled[0].Taken == 64) {
				t.Errorf("%s, %s: %d alternatives were taken", cfg.Strategy, cfg.Engine, res.Stats.Sampled[0].Taken)
			}
			if !found && cfg.Strategy.Can(strategy.VisitsStates) && (res.Stats.States != 1+64 || res.Stopped != stats.StoppedSampled) {
				t.Errorf("%s: %d states, stopped: %s", cfg.Strategy, res.Stats.States, res.Stopped)
			}
		})
	}
}

// A sample does not prove that fewer steps lead to no violation.
func TestSampled_NotShortest(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	cfg := search.Config{Strategy: search.BFS, Workers: 1, Shortest: true}
	cfg.System = drawing(func(s *numbers, env sim.Env) {
		if s.Got == 10 {
			s.Got = 7
			return
		}
		s.Got = 10 + env.Rand().IntN(1_000_000_000)
		env.SetTimer("go", 1)
	})
	res := run(t, cfg)
	if s := res.Stats.Shortest; s == nil || s.Found != 2 || s.Least || s.Why != "large choices were sampled" {
		t.Errorf("got %+v, want that 2 steps are not proven to be least, because large choices were sampled", s)
	}
}

// A sample does not prove unreachability, so a state from which only a sample leads on is not dead.
func TestSampled_NotDead(t *testing.T) {
	locked := func() sim.System {
		sys := drawing(func(s *numbers, env sim.Env) {
			if env.Choose("key", 1<<20) == 77_777 {
				s.Got = 1
			}
			env.SetTimer("again", 1)
		})
		sys.Properties = append(sys.Properties, sim.Property{Name: "unlocked", Eventually: func(v *sim.View) bool {
			return v.Service(0).(*numbers).Got == 1
		}})
		return sys
	}
	sys := locked()
	r, err := table.Recover(t.Context(), &sys, choose.Path{0, 5}, options.Options{})
	if err != nil || r.Dead() || r.Closed || r.Stopped != "sampled" {
		t.Errorf("got %+v, %v, want that a sample proves nothing", r, err)
	}
	everyWay(func(cfg search.Config) {
		if onlyWalks(cfg.Strategy) {
			return // it is a suspect, without a confirmation here
		}
		cfg.System, cfg.Confirm = locked(), refute
		res := run(t, cfg)
		if res.Finding != nil || res.Stats.Complete || len(res.Stats.Sampled) != 1 {
			t.Errorf("%s, %s: got %v, %+v", cfg.Strategy, cfg.Engine, res.Verdict, res.Stats)
		}
		if cfg.Strategy.Can(strategy.VisitsStates) && res.Stats.Unchecked == "" {
			t.Errorf("%s says that liveness was checked", cfg.Strategy)
		}
	})
}

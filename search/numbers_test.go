package search_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// numbers is a service with a timer that runs a function.
type numbers struct {
	sim.Nop
	Got int
	do  func(*numbers, sim.Env)
}

func (s *numbers) Boot(env sim.Env)         { env.SetTimer("go", 1) }
func (s *numbers) Timer(env sim.Env, _ any) { s.do(s, env) }

// drawing is a system of one node that runs do once.
func drawing(do func(*numbers, sim.Env)) sim.System {
	return sim.System{
		Name: "drawing", Nodes: 1, Network: netsim.Datagrams{},
		New:        func(sim.NodeID) sim.Service { return &numbers{do: do} },
		State:      []sim.StateRule{sim.IgnoreField[numbers]("do")},
		Properties: []sim.Property{{Name: "not 7", Always: func(v *sim.View) bool { return v.Service(0).(*numbers).Got != 7 }}},
	}
}

// everyWay calls f with all combinations of strategies and engines, except for walks with faults.
func everyWay(f func(search.Config)) {
	for name, engine := range everyEngine(runloop.ReplayEngine, runloop.TableEngine) {
		if !onlyWalks(name) || !name.Can(strategy.Faults) {
			f(search.Config{Strategy: name, Engine: engine, MaxPaths: 200, Workers: 1, Time: endless})
		}
	}
}

// A handler that recovers cannot hide that it makes choices forever.
func TestSwallowedDivergence(t *testing.T) {
	everyWay(func(cfg search.Config) {
		cfg.System = drawing(func(s *numbers, env sim.Env) {
			defer func() { recover() }()
			for {
				env.Choose("again", 2)
			}
		})
		res := run(t, cfg)
		if f := res.Finding; f == nil || f.Kind != sim.Divergence {
			t.Errorf("%s, %s: got %v %+v", cfg.Strategy, cfg.Engine, res.Verdict, f)
		}
	})
}

// It cannot hide a call that breaks the contract either.
func TestSwallowedMisuse(t *testing.T) {
	everyWay(func(cfg search.Config) {
		cfg.System = drawing(func(s *numbers, env sim.Env) {
			defer func() { recover() }()
			env.Choose("nothing", 0)
		})
		res := run(t, cfg)
		if f := res.Finding; f == nil || f.Kind != sim.Panic || f.Message != `Choose("nothing", 0): n must be at least 1` {
			t.Errorf("%s, %s: got %v %+v", cfg.Strategy, cfg.Engine, res.Verdict, f)
		}
	})
}

// A draw with too many alternatives is a finding that names the call.
func TestTooManyAlternatives(t *testing.T) {
	everyWay(func(cfg search.Config) {
		cfg.System = drawing(func(s *numbers, env sim.Env) { s.Got = env.Rand().IntN(1 << 40) })
		res := run(t, cfg)
		want := `Choose("rand.IntN", 1099511627776): n must be at most 2147483647; draw large numbers in parts`
		if f := res.Finding; f == nil || f.Kind != sim.Panic || f.Message != want {
			t.Errorf("%s, %s: got %v %+v", cfg.Strategy, cfg.Engine, res.Verdict, f)
		}
	})
}

// A draw with very many alternatives is sampled, which is reported. Violations behind its first and last alternatives
// are found.
func TestSampledDraw(t *testing.T) {
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
func TestSampledDrawIsNotShortest(t *testing.T) {
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
		t.Errorf("%+v", s)
	}
}

// A sample does not prove unreachability, so a state from which only a sample leads on is not dead.
func TestSampledDrawIsNotDead(t *testing.T) {
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

// Limits are checked while the answers of one handler are enumerated.
func TestLimitsInsideOneState(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	networks := []sim.Network{netsim.Datagrams{}, netsim.Streams{}} // take turns
	everyWay(func(cfg search.Config) {
		cfg.System = drawing(func(s *numbers, env sim.Env) {
			for range 4 {
				s.Got = 100*s.Got + env.Choose("digits", 100) + 8
			}
		})
		cfg.System.Network = networks[0]
		slices.Reverse(networks)
		cfg.Time, cfg.MaxPaths = 300*time.Millisecond, 0
		began := time.Now()
		res := run(t, cfg)
		if took := time.Since(began); took > endless/2 || res.Stopped != stats.StoppedTime || res.Stats.Complete {
			t.Errorf("%s, %s: stopped: %s after %v, complete %v", cfg.Strategy, cfg.Engine, res.Stopped, took, res.Stats.Complete)
		}
		if !cfg.Strategy.Can(strategy.VisitsStates) {
			return
		}
		cfg.Time, cfg.MaxBytes = endless, 20<<20
		if res = run(t, cfg); res.Stopped != stats.StoppedMemory || res.Stats.Complete || res.Stats.States < 1000 {
			t.Errorf("%s: stopped: %s, %d states", cfg.Strategy, res.Stopped, res.Stats.States)
		}
		// A finding before the limit is reported.
		cfg.System.Properties[0].Always = func(v *sim.View) bool { return v.Service(0).(*numbers).Got != 8080908+700 }
		if res = run(t, cfg); res.Verdict != search.Violation || len(res.Finding.Path) != 5 {
			t.Errorf("%s: got %v, stopped: %s", cfg.Strategy, res.Verdict, res.Stopped)
		}
	})
}

// A handler that recovers each time does not return.
func TestDivergenceSwallowedForEver(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	everyWay(func(cfg search.Config) {
		var end atomic.Bool // ends the handler, to release the processor
		defer end.Store(true)
		cfg.HandlerLimit = 100 * time.Millisecond
		cfg.System = drawing(func(s *numbers, env sim.Env) {
			for !end.Load() {
				func() {
					defer func() { recover() }()
					env.Choose("again", 2)
				}()
			}
		})
		res := run(t, cfg)
		if f := res.Finding; f == nil || f.Kind != sim.Divergence {
			t.Errorf("%s, %s: got %v %+v", cfg.Strategy, cfg.Engine, res.Verdict, f)
		}
	})
}

// withholder sends a value and changes it later: in the same step, or in a later one.
type withholder struct {
	sim.Nop
	Kept []int
	Sent bool
}

func (s *withholder) Timer(env sim.Env, _ any) { s.Kept[0]++ }

func changing(when string) sim.System {
	return sim.System{
		Name: "withholder", Nodes: 2, New: func(sim.NodeID) sim.Service { return &withholder{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*withholder]{
			Name: "send", When: func(s *withholder) bool { return !s.Sent }, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(s *withholder, env sim.Env) {
				s.Kept, s.Sent = []int{1, 2}, true
				env.Send(1, list{s.Kept})
				switch when {
				case "at once":
					s.Kept[0]++
				case "later":
					env.SetTimer("change", 1)
				}
			},
		}},
	}
}

// A message that is changed after it was sent is found by every strategy.
func TestChangedMessageEverywhere(t *testing.T) {
	for _, when := range []string{"at once", "later", "never"} {
		everyWay(func(cfg search.Config) {
			cfg.System = changing(when)
			res := run(t, cfg)
			f := res.Finding
			if when == "never" && f == nil && slices.Contains(res.Stats.BySample, "messages are not modified after sending") {
				return
			}
			if when == "never" || f == nil || f.Kind != sim.Safety || f.Property != kernel.MessagesProperty || f.Node != 0 {
				t.Errorf("%s: %s, %s: got %v %+v, by sample: %v", when, cfg.Strategy, cfg.Engine, res.Verdict, f, res.Stats.BySample)
			}
		})
	}
}

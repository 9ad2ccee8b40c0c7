package search_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
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
func TestDraws_RecoveredDivergence(t *testing.T) {
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
func TestDraws_RecoveredMisuse(t *testing.T) {
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
func TestDraws_TooManyAlternatives(t *testing.T) {
	everyWay(func(cfg search.Config) {
		cfg.System = drawing(func(s *numbers, env sim.Env) { s.Got = env.Rand().IntN(1 << 40) })
		res := run(t, cfg)
		want := `Choose("rand.IntN", 1099511627776): n must be at most 2147483647; draw large numbers in parts`
		if f := res.Finding; f == nil || f.Kind != sim.Panic || f.Message != want {
			t.Errorf("%s, %s: got %v %+v", cfg.Strategy, cfg.Engine, res.Verdict, f)
		}
	})
}

// Limits are checked while the answers of one handler are enumerated.
func TestDraws_LimitsWithinHandler(t *testing.T) {
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
func TestDraws_RecoveredForever(t *testing.T) {
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
func TestChangedMessage_AllStrategies(t *testing.T) {
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

// A bound on the choices within a step needs no watchdog.
func TestDraws_Endless(t *testing.T) {
	res := run(t, search.Config{System: oneAction(func(_ *node, env sim.Env) {
		for env.Choose("again", 1) == 0 {
		}
	})})
	if f := res.Finding; f == nil || f.Kind != sim.Divergence || f.Overdue {
		t.Fatalf("got %+v", f)
	}
}

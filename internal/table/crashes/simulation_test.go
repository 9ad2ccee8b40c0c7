package crashes_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// phoenix is a service with behavior given by a test. A and B are its state.
type phoenix struct {
	A, B int
	me   sim.NodeID
	does *habits `macemc:"-"`
}

// habits are what the nodes of a test do.
type habits struct {
	act, boot func(s *phoenix, env sim.Env)
	receive   func(s *phoenix, env sim.Env, m feather)
}

type feather struct{ Kind int }

func (s *phoenix) Boot(env sim.Env) {
	if s.does.boot != nil {
		s.does.boot(s, env)
	}
}

func (s *phoenix) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if s.does.receive != nil {
		s.does.receive(s, env, msg.(feather))
	}
}

func (s *phoenix) Timer(sim.Env, any) {}

func wrote(env sim.Env, key string) bool {
	_, ok := env.Disk().Get(key)
	return ok
}

func write(env sim.Env, keys ...string) {
	for _, key := range keys {
		env.Disk().Put(key, nil)
		env.Disk().Sync()
	}
}

// nest is a system of phoenixes, and some of them may crash.
func nest(crashes, mortal int, h habits, always func(*sim.View) bool) *sim.System {
	return &sim.System{
		Name: "nest", Nodes: 3, Network: netsim.Datagrams{}, Crashes: crashes, MayCrash: func(id sim.NodeID) bool { return int(id) < mortal },
		New: func(id sim.NodeID) sim.Service { return &phoenix{me: id, does: &h} },
		Actions: []sim.AnyAction{sim.Action[*phoenix]{
			Name: "act", Times: 1, At: func(id sim.NodeID) bool { return id < 2 }, Do: func(s *phoenix, env sim.Env) { h.act(s, env) },
		}},
		Properties: []sim.Property{{Name: "sound", Always: always}},
	}
}

func all(holds func(s *phoenix) bool) func(*sim.View) bool {
	return sim.Each(func(_ sim.NodeID, s *phoenix) bool { return holds(s) })
}

// heard is an announcement.
type heard struct{ What int }

// second is a monitor that is violated by the announcement of 2.
type second struct{ Heard int }

func (s *second) Observe(_ sim.NodeID, ev any) error {
	if s.Heard = ev.(heard).What; s.Heard == 2 {
		return fmt.Errorf("2 was announced")
	}
	return nil
}

// In each of these systems crashes matter for one reason alone. Without the check of that reason nothing is found.
func TestCrashSimulation_CrashesMatter(t *testing.T) {
	t.Parallel()
	read := func(s *phoenix, env sim.Env) {
		if wrote(env, "a") {
			s.B = 1
		}
	}
	none := func(*phoenix, sim.Env) {}
	calm := func(s *phoenix) bool { return s.B < 2 && s.A < 2 }
	for _, c := range []struct {
		without options.Mutation
		sys     *sim.System
	}{
		{por.NoSurvivors, nest(1, 1, habits{ // a promise may be forgotten
			boot: func(s *phoenix, env sim.Env) {
				if wrote(env, "a") {
					s.A = 1
				}
			},
			act: func(s *phoenix, env sim.Env) {
				if s.me == 1 {
					env.Send(0, feather{1})
				}
			},
			receive: func(s *phoenix, env sim.Env, m feather) {
				switch {
				case m.Kind == 1:
					s.A = 1
					env.Disk().Put("a", nil)
					env.Send(1, feather{2})
				case m.Kind == 2:
					env.Send(0, feather{3})
				case s.A == 0:
					s.B = 2
				}
			},
		}, all(calm))},
		{por.NoQuietBoot, nest(1, 1, habits{
			boot: func(s *phoenix, env sim.Env) {
				if s.me == 0 {
					env.Send(2, feather{})
				}
			},
			act:     none,
			receive: func(s *phoenix, _ sim.Env, _ feather) { s.A++ },
		}, all(calm))},
		{por.NoBad, nest(1, 1, habits{boot: read, act: func(s *phoenix, env sim.Env) {
			s.A = 1
			write(env, "a")
		}}, all(func(s *phoenix) bool { return s.B == 0 }))},
		{por.NoReads, nest(1, 1, habits{
			act: func(s *phoenix, env sim.Env) {
				if s.me == 0 {
					env.Send(1, feather{})
					env.Send(2, feather{})
				}
			},
			receive: func(s *phoenix, _ sim.Env, _ feather) { s.A = 1 },
		}, func(v *sim.View) bool { // both are informed, or none
			n := 0
			for range v.InFlight() {
				n++
			}
			return n != 1 || v.Service(1).(*phoenix).A+v.Service(2).(*phoenix).A > 0
		})},
		{por.NoLikeness, nest(1, 1, habits{
			boot: read,
			act: func(s *phoenix, env sim.Env) {
				if s.me == 0 {
					write(env, "a")
				} else {
					env.Send(0, feather{})
				}
			},
			receive: func(s *phoenix, env sim.Env, m feather) {
				switch {
				case s.me == 2:
					s.A = 2
				case s.B == 1:
					env.Send(2, m)
				}
			},
		}, all(calm))},
		{por.NoSecond, nest(2, 1, habits{
			boot: func(s *phoenix, env sim.Env) {
				if read(s, env); wrote(env, "b") {
					s.B = 2
				}
			},
			act: func(s *phoenix, env sim.Env) {
				if s.me == 0 {
					write(env, "a")
				} else {
					env.Send(0, feather{})
				}
			},
			receive: func(s *phoenix, env sim.Env, _ feather) {
				if s.B == 1 && s.A == 0 {
					s.A = 1
					env.Disk().Put("b", nil)
				}
			},
		}, all(calm))},
		{por.NoCrashCuts, nest(1, 1, habits{
			boot: func(s *phoenix, env sim.Env) {
				if wrote(env, "a") && !wrote(env, "b") {
					s.B = 2
				}
			},
			act: func(s *phoenix, env sim.Env) { write(env, "a", "b") },
		}, all(calm))},
		{por.NoOthersDown, nest(2, 2, habits{boot: read, act: func(_ *phoenix, env sim.Env) { write(env, "a") }}, func(v *sim.View) bool {
			sum := 0
			for _, s := range sim.Nodes[*phoenix](v) {
				sum += s.B
			}
			return sum < 2
		})},
		{por.NoSameNews, func() *sim.System {
			sys := nest(1, 1, habits{
				boot: read,
				act: func(s *phoenix, env sim.Env) {
					if s.me == 0 {
						write(env, "a")
					} else {
						env.Send(0, feather{})
					}
				},
				receive: func(s *phoenix, env sim.Env, _ feather) { env.Announce(heard{1 + s.B}) },
			}, all(calm))
			sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return new(second) }}
			return sys
		}()},
	} {
		t.Run(string(c.without), func(t *testing.T) {
			explore := func(model options.CrashModel, without options.Mutation, opts options.Options) *table.Exploration {
				t.Helper()
				opts.Crashes, opts.Reduce, opts.Rules = model, options.ReduceFull, &options.Rules{DeadMessages: true, SingletonAmple: true, Chains: true, Mutation: without}
				x, err := table.Explore(context.Background(), c.sys, opts)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
			if x := explore(options.CrashExplicit, "", options.Options{}); x.Finding == nil || x.Crashes != nil {
				t.Errorf("with crashes nothing is found: %+v", x)
			}
			if x := explore(options.CrashImplicit, "", options.Options{}); x.Finding != nil || x.Complete || x.Stopped != crashes.StoppedCrashes || x.Depth != 0 ||
				x.Crashes.Proven || len(x.Crashes.CrashSensitive) == 0 || x.Crashes.CrashSensitive[0].Node != 0 {
				t.Errorf("stopped by %q, %+v", x.Stopped, x.Crashes)
			}
			if x := explore(options.CrashAuto, "", options.Options{}); x.Finding == nil || len(x.Crashes.CrashSensitive) == 0 {
				t.Errorf("found nothing: %+v", x.Crashes)
			} else if err := reductions.Execute(c.sys, x.Path, func(w kernel.World, err error) error {
				if err == nil {
					err = w.Check()
				}
				if err == nil {
					return fmt.Errorf("nothing is wrong at the end of the path")
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			if x := explore(options.CrashImplicit, c.without, options.Options{}); x.Finding != nil || !x.Complete || !x.Crashes.Proven {
				t.Errorf("when %s it is not missed: %+v", c.without, x.Crashes)
			}
		})
	}
}

// Whether crashes matter depends on the effects of interrupted steps: half of a step, on the disk or to other nodes, makes
// a node wrong.
func TestCrashSimulation_Cuts(t *testing.T) {
	t.Parallel()
	half := func(key string, after func(s *phoenix, env sim.Env)) habits {
		return habits{
			boot: func(s *phoenix, env sim.Env) {
				if wrote(env, key) && !wrote(env, "done") {
					s.B = 1
				}
			},
			act: func(s *phoenix, env sim.Env) {
				if s.me == 0 {
					write(env, key, "done")
					after(s, env)
				}
			},
		}
	}
	told := habits{
		act: func(s *phoenix, env sim.Env) {
			if s.me == 0 {
				s.A = 1
				env.Send(1, feather{1})
				env.Send(1, feather{2})
			}
		},
		receive: func(s *phoenix, _ sim.Env, m feather) { s.A += m.Kind },
	}
	// The second message has arrived, but the first is neither there nor in flight.
	gap := func(v *sim.View) bool {
		first, second := false, false
		for m := range v.InFlight() {
			first, second = first || m.Msg.(feather).Kind == 1, second || m.Msg.(feather).Kind == 2
		}
		s, _ := v.Service(1).(*phoenix)
		return first || !second || s != nil && s.A > 0
	}
	sound := all(func(s *phoenix) bool { return s.B == 0 })
	for _, c := range []struct {
		name  string
		sys   *sim.System
		holds [3]bool // by cut: prefix, none, subset
		left  [3]bool // it is shown that crashes can be left out
	}{
		{"written", nest(1, 1, half("a", func(*phoenix, sim.Env) {}), sound), [3]bool{false, true, false}, [3]bool{false, true, false}},
		{"told", nest(1, 1, told, gap), [3]bool{true, true, false}, [3]bool{}}, // the property reads messages in flight
		{"late", nest(1, 1, told, sound), [3]bool{true, true, true}, [3]bool{true, true, true}},
	} {
		for cut := sim.CutPrefix; cut <= sim.CutSubset; cut++ {
			c.sys.CrashCut = cut
			for _, model := range []options.CrashModel{options.CrashExplicit, options.CrashAuto, options.CrashImplicit} {
				x, err := table.Explore(context.Background(), c.sys, options.Options{Reduce: options.ReduceFull, Crashes: model})
				if err != nil {
					t.Fatal(err)
				}
				if model != options.CrashImplicit && (x.Finding == nil) != c.holds[cut] {
					t.Errorf("%s, cut %v, %s: found %v", c.name, cut, model, x.Finding)
				}
				if model == options.CrashImplicit && (x.Complete != c.left[cut] || x.Crashes.Proven != c.left[cut]) {
					t.Errorf("%s, cut %v: complete %v, %+v", c.name, cut, x.Complete, x.Crashes)
				}
			}
		}
	}
}

type (
	alarm struct{}
	word  struct{}
)

// twofold is asked to send once, and sends again after it has forgotten that.
type twofold struct {
	sim.Nop
	Told bool
}

func (s *twofold) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch msg.(type) {
	case alarm:
		s.Told = true
		env.Send(from, word{})
	case word:
		if env.Send(from, alarm{}); !s.Told {
			env.Send(from, alarm{})
		}
	}
}

// teller asks it, makes it send, and counts what arrives.
type teller struct {
	sim.Nop
	Got int
}

func (s *teller) Receive(env sim.Env, from sim.NodeID, msg any) {
	if _, is := msg.(word); is {
		env.Send(from, word{})
	} else {
		s.Got++
	}
}

// A datagram that is sent twice after a crash, and once without, makes a difference.
func TestCrashSimulation_CopiesMatter(t *testing.T) {
	t.Parallel()
	sys := sim.System{
		Name: "twofold", Nodes: 2, Network: netsim.Datagrams{}, Crashes: 1, MayCrash: func(id sim.NodeID) bool { return id == 1 },
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return new(teller)
			}
			return new(twofold)
		},
		Actions:    []sim.AnyAction{sim.Action[*teller]{Name: "tell", Times: 1, Do: func(_ *teller, env sim.Env) { env.Send(1, alarm{}) }}},
		Properties: []sim.Property{{Name: "once", Always: sim.Each(func(_ sim.NodeID, s *teller) bool { return s.Got < 2 })}},
	}
	for _, model := range []options.CrashModel{options.CrashExplicit, options.CrashAuto, options.CrashImplicit} {
		x, err := table.Explore(context.Background(), &sys, options.Options{Crashes: model})
		if err != nil || model == options.CrashImplicit && (x.Complete || x.Stopped != crashes.StoppedCrashes) || model != options.CrashImplicit && x.Finding == nil {
			t.Errorf("%s: %v, found %v, stopped by %q, %+v", model, err, x.Finding, x.Stopped, x.Crashes)
		}
	}
}

package world_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/lockstep"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// tableWorld makes a world of the table engine.
func tableWorld(t testing.TB, sys *sim.System) *world.World {
	t.Helper()
	w, err := world.New(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w.(*world.World)
}

// wander makes random runs of 50 steps until a step or check fails.
func wander(w kernel.World, steps int) error {
	rnd := rand.New(rand.NewPCG(1, 1))
	src := choose.SourceFunc(func(p choose.Point) int { return rnd.IntN(p.Arity) })
	for k := range steps {
		if k%50 == 0 {
			if err := w.Start(src); err != nil {
				return err
			}
		}
		events := w.Enabled()
		if len(events) == 0 {
			continue
		}
		if err := w.Step(events[rnd.IntN(len(events))], src); err != nil {
			return err
		}
		if err := w.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Each of these services is not a function of its local state, or is changed behind its back.

type global struct {
	sim.Nop
	N     int
	count *int `macemc:"-"`
}

func (g *global) Boot(env sim.Env) { env.SetTimer("go", 1) }

func (g *global) Timer(env sim.Env, t any) { *g.count++; g.N = *g.count; env.SetTimer(t, 1) }

type hider struct {
	sim.Nop
	N      int
	secret int `macemc:"-"`
}

func (h *hider) Boot(env sim.Env) { env.SetTimer("go", 1) }

func (h *hider) Timer(env sim.Env, t any) {
	env.SetTimer(t, 1)
	if h.secret++; h.secret > 3 {
		h.N = 7
	}
}

type asker struct{ hider }

func (a *asker) Timer(env sim.Env, t any) {
	env.SetTimer(t, 1)
	if a.secret++; a.secret > 3 {
		env.Choose("late question", 2)
	}
}

type sender struct{ hider }

func (s *sender) Timer(env sim.Env, t any) {
	env.SetTimer(t, 1)
	if s.secret++; s.secret%2 == 0 {
		env.Announce("even")
	}
}

type letter struct {
	N int
	p *int `macemc:"-"`
}

type leaker struct {
	sim.Nop
	Mine *int
	Got  int
}

func (l *leaker) Boot(env sim.Env) {
	l.Mine = new(int)
	if env.Self() == 0 {
		env.SetTimer("go", 1)
	}
}

func (l *leaker) Timer(env sim.Env, t any) { env.Send(1, letter{p: l.Mine}); env.SetTimer(t, 1) }

func (l *leaker) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	*msg.(letter).p++
	l.Got = (l.Got + 1) % 3
}

type victim struct {
	sim.Nop
	N int
}

func (v *victim) Boot(env sim.Env) { env.SetTimer("go", 1) }

func (v *victim) Timer(env sim.Env, t any) { env.SetTimer(t, 1) }

func TestCrossCheck_FindsNondeterminism(t *testing.T) {
	for _, test := range []struct {
		name string
		sys  func() *sim.System
		want []string // in the message
	}{
		{"a shared map", func() *sim.System {
			board := map[string]int{}
			return &sim.System{New: func(sim.NodeID) sim.Service { return &toys.Sharer{Board: board} }}
		}, []string{"*toys.Sharer", "Board[seen] is 1, was missing"}},
		{"a global counter", func() *sim.System {
			count := 0
			return &sim.System{New: func(sim.NodeID) sim.Service { return &global{count: &count} }}
		}, []string{"*world_test.global", "N is 2, was 1"}},
		{"state that is not encoded", func() *sim.System {
			return &sim.System{New: func(sim.NodeID) sim.Service { return &hider{} }}
		}, []string{"*world_test.hider", "N is 7, was 0"}},
		{"a question that hangs on it", func() *sim.System {
			return &sim.System{New: func(sim.NodeID) sim.Service { return &asker{} }}
		}, []string{"*world_test.asker", `asked "late question", from the tables no more questions`}},
		{"an effect that hangs on it", func() *sim.System {
			return &sim.System{New: func(sim.NodeID) sim.Service { return &sender{} }}
		}, []string{"*world_test.sender", "from effect 2 on: announce even, from the tables none"}},
		{"a pointer in a message", func() *sim.System {
			return &sim.System{New: func(sim.NodeID) sim.Service { return &leaker{} }, Network: netsim.Datagrams{}}
		}, []string{"*world_test.leaker", "Mine is 1, was 0"}},
		{"a property that changes what it sees", func() *sim.System {
			return &sim.System{New: func(sim.NodeID) sim.Service { return &victim{} }, Properties: []sim.Property{
				{Name: "meddles", Always: func(v *sim.View) bool { v.Service(1).(*victim).N = 5; return true }}}}
		}, []string{"*world_test.victim", "such as a property", "N is 5, was 0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys := test.sys()
			sys.Name, sys.Nodes = "bad", 2
			w := tableWorld(t, sys)
			err := wander(w, 20_000)
			var f *sim.Finding
			if !errors.As(err, &f) || f.Kind != sim.Nondeterminism {
				t.Fatalf("got %v after %+v", err, w.Stats())
			}
			t.Logf("after %d steps: %s", w.Stats().Steps, f.Message)
			for _, want := range test.want {
				if !strings.Contains(f.Message, want) {
					t.Errorf("the message lacks %q", want)
				}
			}
		})
	}
}

func TestCrossCheck_Deterministic(t *testing.T) {
	for _, sys := range []*sim.System{
		bundled.System(t, "pingack", 2, sim.Limits{sim.Loss: 2, sim.Dup: 2}),
		bundled.System(t, "randtree", 3, sim.Limits{}),
	} {
		w := tableWorld(t, sys)
		if err := wander(w, 20_000); err != nil {
			t.Error(err)
		}
		// 20,000 steps: the first, second, fourth ... 16,384th, and every 4,096th, except those that were not
		// looked up.
		if n := w.Stats().Verified; n < 10 {
			t.Errorf("%s: %d steps were verified", sys.Name, n)
		}
	}
}

// odd cannot be copied, so that its states are made by executing what led to them.
type odd struct {
	sim.Nop
	N   int
	Odd script.Opaque
}

func (o *odd) Boot(sim.Env) { o.Odd = script.NewOpaque() }

// The state after a failed step may also be reached by a successful one, and the run continues from there.
func TestCrossCheck_StateOfFailedStep(t *testing.T) {
	when := func(n int) func(*odd) bool { return func(o *odd) bool { return o.N == n } }
	sys := &sim.System{
		Name: "odd", Nodes: 1, New: func(sim.NodeID) sim.Service { return &odd{} }, State: []sim.StateRule{script.OpaqueRule()},
		Actions: []sim.AnyAction{
			sim.Action[*odd]{Name: "bad", When: when(0), Do: func(o *odd, env sim.Env) { o.N = 1; env.Assert(false, "bad") }},
			sim.Action[*odd]{Name: "good", When: when(0), Do: func(o *odd, _ sim.Env) { o.N = 1 }},
			sim.Action[*odd]{Name: "next", When: when(1), Do: func(o *odd, env sim.Env) { o.N = 2; env.SetTimer("t", 1) }},
		},
	}
	d := lockstep.New(t, sys, 1)
	take := func(want bool, index int) {
		t.Helper()
		ev := d.Replay.Enabled()[index]
		if goes := d.Do(d.Replay.Key(ev), func(w kernel.World, src choose.Source) error { return w.Step(ev, src) }); goes != want {
			t.Fatalf("goes on: %v", goes)
		}
	}
	d.Do("start", kernel.World.Start)
	take(false, 0)
	d.Do("start", kernel.World.Start)
	take(true, 1)
	take(true, 0)
	take(true, 0)
}

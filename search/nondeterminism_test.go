package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Each of these services depends on more than its node's own events.

// counter counts events of all nodes, in all runs.
type counter struct {
	sim.Nop
	N     int
	count *int `macemc:"-"`
}

func (c *counter) Boot(env sim.Env) { env.SetTimer("go", 1) }
func (c *counter) Timer(env sim.Env, t any) {
	*c.count++
	c.N = *c.count % 8
	env.SetTimer(t, 1)
}

// leaker sends a pointer to its state, through which the receiver changes the state.
type leaker struct {
	sim.Nop
	Mine *int
	Got  int
}

type letter struct {
	p *int `macemc:"-"` // not encoded, so not copied
}

func (l *leaker) Boot(env sim.Env) {
	l.Mine = new(int)
	if env.Self() == 0 {
		env.SetTimer("go", 1)
	}
}
func (l *leaker) Timer(env sim.Env, t any) { env.Send(1, letter{p: l.Mine}); env.SetTimer(t, 1) }
func (l *leaker) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	*msg.(letter).p = 1 - *msg.(letter).p
	l.Got = (l.Got + 1) % 3
}

// A service that is not a function of its local state is detected and named by every strategy and engine.
func TestNondeterminism_NamesService(t *testing.T) {
	for _, c := range []struct {
		name string
		sys  func() sim.System
		want string
	}{
		{"shared map", func() sim.System {
			board := map[string]int{}
			return sim.System{New: func(sim.NodeID) sim.Service { return &toys.Sharer{Board: board} }}
		}, "Sharer"},
		{"global counter", func() sim.System {
			count := 0
			return sim.System{New: func(sim.NodeID) sim.Service { return &counter{count: &count} }}
		}, "counter"},
		{"pointer in a message", func() sim.System {
			return sim.System{New: func(sim.NodeID) sim.Service { return &leaker{} }, Network: netsim.Datagrams{}}
		}, "leaker"},
	} {
		for name, engine := range everyEngine(runloop.ReplayEngine, runloop.TableEngine, runloop.AutoEngine) {
			t.Run(fmt.Sprintf("%s/%s/%s", c.name, name, engine), func(t *testing.T) {
				sys := c.sys()
				sys.Name, sys.Nodes = "dishonest", 2
				sys.Properties = []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}}
				cfg := search.Config{System: sys, Strategy: name, Engine: engine, WalkSteps: 60, MaxPaths: 3000, Workers: 1, HandlerLimit: patient}
				if engine == runloop.AutoEngine {
					cfg = search.Alternating(cfg)
				}
				if name.Can(strategy.VisitsStates) {
					cfg.MaxDepth = 12
				}
				res, err := search.Run(context.Background(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				f := res.Finding
				if f == nil || f.Kind != sim.Nondeterminism {
					t.Fatalf("%s, %s: %+v", res.Verdict, res.Stopped, f)
				}
				t.Logf("step %d of %d runs: %s", f.Steps, res.Stats.Paths, f.Message)
				if !strings.Contains(f.Message, c.want) {
					t.Errorf("the message does not name %s", c.want)
				}
			})
		}
	}
}

// rare behaves differently every eighth time that it is executed, like a handler that takes the first entry of a small
// map.
type rare struct {
	sim.Nop
	N     int
	count *int `macemc:"-"`
}

func (r *rare) Boot(env sim.Env) { env.SetTimer("go", 1) }
func (r *rare) Timer(sim.Env, any) {
	if *r.count++; *r.count%8 == 0 {
		r.N = 1
	}
}

// A system of two states is executed often enough to detect a deviation.
func TestNondeterminism_SmallSystem(t *testing.T) {
	for _, strategy := range []search.Name{search.Deepening, search.BFS, search.DFS} {
		count := new(int)
		sys := sim.System{
			Name: "rare", Nodes: 1, New: func(sim.NodeID) sim.Service { return &rare{count: count} },
			Properties: []sim.Property{{Name: "any", Always: func(*sim.View) bool { return true }}},
		}
		r, err := search.Run(t.Context(), search.Config{System: sys, Strategy: strategy, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Finding == nil || r.Finding.Kind != sim.Nondeterminism {
			t.Errorf("%s: %s, %+v", strategy, r.Verdict, r.Finding)
		}
	}
}

// A When that changes its service is found and named.
func TestNondeterminism_WhenChangesService(t *testing.T) {
	sys := sim.System{
		Name: "nosy", Nodes: 1, New: func(sim.NodeID) sim.Service { return &keeper{} },
		Actions: []sim.AnyAction{
			sim.Action[*keeper]{Name: "start", Times: 1, Do: func(k *keeper, _ sim.Env) { k.Set = true }},
			sim.Action[*keeper]{Name: "peek", When: func(k *keeper) bool {
				if k.Set {
					k.Laps++
				}
				return k.Laps > 3
			}, Do: func(k *keeper, _ sim.Env) { k.Laps = 0 }},
		},
	}
	everywhere(t, "nosy", sys, func(t *testing.T, res *search.Result) {
		if f := res.Finding; f == nil || f.Kind != sim.Nondeterminism || !strings.Contains(f.Message, `the When of action "peek" changed the state of the service *search_test.keeper`) {
			t.Errorf("%s, %s: %+v", res.Verdict, res.Stopped, f)
		}
	})
}

// A service that depends on more than its state is detected, with the step, the field and both values.
func TestNondeterminism_NamesField(t *testing.T) {
	calls := 0
	res := run(t, search.Config{Workers: 1, System: oneAction(func(n *node, _ sim.Env) {
		calls++
		n.State = 4 + calls%2
	})})
	f := res.Finding
	// The first run is idle, act.
	if f == nil || f.Kind != sim.Nondeterminism || f.Node != 0 || f.Steps != 2 || !slices.Equal(f.Path, choose.Path{0, 0}) {
		t.Fatalf("got %+v", f)
	}
	if d := f.Difference; d == nil || d.Step != 2 || d.Where != "n0" || d.Field != "State" || d.Values != [2]string{"4", "5"} && d.Values != [2]string{"5", "4"} {
		t.Errorf("difference: %+v", d)
	}
	want := "step 2 leaves n0 in different states when repeated: State is "
	if got, ok := strings.CutPrefix(f.Message, want); !ok || !strings.HasPrefix(got, "4 or 5; the service *") && !strings.HasPrefix(got, "5 or 4; the service *") {
		t.Errorf("message: %s", f.Message)
	}
}

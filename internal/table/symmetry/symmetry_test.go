package symmetry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Merged states of bundled systems with interchangeable nodes.
func TestSymmetry_BundledSystems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system string
		params map[string]string
		how    options.Reduction
		states int
	}{
		{"paxos", map[string]string{"proposers": "1"}, options.ReduceNone, 54},
		{"paxos", nil, options.ReduceNone, 17_525},
		{"paxos", nil, options.ReduceDrop, 847},
		{"paxos", nil, options.ReduceFull, 228},
		{"paxos", map[string]string{"learners": "2"}, options.ReduceAuto, 258},
		{"paxos", map[string]string{"proposers": "3"}, options.ReduceAuto, 6167},
		{"synod", nil, options.ReduceFull, 288},
		{"synod", map[string]string{"quorum": "true"}, options.ReduceNone, 5082},
		{"synod", map[string]string{"quorum": "true"}, options.ReduceFull, 74},
		{"echo", nil, options.ReduceNone, 16_507},
		{"echo", nil, options.ReduceFull, 17},
		{"echo", map[string]string{"byzantine-initiators": "0", "initiators": "2"}, options.ReduceDrop, 1133},
		{"register", nil, options.ReduceFull, 5386},
		{"register", map[string]string{"quorum": "true"}, options.ReduceFull, 1196},
		{"register", map[string]string{"quorum": "true", "readers": "2", "writes": "1", "reads": "1"}, options.ReduceNone, 3181},
	} {
		if testing.Short() && c.states > 5000 {
			continue
		}
		e, err := papers.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: c.params})
		if err != nil {
			t.Fatal(err)
		}
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: c.how, Symmetry: true})
		if err != nil || x.Finding != nil || !x.Complete || x.States != c.states {
			t.Errorf("%s %v, %s: %v, found %v, %d states, want %d; %+v", c.system, c.params, c.how, err, x.Finding, x.States, c.states, x.Reduced)
		}
	}
}

// As many states are visited as there are that differ by more than a permutation.
func TestSymmetry_Orbits(t *testing.T) {
	t.Parallel()
	for system, params := range map[string]map[string]string{
		"paxos":    {"proposers": "1"},
		"echo":     {"quorum": "true"},
		"register": {"writes": "1", "reads": "1"},
	} {
		e, err := papers.Find(system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: params})
		if err != nil {
			t.Fatal(err)
		}
		full, err := reductions.Explore(&sys, options.Options{})
		if err != nil {
			t.Fatal(err)
		}
		less, err := reductions.Explore(&sys, options.Options{Symmetry: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := reductions.Same(&sys, full, less); err != nil || less.States != len(full.Orbits) || less.States >= full.States {
			t.Errorf("%s: %v; %d states, %d without symmetry, %d of these are different", system, err, less.States, full.States, len(full.Orbits))
		}
	}
}

// A violation is also found in representatives of other states, and its path is a path of the system.
func TestSymmetry_Bugs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	for _, c := range []struct {
		system, bug string
	}{{"paxos", "PX1"}, {"register", "RG1"}} {
		e, err := papers.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Bugs: spec.BugSet{c.bug}})
		if err != nil {
			t.Fatal(err)
		}
		full, err := reductions.Explore(&sys, options.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
			less, err := reductions.Explore(&sys, options.Options{Reduce: how, Symmetry: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := reductions.Same(&sys, full, less); err != nil || less.Reduced.Permutations != 6 || less.Finding == nil {
				t.Errorf("%s, %s: %v; %+v", c.bug, how, err, less.Reduced)
			}
			if how == options.ReduceNone && len(less.Path) > len(full.Path) {
				t.Errorf("%s: the path has %d choices, the shortest one %d", c.bug, len(less.Path), len(full.Path))
			}
		}
	}
}

// Systems without known symmetry are reported as having none.
func TestSymmetry_None(t *testing.T) {
	t.Parallel()
	for why, change := range map[string]func(*sim.System){
		"no role":     func(s *sim.System) { s.Roles = nil },
		"streams":     func(s *sim.System) { s.Network = netsim.Both{} },
		"queues":      func(s *sim.System) { s.Network = netsim.Queues{} },
		"5040":        func(s *sim.System) { s.Nodes = 8 },
		"is not part": func(s *sim.System) { s.New = func(id sim.NodeID) sim.Service { return &aside{me: id} } },
		"calling.F":   func(s *sim.System) { s.New = func(sim.NodeID) sim.Service { return &calling{F: func() {}} } },
	} {
		sys := sim.System{
			Name: "still", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(marked) },
			Roles: func(sim.NodeID) string { return "all" },
		}
		change(&sys)
		for _, how := range []options.Reduction{options.ReduceNone, options.ReduceFull} {
			x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how, Symmetry: true})
			if err != nil {
				t.Errorf("%s: %v", why, err)
			} else if x.Reduced.Permutations != 0 || !strings.Contains(x.Reduced.Asymmetry, why) {
				t.Errorf("%s, %s: %+v", why, how, x.Reduced)
			}
		}
	}
}

// aside keeps something out of its state.
type aside struct {
	sim.Nop
	me sim.NodeID `macemc:"-"`
}

func (s *aside) Boot(env sim.Env) { env.SetTimer(s.me, 1) }

// calling holds a function.
type calling struct {
	sim.Nop
	F func() `macemc:"-"`
}

// marked is a node that asks to be marked, and may receive something then, or before.
type marked struct {
	sim.Nop
	Marked, Got, GotMarked bool
}

func (s *marked) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	switch msg.(type) {
	case word:
		s.Got, s.GotMarked = true, s.Marked
	case alarm:
		s.Marked = !s.Got
	}
}

// giver marks the first node that asks, and sends to all others in turn.
type giver struct {
	sim.Nop
	Any bool
}

func (s *giver) Receive(env sim.Env, from sim.NodeID, _ any) {
	if !s.Any {
		s.Any = true
		env.Send(from, alarm{})
	}
}

func (s *giver) give(env sim.Env) {
	env.Send(1, word{})
	env.Send(2, word{})
}

// A crash between two messages distinguishes their receivers.
func TestSymmetry_CrashCuts(t *testing.T) {
	t.Parallel()
	missed := 0
	for _, isMarked := range []bool{false, true} {
		sys := sim.System{
			Name: "giving", Nodes: 3, Network: netsim.Datagrams{}, Crashes: 1, MayCrash: func(id sim.NodeID) bool { return id == 0 },
			New: func(id sim.NodeID) sim.Service {
				if id == 0 {
					return new(giver)
				}
				return new(marked)
			},
			Roles: func(id sim.NodeID) string { return []string{"", "taker", "taker"}[id] },
			Actions: []sim.AnyAction{
				sim.Action[*giver]{Name: "give", Times: 1, Do: func(s *giver, env sim.Env) { s.give(env) }},
				sim.Action[*marked]{Name: "ask", Times: 1, Do: func(_ *marked, env sim.Env) { env.Send(0, word{}) }},
			},
			Properties: []sim.Property{{Name: "both", Always: func(v *sim.View) bool {
				for range v.InFlight() {
					return true
				}
				got, other := 0, 0
				for _, s := range sim.Nodes[*marked](v) {
					if s.Got && s.GotMarked == isMarked {
						got++
					} else if !s.Got && s.Marked != isMarked {
						other++
					}
				}
				return v.Service(0) != nil || got != 1 || other != 1
			}}},
		}
		for _, without := range []options.Mutation{"", por.NoSameCuts} {
			x, err := table.Explore(context.Background(), &sys, options.Options{Symmetry: true, Rules: &options.Rules{Mutation: without}})
			switch {
			case err != nil:
				t.Error(err)
			case without == "" && (x.Finding == nil || !strings.Contains(x.Reduced.Asymmetry, "crash inside")):
				t.Errorf("marked %v: found %v, %+v", isMarked, x.Finding, x.Reduced)
			case without != "" && x.Finding == nil:
				missed++
			}
		}
		sys.CrashCut = sim.CutSubset
		x, err := table.Explore(context.Background(), &sys, options.Options{Symmetry: true})
		if err != nil || x.Finding == nil || !strings.Contains(x.Reduced.Asymmetry, "in another order") {
			t.Errorf("marked %v, any subset: %v, found %v, %+v", isMarked, err, x.Finding, x.Reduced)
		}
	}
	if missed == 0 {
		t.Errorf("nobody noticed that %s", por.NoSameCuts)
	}
}

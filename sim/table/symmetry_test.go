package table

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// What is left of bundled systems whose nodes are interchangeable.
func TestSymmetricSystems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system string
		params map[string]string
		how    Reduction
		states int
	}{
		{"paxos", map[string]string{"proposers": "1"}, ReduceNone, 54},
		{"paxos", nil, ReduceNone, 17_525},
		{"paxos", nil, ReduceDrop, 847},
		{"paxos", nil, ReduceFull, 228},
		{"paxos", map[string]string{"learners": "2"}, ReduceAuto, 258},
		{"paxos", map[string]string{"proposers": "3"}, ReduceAuto, 6167},
		{"synod", nil, ReduceFull, 288},
		{"synod", map[string]string{"quorum": "true"}, ReduceNone, 5082},
		{"synod", map[string]string{"quorum": "true"}, ReduceFull, 74},
	} {
		if testing.Short() && c.states > 5000 {
			continue
		}
		e, err := systems.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: c.params})
		if err != nil {
			t.Fatal(err)
		}
		x, err := Explore(context.Background(), &sys, ExploreOptions{Reduce: c.how, Symmetry: true})
		if err != nil || x.Finding != nil || !x.Complete || x.States != c.states {
			t.Errorf("%s %v, %s: %v, found %v, %d states, want %d; %+v", c.system, c.params, c.how, err, x.Finding, x.States, c.states, x.Reduced)
		}
	}
}

// A violation is found in states that stand for others, too, and its path is one of the system.
func TestSymmetricBugs(t *testing.T) {
	t.Parallel()
	for _, bug := range []string{"PX1", "PX3"} {
		for _, how := range []Reduction{ReduceNone, ReduceDrop, ReduceFull} {
			e, err := systems.Find("paxos")
			if err != nil {
				t.Fatal(err)
			}
			sys, err := e.New(spec.Config{Bugs: spec.BugSet{bug}})
			if err != nil {
				t.Fatal(err)
			}
			full, err := look(&sys, ExploreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			less, err := look(&sys, ExploreOptions{Reduce: how, Symmetry: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := same(&sys, full, less); err != nil || less.Reduced.Permutations != 6 || less.Finding == nil {
				t.Errorf("%s, %s: %v; %+v", bug, how, err, less.Reduced)
			}
			if how == ReduceNone && len(less.Path) > len(full.Path) {
				t.Errorf("%s: the path has %d choices, the shortest one %d", bug, len(less.Path), len(full.Path))
			}
		}
	}
}

// What is not known to have symmetry is said to have none.
func TestNoSymmetry(t *testing.T) {
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
			Name: "still", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(lives) },
			Roles: func(sim.NodeID) string { return "all" },
		}
		change(&sys)
		for _, how := range []Reduction{ReduceNone, ReduceFull} {
			x, err := Explore(context.Background(), &sys, ExploreOptions{Reduce: how, Symmetry: true})
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

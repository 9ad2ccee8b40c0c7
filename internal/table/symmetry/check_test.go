package symmetry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/symmetry"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

type (
	alarm struct{}
	word  struct{}
	vote  struct{}
)

// inviter has the last guest that answers vote.
type inviter struct {
	Heard, Taken int
}

func (h *inviter) Boot(sim.Env) {}

func (h *inviter) Timer(sim.Env, any) {}

func (h *inviter) Receive(env sim.Env, from sim.NodeID, _ any) {
	if h.Heard++; h.Heard == 2 {
		env.Send(from, alarm{})
	}
}

type guest struct{ sim.Nop }

func (g *guest) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if _, is := msg.(alarm); is {
		env.Send(0, vote{})
	} else {
		env.Send(0, word{})
	}
}

// lodger is a guest that wakes.
type lodger struct{ Rung, Woken bool }

func (g *lodger) Boot(sim.Env) {}

func (g *lodger) Timer(sim.Env, any) {}

func (g *lodger) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if _, g.Rung = msg.(alarm); !g.Rung {
		env.Send(0, word{})
	}
}

// invitation is a system of one host and two guests that are declared interchangeable.
func invitation(newGuest func() sim.Service) sim.System {
	return sim.System{
		Name: "invitation", Nodes: 3, Network: netsim.Datagrams{},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return new(inviter)
			}
			return newGuest()
		},
		Roles: func(id sim.NodeID) string { return []string{"", "guest", "guest"}[id] },
		Actions: []sim.AnyAction{sim.Action[*inviter]{Name: "invite", Times: 1, At: func(id sim.NodeID) bool { return id == 0 }, Do: func(_ *inviter, env sim.Env) {
			env.Send(1, word{})
			env.Send(2, word{})
		}}},
	}
}

// A quorum that takes only votes of one node distinguishes it from others, and so does an action of only one node.
// Only one vote is sent, and only one guest is rung. One of the states that differ in that node is visited, perhaps
// the one in which nothing can happen.
func TestSymmetry_OneNodeDiffers(t *testing.T) {
	t.Parallel()
	for flawed, system := range map[options.Mutation]func(only sim.NodeID) sim.System{
		por.NoSameSets: func(only sim.NodeID) sim.System {
			sys := invitation(func() sim.Service { return new(guest) })
			sys.Quorums = []sim.AnyQuorum{sim.Quorum[*inviter, vote]{
				Name: "voted", Need: func(h *inviter) int { return 1 - h.Taken },
				Fits: func(_ *inviter, from sim.NodeID, _ vote) bool { return from == only },
				Do:   func(h *inviter, _ sim.Env, _ []sim.From[vote]) { h.Taken++ },
			}}
			sys.Properties = []sim.Property{{Name: "none", Always: sim.Each(func(_ sim.NodeID, h *inviter) bool { return h.Taken == 0 })}}
			return sys
		},
		por.NoSameEvents: func(only sim.NodeID) sim.System {
			sys := invitation(func() sim.Service { return new(lodger) })
			sys.Actions = append(sys.Actions, sim.Action[*lodger]{Name: "wake", At: func(id sim.NodeID) bool { return id == only },
				When: func(g *lodger) bool { return g.Rung && !g.Woken }, Do: func(g *lodger, _ sim.Env) { g.Woken = true }})
			sys.Properties = []sim.Property{{Name: "none", Always: sim.Each(func(_ sim.NodeID, g *lodger) bool { return !g.Woken })}}
			return sys
		},
	} {
		missed := 0
		for _, only := range []sim.NodeID{1, 2} {
			sys := system(only)
			for _, without := range []options.Mutation{"", flawed} {
				x, err := table.Explore(context.Background(), &sys, options.Options{Symmetry: true, Rules: &options.Rules{Mutation: without}})
				switch {
				case err != nil:
					t.Error(err)
				case without == "" && (x.Finding == nil || x.Reduced.Asymmetry == ""):
					t.Errorf("only n%d: found %v, %+v", only, x.Finding, x.Reduced)
				case without != "" && x.Finding == nil:
					missed++
				}
			}
		}
		if missed == 0 {
			t.Errorf("nobody noticed that %s", flawed)
		}
	}
}

// clerk is a guest that hides its identity from its state.
type clerk struct {
	sim.Nop
	me sim.NodeID `macemc:"-"`
}

func (g *clerk) Boot(env sim.Env) { g.me = env.Self() }

func (g *clerk) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if _, is := msg.(word); is {
		env.Send(0, word{})
	}
}

// Hidden fields refute that nodes are interchangeable, even without a visible difference.
func TestSymmetry_HiddenFields(t *testing.T) {
	t.Parallel()
	sys := invitation(func() sim.Service { return new(clerk) })
	for _, without := range []options.Mutation{"", por.NoHidden} {
		x, err := table.Explore(context.Background(), &sys, options.Options{Symmetry: true, Rules: &options.Rules{Mutation: without}})
		if err != nil || x.Finding != nil {
			t.Fatal(err, x.Finding)
		}
		if noticed := strings.Contains(x.Reduced.Asymmetry, "clerk.me, which is not part of the state"); noticed != (without == "") {
			t.Errorf("without %q noticed: %v, %+v", without, noticed, x.Reduced)
		}
	}
}

// A property that is about one of the nodes refutes that they are interchangeable. It may hold in all representatives.
func TestSymmetry_PropertyOfOneNode(t *testing.T) {
	t.Parallel()
	missed := 0
	for _, only := range []sim.NodeID{1, 2} {
		sys := invitation(func() sim.Service { return new(lodger) })
		sys.Actions = append(sys.Actions, sim.Action[*lodger]{Name: "wake", When: func(g *lodger) bool { return g.Rung && !g.Woken },
			Do: func(g *lodger, _ sim.Env) { g.Woken = true }})
		sys.Properties = []sim.Property{{Name: "asleep", Always: func(v *sim.View) bool { return !v.Service(only).(*lodger).Woken }}}
		for _, without := range []options.Mutation{"", por.NoSameView} {
			x, err := table.Explore(context.Background(), &sys, options.Options{Symmetry: true, Rules: &options.Rules{Mutation: without}})
			switch {
			case err != nil:
				t.Error(err)
			case without == "" && (x.Finding == nil || !strings.Contains(x.Reduced.Asymmetry, `property "asleep" has another value`)):
				t.Errorf("asleep n%d: found %v, %+v", only, x.Finding, x.Reduced)
			case without != "" && x.Finding == nil:
				missed++
			}
		}
	}
	if missed == 0 {
		t.Errorf("nobody noticed that %s", por.NoSameView)
	}
}

// planted does something to a reduction before states are expanded.
type planted struct {
	graph.Graph
	roots, expand func(r *por.ReducedGraph)
}

func (p *planted) Roots(e *graph.Edges) error {
	if p.roots != nil {
		p.roots(p.Graph.(*por.ReducedGraph))
	}
	return p.Graph.Roots(e)
}

func (p *planted) Expand(state []uint32, number int, e *graph.Edges) error {
	if p.expand != nil && number == 5 {
		p.expand(p.Graph.(*por.ReducedGraph))
	}
	return p.Graph.Expand(state, number, e)
}

func plant(t *testing.T, crashes int, without options.Mutation, roots, expand func(r *por.ReducedGraph)) *table.Exploration {
	t.Helper()
	e, err := papers.Find("synod")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(spec.Config{Params: map[string]string{"proposers": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	sys.Crashes = crashes
	w := por.RulesOf(options.ReduceFull)
	w.Mutation = without
	x, err := table.Explore(context.Background(), &sys,
		options.Options{Reduce: options.ReduceFull, Symmetry: true, Rules: &w, SkipRehearsal: true, Wrap: func(g graph.Graph) graph.Graph {
			if r, ok := g.(*por.ReducedGraph); ok && r.Permuter != nil {
				return &planted{g, roots, expand}
			}
			return g
		}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// No system makes crashes of interchangeable nodes differ, since they do not depend on the node. So a difference is
// planted.
func TestSymmetry_CrashesDiffer(t *testing.T) {
	t.Parallel()
	for _, without := range []options.Mutation{"", por.NoSameCrashes} {
		x := plant(t, 1, without, func(r *por.ReducedGraph) {
			w := r.World
			if err := w.Begin(&r.Answers); err != nil {
				t.Fatal(err)
			}
			id := w.Vector[2] // an acceptor
			_, err := w.Crashed(id, 0)
			gone, err2 := w.HaltedState(2)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			w.Locals.List[id].Downs[0] = gone + 1
		}, nil)
		if noticed := strings.Contains(x.Reduced.Asymmetry, "after a crash in one state"); noticed != (without == "") {
			t.Errorf("without %q noticed: %v, %+v", without, noticed, x.Reduced)
		}
	}
}

// An assumption that was refuted for one node is refuted for its interchangeable nodes, too.
func TestSymmetry_RefutedAssumptions(t *testing.T) {
	t.Parallel()
	for _, without := range []options.Mutation{"", por.NoSameClaims} {
		asked := false
		plant(t, 0, without, nil, func(r *por.ReducedGraph) {
			local := r.Nodes[1].Reached[0] // of an acceptor
			c := por.Claim{Local: local, Act: r.Nodes[1].Id(por.Act{Kind: eventkind.Deliver, From: 0})}
			k := 0
			for int(r.Permuter.Permutations()[k][1]) == 1 {
				k++
			}
			l := &por.Assumptions{}
			l.Begin()
			l.Refuted[por.Claim{Local: r.Permuter.(*symmetry.Symmetry).PermuteLocal(k, local), Act: r.Permuter.(*symmetry.Symmetry).PermuteAct(r.Permuter.Permutations()[k], 1, c.Act)}] = true
			if holds := r.Permuter.HoldsForAll(l, c, func(por.Claim) bool { return true }); holds != (without != "") {
				t.Errorf("without %q it holds: %v", without, holds)
			}
			asked = true
		})
		if !asked {
			t.Error("nothing was asked")
		}
	}
}

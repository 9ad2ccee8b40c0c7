package table

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// inviter has the last guest that answers vote.
type inviter struct {
	Heard, Taken int
}

func (h *inviter) Boot(sim.Env)       {}
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

// A quorum that takes votes of one node only tells it from others. Only one vote is ever sent, and of the states that are the same but for its sender one is
// visited: perhaps the one in which nothing can be taken.
func TestSetsAreNoSymmetry(t *testing.T) {
	t.Parallel()
	missed := 0
	for _, only := range []sim.NodeID{1, 2} {
		sys := sim.System{
			Name: "voting", Nodes: 3, Network: netsim.Datagrams{},
			New: func(id sim.NodeID) sim.Service {
				if id == 0 {
					return new(inviter)
				}
				return new(guest)
			},
			Roles: func(id sim.NodeID) string { return []string{"", "guest", "guest"}[id] },
			Actions: []sim.AnyAction{sim.Action[*inviter]{Name: "invite", Times: 1, Do: func(_ *inviter, env sim.Env) {
				env.Send(1, word{})
				env.Send(2, word{})
			}}},
			Quorums: []sim.AnyQuorum{sim.Quorum[*inviter, vote]{
				Name: "voted", Need: func(h *inviter) int { return 1 - h.Taken },
				Fits: func(_ *inviter, from sim.NodeID, _ vote) bool { return from == only },
				Do:   func(h *inviter, _ sim.Env, _ []sim.From[vote]) { h.Taken++ },
			}},
			Properties: []sim.Property{{Name: "none", Always: sim.Each(func(_ sim.NodeID, h *inviter) bool { return h.Taken == 0 })}},
		}
		for _, without := range []flaw{"", noSameSets} {
			x, err := Explore(context.Background(), &sys, ExploreOptions{Symmetry: true, ways: &ways{without: without}})
			switch {
			case err != nil:
				t.Error(err)
			case without == "" && (x.Finding == nil || x.Reduced.Asymmetry == ""):
				t.Errorf("votes of n%d: found %v, %+v", only, x.Finding, x.Reduced)
			case without != "" && x.Finding == nil:
				missed++
			}
		}
	}
	if missed == 0 {
		t.Errorf("nobody noticed that %s", noSameSets)
	}
}

// planted does something to a reduction before states are expanded.
type planted struct {
	explore.Graph
	roots, expand func(r *reduction)
}

func (p *planted) Roots(e *explore.Edges) error {
	if p.roots != nil {
		p.roots(p.Graph.(*reduction))
	}
	return p.Graph.Roots(e)
}

func (p *planted) Expand(state []uint32, number int, e *explore.Edges) error {
	if p.expand != nil && number == 5 {
		p.expand(p.Graph.(*reduction))
	}
	return p.Graph.Expand(state, number, e)
}

func plant(t *testing.T, crashes int, without flaw, roots, expand func(r *reduction)) *Exploration {
	t.Helper()
	e, err := systems.Find("synod")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(spec.Config{Params: map[string]string{"proposers": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	sys.Crashes = crashes
	w := waysOf(ReduceFull)
	w.without = without
	x, err := Explore(context.Background(), &sys, ExploreOptions{Reduce: ReduceFull, Symmetry: true, ways: &w, hastily: true, through: func(g explore.Graph) explore.Graph {
		if r, ok := g.(*reduction); ok && r.sym != nil {
			return &planted{g, roots, expand}
		}
		return g
	}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// No system makes crashes of interchangeable nodes differ, as they do not depend on who it is that crashes. So a difference is planted.
func TestCrashesOfSymmetry(t *testing.T) {
	t.Parallel()
	for _, without := range []flaw{"", noSameCrashes} {
		x := plant(t, 1, without, func(r *reduction) {
			w := r.w
			if err := w.start(&r.answers); err != nil {
				t.Fatal(err)
			}
			id := w.v[2] // an acceptor
			_, err := w.crashed(id, 0)
			gone, err2 := w.haltedState(2)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			w.locals.list[id].downs[0] = gone + 1
		}, nil)
		if noticed := strings.Contains(x.Reduced.Asymmetry, "once they have crashed"); noticed != (without == "") {
			t.Errorf("without %q noticed: %v, %+v", without, noticed, x.Reduced)
		}
	}
}

// What fell for one node falls for those that it may be exchanged with, whatever is decided for these.
func TestClaimsOfSymmetry(t *testing.T) {
	t.Parallel()
	for _, without := range []flaw{"", noSameClaims} {
		asked := false
		plant(t, 0, without, nil, func(r *reduction) {
			local := r.nodes[1].met[0] // of an acceptor
			c := claim{local, r.nodes[1].id(act{kind: sim.Deliver, from: 0})}
			k := 0
			for int(r.sym.perms[k][1]) == 1 {
				k++
			}
			l := &relied{}
			l.begin()
			l.fallen[claim{r.sym.local(k, local), r.sym.act(r.sym.perms[k], 1, c.act)}] = true
			clear(r.sym.holds[1])
			if holds := r.sym.all(1, l, c, func(claim) bool { return true }); holds != (without != "") {
				t.Errorf("without %q it holds: %v", without, holds)
			}
			clear(r.sym.holds[1])
			asked = true
		})
		if !asked {
			t.Error("nothing was asked")
		}
	}
}

package statespace_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// sleeper records the findings of an exploration, and the number of omitted edges. It may corrupt cached
// transitions.
type sleeper struct {
	*statespace.Graph
	spoil    func(s *statespace.NodeConfigs, k uint32) // nil: not
	spoilt   int
	found    []encoding.Fingerprint
	trails   [][]uint32
	unlisted int
}

func (s *sleeper) Expand(state []uint32, number int, e *graph.Edges) error {
	before := e.Unlisted
	err := s.Graph.Expand(state, number, e)
	s.unlisted += e.Unlisted - before
	if s.spoil != nil {
		for ; s.spoilt < len(s.Configs.Transitions); s.spoilt++ {
			s.spoil(s.Configs, uint32(s.spoilt))
		}
	}
	return err
}

func (s *sleeper) Check(m *graph.FoundState) (live bool, err error) {
	s.found, s.trails = append(s.found, s.Fingerprint(m.State)), append(s.trails, m.Path())
	return s.Graph.Check(m)
}

const mostStates = 20_000

// explored explores to a depth, or until there are the most states.
func explored(sys *sim.System, set, depth int, sleeps bool, spoil func(*statespace.NodeConfigs, uint32)) (*sleeper, explore.Result, error) {
	e, err := steptree.NewEngine(sys, kernel.Options{MaxChoices: 50}, nil)
	if err != nil {
		return nil, explore.Result{}, err
	}
	s := &sleeper{Graph: statespace.NewGraph(e, nil), spoil: spoil}
	s.Configs.SleepSets = s.Configs.SleepSets && sleeps
	loop, err := explore.New(s, explore.Options{Visited: stateset.Kinds[set], MaxDepth: depth, MaxStates: mostStates})
	if err != nil {
		return nil, explore.Result{}, err
	}
	return s, loop.Run(context.Background()), nil
}

// compareAsleep explores with sleep sets and without. Only the number of listed edges may differ, which affects how
// soon an exploration stops at the limit of states.
func compareAsleep(sys *sim.System, set, depth int, spoil func(*statespace.NodeConfigs, uint32)) (unlisted int, err error) {
	all, want, err := explored(sys, set, depth, false, nil)
	if err != nil {
		return 0, err
	}
	some, got, err := explored(sys, set, depth, true, spoil)
	limited := min(len(all.found), len(some.found))
	if limited >= mostStates {
		all.found, all.trails, some.found, some.trails = all.found[:limited], all.trails[:limited], some.found[:limited], some.trails[:limited]
	}
	switch {
	case err != nil:
		return 0, err
	case all.unlisted > 0:
		return 0, errors.New("edges are left out though none sleep")
	case !slices.Equal(all.found, some.found):
		return 0, fmt.Errorf("%d states, and %d with sleep sets, or another order", len(all.found), len(some.found))
	case !slices.EqualFunc(all.trails, some.trails, slices.Equal):
		return 0, errors.New("states are found on other ways")
	case limited < mostStates && (want.Transitions != got.Transitions || want.Err == nil && want.Steps != got.Steps || want.Live != got.Live || want.Depth != got.Depth ||
		want.Stopped != got.Stopped || fmt.Sprint(want.Err, want.Path, want.AtEdge) != fmt.Sprint(got.Err, got.Path, got.AtEdge)):
		return 0, fmt.Errorf("%+v, and with sleep sets %+v", want, got)
	}
	return some.unlisted, nil
}

// Sleep sets change neither findings nor their order.
func TestSleepSets_BundledSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for k, entry := range papers.All() {
		t.Run(entry.Name, func(t *testing.T) {
			sys, err := entry.New(spec.Config{Nodes: entry.DefaultNodes})
			if err == nil {
				sys, err = sys.WithLimits(entry.Limits)
			}
			if err != nil {
				t.Fatal(err)
			}
			n, err := compareAsleep(&sys, k%len(stateset.Kinds), 12, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d edges sleep", n)
		})
	}
}

func TestSleepSets_RandomSystems(t *testing.T) {
	systems, asleep := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := script.Draw(t)
		n, err := compareAsleep(c.System(), rapid.IntRange(0, 2).Draw(t, "set"), 5, nil)
		if err != nil {
			t.Fatal(err)
		}
		if systems++; n > 0 {
			asleep++
		}
	})
	if asleep < systems/10 {
		t.Errorf("in %d of %d systems something sleeps", asleep, systems)
	}
}

// Missing data of transitions are detected. The first seeds keep the test short.
func TestSleepSets_DefectsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	first := map[string]int{"that timers are prompt": 145, "whose room in a stream was asked for": 93, "what has arrived": 42}
	for name, spoil := range map[string]func(s *statespace.NodeConfigs, k uint32){
		"with whom a node shares a connection": func(s *statespace.NodeConfigs, k uint32) {
			if s.Peers[k] != statespace.NeverSleeps {
				s.Peers[k] &= statespace.ToMonitors
			}
		},
		"whose room in a stream was asked for": func(s *statespace.NodeConfigs, k uint32) {
			if s.Peers[k] != statespace.NeverSleeps {
				told := s.Peers[k] & statespace.ToMonitors
				for _, o := range s.OpsOf(k) {
					told |= 1 << o.Node()
				}
				s.Peers[k] &= told
			}
		},
		"that timers are prompt": func(s *statespace.NodeConfigs, k uint32) {
			if s.Engine.Sys.Timing == sim.Prompt && s.Transitions[k].Global == 0 && s.Transitions[k].Kind == statespace.DatagramTransition {
				s.Peers[k] &= statespace.ToMonitors
			}
		},
		"the frame": func(s *statespace.NodeConfigs, k uint32) {
			if s.Peers[k] == statespace.NeverSleeps && s.Transitions[k].Global != 0 {
				s.Peers[k] = 0
			}
		},
		"what has arrived": func(s *statespace.NodeConfigs, k uint32) { s.Takes[k] = 0 },
		"which datagrams are taken in either order": func(s *statespace.NodeConfigs, k uint32) {
			if s.Takes[k] != 0 {
				s.Commuting[k] = ^uint64(0)
			}
		},
		"who falls": func(s *statespace.NodeConfigs, k uint32) {
			if s.DisabledBy[k] == 1<<s.Actor(k) {
				s.DisabledBy[k] = 1 << ((s.Actor(k) + 1) % s.Engine.Nodes)
			}
		},
		"that connections with who falls are touched": func(s *statespace.NodeConfigs, k uint32) {
			if s.DisabledBy[k] == 1<<s.Actor(k) {
				s.DisabledBy[k] |= statespace.ToMonitors // as if a connection broke, of this node alone
			}
		},
		"that datagrams to who is down are lost": func(s *statespace.NodeConfigs, k uint32) {
			if s.Engine.Layout.InboxCount > 0 && falls(s, k) {
				s.DisabledBy[k] = 1 << s.Actor(k)
			}
		},
		"which connection breaks": func(s *statespace.NodeConfigs, k uint32) {
			if bits.OnesCount16(s.DisabledBy[k]) == 2 {
				s.DisabledBy[k] = statespace.ToMonitors | statespace.ToMore
			}
		},
		"who is up": func(s *statespace.NodeConfigs, k uint32) {
			if m := s.Transitions[k]; m.Kind == statespace.DatagramTransition {
				up := s.Tables[s.Actor(k)].Up
				if up[m.Next] != up[s.Origins[k]] {
					s.Peers[k] = 0
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			draw := rapid.Custom(script.Draw)
			for seed := first[name]; seed < 3000; seed++ {
				if _, err := compareAsleep(draw.Example(seed).System(), 2, 5, spoil); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Error("nobody noticed")
		})
	}
}

// falls reports whether a transition is a fall of its node.
func falls(s *statespace.NodeConfigs, k uint32) bool {
	m := &s.Transitions[k]
	if m.Kind != statespace.DatagramTransition && m.Kind != statespace.MixedTransition {
		return false
	}
	up := s.Tables[s.Actor(k)].Up
	return up[s.Origins[k]] && !up[m.Next]
}

// With more nodes than bits in a set nothing sleeps.
func TestSleepSets_ManyNodes(t *testing.T) {
	for _, nodes := range []int{statespace.MostSleepers, statespace.MostSleepers + 1, 2 * statespace.Sleepers} {
		sys := &sim.System{
			Nodes: nodes, Network: netsim.Datagrams{},
			New: func(sim.NodeID) sim.Service { return &speaker{} },
			Actions: []sim.AnyAction{sim.Action[*speaker]{Name: "send", Times: 1, At: func(id sim.NodeID) bool { return id > 0 }, Do: func(_ *speaker, env sim.Env) {
				env.Send(env.Self()-1, "here")
			}}},
		}
		unlisted, err := compareAsleep(sys, 2, 3, nil)
		if err != nil || (unlisted > 0) != (nodes <= statespace.MostSleepers) {
			t.Errorf("%d nodes: %d edges are not listed, %v", nodes, unlisted, err)
		}
	}
}

// Transitions without effect are not listed, even with a single node.
func TestSleepSets_Loops(t *testing.T) {
	sys := &sim.System{
		Nodes: 1,
		New:   func(sim.NodeID) sim.Service { return &speaker{} },
		Actions: []sim.AnyAction{
			sim.Action[*speaker]{Name: "idle", Do: func(*speaker, sim.Env) {}},
			sim.Action[*speaker]{Name: "once", Times: 1, Do: func(*speaker, sim.Env) {}},
		},
	}
	for set := range stateset.Kinds {
		if unlisted, err := compareAsleep(sys, set, 9, nil); err != nil || unlisted != 1 {
			t.Errorf("%d edges are not listed, %v", unlisted, err)
		}
	}
}

// speaker announces itself when asked.
type speaker struct{ sim.Nop }

// listener stores the last sender.
type listener struct{ Last sim.NodeID }

func (l *listener) Observe(from sim.NodeID, _ any) error {
	l.Last = from
	return nil
}

// Monitors observe steps in their order.
func TestSleepSets_Monitors(t *testing.T) {
	sys := &sim.System{
		Nodes: 3,
		New:   func(sim.NodeID) sim.Service { return &speaker{} },
		Actions: []sim.AnyAction{sim.Action[*speaker]{Name: "speak", Times: 1, Do: func(_ *speaker, env sim.Env) {
			env.Announce("here")
		}}},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &listener{} }},
	}
	if _, err := compareAsleep(sys, 2, 9, nil); err != nil {
		t.Error(err)
	}
	if _, err := compareAsleep(sys, 2, 9, func(s *statespace.NodeConfigs, k uint32) {
		if s.Peers[k] != statespace.NeverSleeps {
			s.Peers[k] &^= statespace.ToMonitors
		}
	}); err == nil {
		t.Error("nobody noticed that monitors were forgotten")
	}
}

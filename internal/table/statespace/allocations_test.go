package statespace_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// ring counts to 4 on each node, then starts from 0.
type ring struct {
	sim.Nop
	Count int
}

func (r *ring) Timer(env sim.Env, t any) {
	r.Count = (r.Count + 1 + env.Choose("step", 2)) % 5
	env.SetTimer(t, 1)
	env.Announce(r.Count)
}

func (r *ring) Boot(env sim.Env) { env.SetTimer("turn", 1) }

// relay forwards every other message.
type relay struct {
	sim.Nop
	Count int
}

func (r *relay) Kick(env sim.Env) { env.Send(1, r.Count) }

func (r *relay) Receive(env sim.Env, from sim.NodeID, _ any) {
	if r.Count = (r.Count + 1) % 3; r.Count == 1 {
		env.Send(from, r.Count)
		env.Send((env.Self()+1)%3, r.Count)
	}
}

// pipe counts messages from streams.
type pipe struct{ relay }

func (r *ring) Observe(_ sim.NodeID, event any) error {
	r.Count = (r.Count + event.(int)) % 3
	return nil
}

func (p *pipe) Kick(env sim.Env) { env.Stream(1).Send(p.Count) }

func (p *pipe) Receive(env sim.Env, from sim.NodeID, _ any) {
	if p.Count = (p.Count + 1) % 3; p.Count == 1 {
		env.Stream(from).Send(p.Count)
		env.Stream((env.Self() + 1) % 3).Send(p.Count)
	}
}

func even(get func(sim.Service) int) []sim.Property {
	return []sim.Property{{Name: "even", Eventually: sim.Each(func(_ sim.NodeID, s sim.Service) bool { return get(s)%2 == 0 })}}
}

// bundledSystem returns a bundled system; Paxos has two proposers.
func bundledSystem(t testing.TB, name string) *sim.System {
	t.Helper()
	entry, err := systems.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := entry.New(spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &sys
}

// steady has explored a system: all tables are full.
type steady struct {
	*statespace.Graph
	visited stateset.Visited
	whole   stateset.Whole // visited, if it is
	edges   graph.Edges
	lookups stateset.Keys
	fresh   []uint32
	states  [][]uint32 // packed
	names   []uint32   // of the edges by which they were found
	keys    []uint64
	trees   []uint32 // of the states with listed edges, if there are any
	last    []uint32 // by state: the end of these
	at      int
}

// Expand implements [graph.Graph].
func (s *steady) Expand(state []uint32, number int, e *graph.Edges) error {
	s.states, s.names = append(s.states, slices.Clone(state)), append(s.names, e.By)
	return s.Graph.Expand(state, number, e)
}

func newSteady(t testing.TB, sys *sim.System, visited stateset.Kind) *steady {
	t.Helper()
	e, err := steptree.NewEngine(sys, kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &steady{Graph: statespace.NewGraph(e, nil)}
	loop, err := explore.New(s, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x := loop.Run(context.Background()); !x.Complete {
		t.Fatalf("got %+v, want a complete exploration", x)
	}
	s.visited = visited.New(s)
	t.Cleanup(s.visited.Close)
	s.whole, _ = s.visited.(stateset.Whole)
	s.edges.Width = s.visited.Width()
	for _, state := range s.states {
		s.edges.Reset()
		for word, value := range state {
			s.edges.Change(word, value)
		}
		s.edges.End(s.Fingerprint(state), 0)
		if s.whole != nil {
			s.whole.ResolveTargets(&s.edges, nil, []uint32{uint32(len(s.edges.Ends))})
		}
		s.lookUp()
		s.keys = append(s.keys, s.edges.Lo[0])
		if len(s.fresh) != 1 {
			t.Fatal("a state was found twice")
		}
	}
	e.Samples.Off = true // executing handlers again does allocate
	return s
}

func (s *steady) lookUp() {
	k := &s.lookups
	k.Edges, k.Lo, k.Hi = k.Edges[:0], s.edges.Lo, s.edges.Hi
	for t := range s.edges.Ends {
		k.Edges = append(k.Edges, uint32(t))
	}
	s.fresh = s.visited.AddAll(k, s.fresh[:0])
}

// batchLen is how many transitions are looked up at once, at least.
const batchLen = 4096

// batch takes some transitions again, from the next states, and looks up those that do not sleep. It returns their
// number.
func (s *steady) batch(t testing.TB) int {
	s.edges.Reset()
	s.trees, s.last = s.trees[:0], s.last[:0]
	for len(s.edges.Ends) < batchLen {
		state := s.states[s.at]
		if s.whole != nil {
			s.trees = append(s.trees, s.whole.ReadTree(s.keys[s.at])...)
			state = s.trees[len(s.trees)-s.whole.Size():][:len(state)]
		}
		s.edges.By = s.names[s.at]
		s.at = (s.at + 1) % len(s.states)
		if err := s.Graph.Expand(state, -1, &s.edges); err != nil {
			t.Fatal(err)
		}
		s.last = append(s.last, uint32(len(s.edges.Ends)))
	}
	if s.whole != nil {
		s.whole.ResolveTargets(&s.edges, s.trees, s.last)
	}
	if s.lookUp(); len(s.fresh) > 0 {
		t.Fatal("a state is new")
	}
	return s.edges.All()
}

// Once all local situations are known, no transition allocates memory.
func TestExpand_AllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, sys := range map[string]*sim.System{
		"timers and choices": {Name: "ring", Nodes: 3, New: func(sim.NodeID) sim.Service { return &ring{} }, Timing: sim.AnyOrder,
			Properties: even(func(s sim.Service) int { return s.(*ring).Count })},
		"announcements": {Name: "ring", Nodes: 2, New: func(sim.NodeID) sim.Service { return &ring{} }, Timing: sim.AnyOrder,
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &ring{} }, func() sim.Monitor { return &ring{Count: 1} }}},
		"datagrams and faults": {Name: "relay", Nodes: 3, New: func(sim.NodeID) sim.Service { return &relay{} },
			Network: netsim.Datagrams{Loss: 1, Dup: 1, Partitions: 1}, Crashes: 1,
			Actions: []sim.AnyAction{sim.Action[*relay]{Name: "kick", Times: 1, Do: (*relay).Kick, At: func(n sim.NodeID) bool { return n == 0 }}}},
		"streams and faults": {Name: "pipe", Nodes: 3, New: func(sim.NodeID) sim.Service { return &pipe{} },
			Network: netsim.Streams{Buffer: 1, Errors: 1},
			Actions: []sim.AnyAction{sim.Action[*pipe]{Name: "kick", Times: 2, Do: (*pipe).Kick, At: func(n sim.NodeID) bool { return n == 0 }}}},
	} {
		for _, visited := range stateset.Kinds {
			s := newSteady(t, sys, visited)
			for last := -1; s.at > last; s.batch(t) {
				last = s.at // buffers grow to their size
			}
			for i := range s.Configs.Transitions {
				if s.Configs.Transitions[i].Kind == statespace.UncachedStep {
					t.Errorf("%s: a step is taken in the world", name)
				}
			}
			n := 0
			allocs := testing.AllocsPerRun(20, func() { n += s.batch(t) })
			if allocs != 0 || n < 20*batchLen {
				t.Errorf("%s, visited %s: %v allocations in %d transitions, %d states", name, visited.Name, allocs, n/21, len(s.states))
			}
		}
	}
}

// Expanded states can be read, even if transitions sleep there. Otherwise a second worker would wait forever.
func TestExpand_Readable(t *testing.T) {
	s := newSteady(t, bundledSystem(t, "paxos"), stateset.Kinds[1])
	r := s.Reader()
	for i, state := range s.states {
		s.edges.Reset()
		s.edges.By = s.names[i]
		if !r.Read(state, &s.edges) {
			t.Fatalf("state %d of %d, found by move %d, cannot be read", i, len(s.states), s.names[i])
		}
	}
}

// BenchmarkTransition measures one transition of Paxos with two proposers with full tables, including the look-up
// of the successor.
func BenchmarkTransition(b *testing.B) {
	sys := bundledSystem(b, "paxos")
	for _, visited := range stateset.Kinds {
		b.Run(visited.Name, func(b *testing.B) {
			s := newSteady(b, sys, visited)
			b.ReportAllocs()
			left := 0
			for b.Loop() {
				if left == 0 {
					left = s.batch(b)
				}
				left--
			}
		})
	}
}

package table

import (
	"context"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// ring counts to 4 on each node, then begins anew.
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

// relay passes on every other message that it is told.
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

// pipe counts what it is sent through streams.
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

// steady has explored a system: all tables are full.
type steady struct {
	*explorer
	states [][]uint32 // packed
	at     int
}

func newSteady(t testing.TB, sys *sim.System, visited Visited) *steady {
	t.Helper()
	e, err := newEngine(sys, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	exact := newExplorer(e, ExploreOptions{})
	defer exact.close()
	if err := exact.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := &steady{explorer: newExplorer(e, ExploreOptions{Visited: visited})}
	t.Cleanup(s.close)
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.len() != exact.len() || s.out.Transitions != exact.out.Transitions {
		t.Fatalf("%d states, %d transitions; when exact %d, %d", s.len(), s.out.Transitions, exact.len(), exact.out.Transitions)
	}
	for id := range exact.len() {
		exact.see(uint32(id))
		s.states = append(s.states, append([]uint32(nil), exact.here...))
	}
	s.found.reset()
	e.samples.off = true // executing handlers again does allocate
	return s
}

// batch takes some transitions again, from the next states, and looks them up.
func (s *steady) batch(t testing.TB) int {
	f := s.found
	f.reset()
	for len(f.ends) < successorsAtOnce {
		s.here = s.states[s.at]
		if s.seen != nil {
			copy(s.base, s.here)
			s.seen.complete(s.base, nil)
		}
		s.at = (s.at + 1) % len(s.states)
		from := len(f.ends)
		if err := s.successors(f); err != nil {
			t.Fatal(err)
		}
		if s.seen != nil {
			s.pushTrees(f, from)
		}
	}
	s.sift(f)
	s.lookUp(f)
	if len(f.fresh) > 0 {
		t.Fatal("a state is new")
	}
	return len(f.ends)
}

// Once all local situations are known a transition allocates nothing, whatever it is made of.
func TestNoAllocationInSteadyState(t *testing.T) {
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
		for _, visited := range []Visited{Exact, Fingerprints64, Fingerprints128} {
			s := newSteady(t, sys, visited)
			for last := -1; s.at > last; s.batch(t) {
				last = s.at // buffers grow to their size
			}
			for i := range s.sites.moves {
				if s.sites.moves[i].kind == slowStep {
					t.Errorf("%s: a step is taken in the world", name)
				}
			}
			n := 0
			allocs := testing.AllocsPerRun(20, func() { n += s.batch(t) })
			if allocs != 0 || n < 20*successorsAtOnce {
				t.Errorf("%s, visited %d: %v allocations in %d transitions, %d states", name, visited, allocs, n/21, len(s.states))
			}
		}
	}
}

// BenchmarkTransition measures one transition of Paxos with two proposers whose tables are full, its successor being
// looked up in the set of visited states.
func BenchmarkTransition(b *testing.B) {
	entry, err := systems.Find("paxos")
	if err != nil {
		b.Fatal(err)
	}
	sys, err := entry.New(spec.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name    string
		visited Visited
	}{{"exact", Exact}, {"64", Fingerprints64}, {"128", Fingerprints128}} {
		b.Run(bench.name, func(b *testing.B) {
			s := newSteady(b, &sys, bench.visited)
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

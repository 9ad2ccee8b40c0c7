package statespace_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// counter counts requests.
type counter struct {
	sim.Nop
	N int
}

func counters(properties ...sim.Property) *sim.System {
	return &sim.System{
		Nodes: 3,
		New:   func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{
			sim.Action[*counter]{Name: "up", When: func(c *counter) bool { return c.N < 9 }, Do: func(c *counter, _ sim.Env) { c.N++ }},
			sim.Action[*counter]{Name: "down", When: func(c *counter) bool { return c.N > 0 }, Do: func(c *counter, _ sim.Env) { c.N-- }},
		},
		Properties: properties,
	}
}

// sum returns the sum of all counters.
func sum(v *sim.View) (sum int) {
	for _, c := range sim.Nodes[*counter](v) {
		sum += c.N
	}
	return sum
}

// Cached verdicts of properties are those of the same local states of the same nodes.
func TestVerdicts_Cached(t *testing.T) {
	even := sim.Property{Name: "even", Eventually: func(v *sim.View) bool { return sum(v)%2 == 0 }}
	first := sim.Property{Name: "first", Eventually: func(v *sim.View) bool { return v.Service(0).(*counter).N >= v.Service(2).(*counter).N }}
	nothing := func(*statespace.Graph, *graph.FoundState) {}
	all := func(g *statespace.Graph, _ *graph.FoundState) { g.World.Properties.Verdicts = steptree.Verdicts{} }
	// As after the check of a state without visiting its successors, which evaluates only Always properties.
	allButSound := func(g *statespace.Graph, m *graph.FoundState) {
		*g.World.Properties.Verdicts.Of(g.ReadLocals(m.State)) = steptree.IsSound
	}
	live := func(forget func(*statespace.Graph, *graph.FoundState), p ...sim.Property) int {
		e, err := steptree.NewEngine(counters(p...), kernel.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &forgetful{statespace.NewGraph(e, nil), forget}
		loop, err := explore.New(s, explore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return loop.Run(context.Background()).Live
	}
	// Of 1000 states one half is even, and in 550 the first counter is not behind the last.
	if n := live(nothing, even); n != 500 {
		t.Errorf("%d states are even", n)
	}
	if n := live(nothing, first); n != 550 {
		t.Errorf("in %d states the first counter is not behind the last", n)
	}
	more := sim.Property{Name: "more", Eventually: func(v *sim.View) bool {
		n := func(id sim.NodeID) int { return v.Service(id).(*counter).N }
		return n(2) < 5 || n(1) < 3 || n(0) > n(1)
	}}
	for _, p := range [][]sim.Property{{even, first}, {more}, {first, more}} {
		if n, anew, half := live(nothing, p...), live(all, p...), live(allButSound, p...); n != anew || n != half {
			t.Errorf("%d states are live, %d when nothing is remembered, and %d when it is only that they are sound", n, anew, half)
		}
	}
	safe := sim.Property{Name: "small", Always: func(v *sim.View) bool { return sum(v) < 27 }}
	x, err := table.Explore(context.Background(), counters(safe, even), options.Options{})
	if err != nil || x.Finding == nil || len(x.Path) == 0 {
		t.Errorf("%v, %v: the greatest sum is not found", x, err)
	}
}

// Verdicts about some nodes are dropped when properties read more nodes.
func TestVerdicts_DependOnAllReads(t *testing.T) {
	p := world.Properties{Key: make([]uint32, 3)}
	p.Reads(1 << 2)
	*p.Verdicts.Of([]uint32{7}) |= steptree.IsSound
	*p.Verdicts.Of([]uint32{8}) |= steptree.IsLive
	if seven, eight := *p.Verdicts.Of([]uint32{7}), *p.Verdicts.Of([]uint32{8}); seven != steptree.IsSound || eight != steptree.IsLive {
		t.Errorf("%b and %b are remembered", seven, eight)
	}
	if p.Reads(1 << 2); p.Verdicts.Entries == nil {
		t.Error("it is forgotten though nothing new was read")
	}
	if p.Reads(1 << 1); p.Verdicts.Entries != nil || !slices.Equal(p.Read, []int32{1, 2}) {
		t.Errorf("it is still remembered, by %v", p.Read)
	}
}

// In a sample of states properties are asked though the same local states were judged before.
func TestVerdicts_Sampled(t *testing.T) {
	asked := 0
	sys := &sim.System{
		Nodes: 3, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &speaker{} },
		Actions: []sim.AnyAction{sim.Action[*speaker]{Name: "send", Times: 2, Do: func(_ *speaker, env sim.Env) {
			env.Send((env.Self()+1)%3, "here")
		}}},
		Properties: []sim.Property{{Name: "all", Always: func(v *sim.View) bool {
			asked++
			for _, s := range sim.Nodes[*speaker](v) {
				if s == nil {
					return false
				}
			}
			return true
		}}},
	}
	e, err := steptree.NewEngine(sys, kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &sampler{Graph: statespace.NewGraph(e, nil), asked: &asked}
	loop, err := explore.New(g, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := loop.Run(context.Background()); !r.Complete || g.passed != 0 || asked >= r.States {
		t.Errorf("%d of %d states of the sample were passed over, properties asked %d times, %+v", g.passed, r.States, asked, r)
	}
}

// sampler counts states of the sample in which no property is asked.
type sampler struct {
	*statespace.Graph
	asked  *int
	passed int
}

func (s *sampler) Check(m *graph.FoundState) (bool, error) {
	before := *s.asked
	live, err := s.Graph.Check(m)
	if s.World.Samples.Sampled(m.Number+1) && *s.asked == before {
		s.passed++
	}
	return live, err
}

// Whether a state is live, and whether a panic there is a finding, depends only on the state. It does not depend on
// earlier evaluations, the cache, the engine or the order of properties.
func TestVerdicts_DependOnState(t *testing.T) {
	to := func(name string, from, to int) sim.AnyAction {
		return sim.Action[*counter]{Name: name, When: func(c *counter) bool { return c.N == from }, Do: func(c *counter, _ sim.Env) { c.N = to }}
	}
	at := func(v *sim.View) int { return v.Service(0).(*counter).N }
	fails := func(name string, p ...int) sim.Property {
		return sim.Property{Name: name, Eventually: func(v *sim.View) bool { return !slices.Contains(p, at(v)) }}
	}
	panics := func(name string, p ...int) sim.Property {
		return sim.Property{Name: name, Eventually: func(v *sim.View) bool {
			if slices.Contains(p, at(v)) {
				panic(name)
			}
			return at(v) != 1
		}}
	}
	// Of 1 to 4: one fails; one fails and one panics; two panic; none does anything.
	one, two, three := fails("one", 2), panics("two", 2, 3), panics("three", 3)
	for _, properties := range [][]sim.Property{{one, two, three}, {three, two, one}, {two, one, three}, {three, one, two}} {
		sys := counters(properties...)
		sys.Nodes, sys.Actions = 1, []sim.AnyAction{to("to 1", 0, 1), to("to 2", 0, 2), to("to 3", 0, 3), to("to 4", 0, 4), to("back", 1, 0), to("again", 2, 0)}
		first := slices.IndexFunc(properties, func(p sim.Property) bool { return p.Name != "one" })
		byTable, err := world.New(sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		byReplay, err := kernel.NewWorld(sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		live := func(w kernel.World) (live bool, err error) {
			defer contain.CatchState(&err)
			return w.Live(), nil
		}
		for _, w := range []kernel.World{byTable, byReplay} {
			for _, slots := range [][]int32{{0, 4, 1, 5, 2}, {3}, {2}, {1, 5, 0, 4, 2}, {1}, {0, 4, 3}} {
				if err := w.Start(&choose.Prefix{}); err != nil {
					t.Fatal(err)
				}
				for _, slot := range slots {
					if err := w.Step(netmodel.Event{Kind: eventkind.DoAction, Slot: slot, Peer: -1}, &choose.Prefix{}); err != nil {
						t.Fatal(err)
					}
					is, err := live(w)
					var f *sim.Finding
					if panicked := errors.As(err, &f); panicked != (slot == 2) || panicked && f.Property != properties[first].Name || is != (slot > 2) {
						t.Errorf("%s first, %T, %v: live %v, %v after %d", properties[0].Name, w, slots, is, err, slot)
					}
				}
			}
		}
		x, err := table.Explore(context.Background(), sys, options.Options{})
		var f *sim.Finding
		if !errors.As(x.Finding, &f) || f.Kind != sim.Panic || len(x.Path) == 0 || err != nil {
			t.Errorf("%s first: %v, %v", properties[0].Name, x, err)
		}
	}
}

// forgetful drops some cached verdicts before each state.
type forgetful struct {
	*statespace.Graph
	forget func(*statespace.Graph, *graph.FoundState)
}

func (f *forgetful) Check(m *graph.FoundState) (bool, error) {
	f.forget(f.Graph, m)
	return f.Graph.Check(m)
}

package table_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/internal/test/shards"
	"github.com/macemc/macemc/sim"
)

// graph is the state graph of a system, from executing all its paths on the replay engine.
type graph struct {
	number map[encoding.Fingerprint]int
	live   []bool
	depth  []int // steps from the start
	usual  []bool
	edges  []edge
}

type edge struct {
	from, to int
	recovery bool
}

// weighed notes whether an answer without weight was given.
type weighed struct {
	src   choose.Source
	never *bool
}

func (w weighed) Choose(p choose.Point) int {
	pick := w.src.Choose(p)
	*w.never = *w.never || p.Weight(pick) == 0
	return pick
}

// graphOf executes each step after the shortest path to its state. The error is the first finding.
func graphOf(t tester, sys *sim.System) (*graph, error) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &graph{number: map[encoding.Fingerprint]int{}}
	var paths []choose.Path
	meet := func(path choose.Path, depth int) (int, error) {
		n, ok := g.number[w.Fingerprint()]
		if !ok {
			if err := w.Check(); err != nil {
				return 0, err
			}
			n = len(paths)
			g.number[w.Fingerprint()] = n
			paths = append(paths, path)
			g.live, g.depth = append(g.live, w.Live()), append(g.depth, depth)
			g.usual = append(g.usual, slices.ContainsFunc(w.Enabled(), func(ev netmodel.Event) bool { return !w.Disturbs(ev) }))
		}
		return n, nil
	}
	var e choose.Enumerate
	for e.Next() {
		if err := w.Start(&e); err != nil {
			return nil, err
		}
		if _, err := meet(e.Path(), 0); err != nil {
			return nil, err
		}
	}
	for from := 0; from < len(paths); from++ {
		follow(t, w, paths[from])
		usual := len(w.Enabled())
		for i := range w.Injections(slices.Clone(w.Enabled())) {
			var e choose.Enumerate
			for e.Next() {
				follow(t, w, paths[from])
				ev := w.Injections(slices.Clone(w.Enabled()))[i]
				never := false
				if err := w.Step(ev, weighed{&e, &never}); err != nil {
					return nil, err
				}
				to, err := meet(slices.Concat(paths[from], choose.Path{int32(i)}, e.Path()), g.depth[from]+1)
				if err != nil {
					return nil, err
				}
				g.edges = append(g.edges, edge{from, to, i < usual && !never && !w.Last().Crashed && !w.Last().Disturbs})
			}
		}
	}
	return g, nil
}

// follow executes a path and returns the number of its steps.
func follow(t tester, w kernel.World, path choose.Path) (steps int) {
	t.Helper()
	pos := 0
	src := choose.SourceFunc(func(choose.Point) int { pos++; return int(path[pos-1]) })
	if err := w.Start(src); err != nil {
		t.Fatal(err)
	}
	for ; pos < len(path); steps++ {
		events := w.Injections(slices.Clone(w.Enabled()))
		pos++
		if err := w.Step(events[path[pos-1]], src); err != nil {
			t.Fatal(err)
		}
	}
	return steps
}

// dead iterates over all edges until nothing changes.
func (g *graph) dead() []bool {
	dead := make([]bool, len(g.live))
	for i, live := range g.live {
		dead[i] = !live
	}
	for again := true; again; {
		again = false
		for _, e := range g.edges {
			if e.recovery && dead[e.from] && !dead[e.to] {
				dead[e.from], again = false, true
			}
		}
	}
	return dead
}

// compareLiveness compares an exploration with the graph, and returns the number of dead states.
func compareLiveness(t tester, sys *sim.System, x *table.Exploration, g *graph) int {
	t.Helper()
	dead := g.dead()
	count, nearest := 0, -1
	for i, d := range dead {
		if d {
			if count++; nearest < 0 || g.depth[i] < nearest {
				nearest = g.depth[i]
			}
		}
	}
	if !x.LivenessChecked || x.Dead != count || x.States != len(dead) || x.Transitions != len(g.edges) {
		t.Fatalf("%+v; by all paths: %d states, %d transitions, %d dead", x, len(dead), len(g.edges), count)
	}
	if count == 0 {
		if x.DeadPath != nil || x.DeadCritical != 0 || x.DeadOutOfEvents {
			t.Fatalf("nothing is dead: %+v", x)
		}
		return 0
	}
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps := follow(t, w, x.DeadPath)
	n, known := g.number[w.Fingerprint()]
	if !known || !dead[n] || steps != nearest || x.DeadCritical != steps || x.DeadOutOfEvents == g.usual[n] {
		t.Fatalf("%+v: %d steps to state %d; the nearest dead state is %d steps away", x, steps, n, nearest)
	}
	return count
}

// automaton moves from state to state.
type automaton struct {
	sim.Nop
	State int
	moves *[][]move `macemc:"-"`
}

// move is one of several that an action of a state draws from.
type move struct{ to, weight int }

func (a *automaton) Boot(env sim.Env) {
	if v, ok := env.Disk().Get("state"); ok {
		a.State = int(v[0])
	}
}

func (a *automaton) move(env sim.Env) {
	var weights []int
	for _, m := range (*a.moves)[a.State] {
		weights = append(weights, m.weight)
	}
	a.State = (*a.moves)[a.State][env.ChooseWeighted("move", weights...)].to
}

func (a *automaton) save(env sim.Env) {
	env.Disk().Put("state", []byte{byte(a.State)})
	env.Disk().Sync()
}

// automata is a system of one automaton; live are its live states. With crashes it may save its state,
// to which it comes back.
func automata(moves [][]move, crashes int, live ...int) *sim.System {
	sys := &sim.System{Name: "automaton", Nodes: 1, Crashes: crashes,
		New: func(sim.NodeID) sim.Service { return &automaton{moves: &moves} },
		Actions: []sim.AnyAction{sim.Action[*automaton]{Name: "move",
			When: func(a *automaton) bool { return len(moves[a.State]) > 0 }, Do: (*automaton).move}},
		Properties: []sim.Property{{Name: "live", Eventually: sim.Each(func(_ sim.NodeID, a *automaton) bool {
			return slices.Contains(live, a.State)
		})}},
	}
	if crashes > 0 {
		sys.Actions = append(sys.Actions, sim.Action[*automaton]{Name: "save", Times: 1, Do: (*automaton).save})
	}
	return sys
}

func TestLiveness_ByHand(t *testing.T) {
	to := func(states ...int) (m []move) {
		for _, s := range states {
			m = append(m, move{s, 1})
		}
		return m
	}
	for _, test := range []struct {
		name     string
		moves    [][]move
		live     []int
		dead     int
		critical int
		path     choose.Path
		end      bool
	}{
		{"all live", [][]move{to(0)}, []int{0}, 0, 0, nil, false},
		{"never live, forever", [][]move{to(0)}, nil, 1, 0, nil, false},
		{"never live, ends", [][]move{nil}, nil, 1, 0, nil, true},
		{"live at the end", [][]move{to(1), to(2), nil}, []int{2}, 0, 0, nil, false},
		{"live at the start only", [][]move{to(1), to(2), nil}, []int{0}, 2, 1, choose.Path{0}, false},
		// 0 -> 1 -> {2 -> 2, 3 -> 0 -> 4 live}: 2 is a trap, entered by the second step.
		{"a trap", [][]move{to(1, 4), to(2, 3), to(2), to(0), nil}, []int{4}, 1, 2, choose.Path{0, 0, 0, 0}, false},
		// States are found in the order of their numbers, and the only way to 1 from 5 is by 4, 3, 2: against it.
		{"back and back", [][]move{to(1, 2, 3, 4, 5, 6), nil, to(1), to(2), to(3), to(4), nil}, []int{1}, 1, 1, choose.Path{0, 5}, true},
		// The way out of 1 has no weight.
		{"no weight", [][]move{{{1, 1}, {2, 1}}, {{1, 1}, {2, 0}}, nil}, []int{2}, 1, 1, choose.Path{0, 0}, false},
		// State 1 is found by an answer without weight; it is live, its finder is not.
		{"found without weight", [][]move{{{1, 0}, {0, 1}}, nil}, []int{1}, 1, 0, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys := automata(test.moves, 0, test.live...)
			for _, x := range []*table.Exploration{breadth(t, sys, options.Options{}), shards.Explore(t, sys)} {
				if !x.Complete || !x.LivenessChecked || x.Dead != test.dead || x.DeadCritical != test.critical ||
					!slices.Equal(x.DeadPath, test.path) || x.DeadOutOfEvents != test.end {
					t.Errorf("got %+v, want %d dead states by %v, critical %d", x, test.dead, test.path, test.critical)
				}
			}
		})
	}
}

// A crash that gets the node out of the trap is a fault, not a way out; being booted is one.
func TestLiveness_WithoutFaults(t *testing.T) {
	moves := [][]move{{{1, 1}}, {{1, 1}}}
	sys := automata(moves, 1, 0)
	sys.Actions = sys.Actions[:1]
	// 0 and 1 with a remaining crash, down, 0 and 1 without: from 1 there is no way back to 0.
	x := breadth(t, sys, options.Options{})
	if x.States != 5 || x.Dead != 2 || x.DeadCritical != 1 || x.DeadOutOfEvents {
		t.Errorf("got %+v, want 5 states, 2 of them dead, critical step 1", x)
	}
}

func TestLiveness_RandomAutomata(t *testing.T) {
	dead := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "states")
		state := rapid.IntRange(0, n-1)
		moves := make([][]move, n)
		for i := range moves {
			for range rapid.IntRange(0, 3).Draw(t, "moves") {
				moves[i] = append(moves[i], move{state.Draw(t, "to"), rapid.IntRange(0, 2).Draw(t, "weight")})
			}
			if len(moves[i]) > 0 {
				moves[i][0].weight = 1 // not all may be zero
			}
		}
		sys := automata(moves, rapid.IntRange(0, 2).Draw(t, "crashes"), rapid.SliceOfN(state, 0, 2).Draw(t, "live")...)
		g, err := graphOf(t, sys)
		if err != nil {
			t.Fatal(err)
		}
		if compareLiveness(t, sys, breadth(t, sys, options.Options{}), g) > 0 {
			dead++
		}
		compareLiveness(t, sys, shards.Explore(t, sys), g)
	})
	if dead < 5 {
		t.Errorf("only %d systems had dead states", dead)
	}
}

func TestLiveness_RandomSystems(t *testing.T) {
	compared, dead := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		sys := script.Draw(t).System()
		x := breadth(t, sys, options.Options{MaxStates: 150, SkipRehearsal: true})
		if !x.Complete {
			if x.LivenessChecked || x.Dead != 0 {
				t.Fatalf("got %+v, want no judgement of liveness", x)
			}
			return
		}
		g, err := graphOf(t, sys)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if compareLiveness(t, sys, x, g) > 0 {
			dead++
		}
		compareLiveness(t, sys, shards.Explore(t, sys), g)
	})
	t.Logf("%d compared, %d with dead states", compared, dead)
}

func TestLiveness_BundledSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	pingack := bundled.System(t, "pingack", 2, sim.Limits{sim.Loss: 1})
	pingack.Timing = sim.Prompt // otherwise pings accumulate forever
	proposer := choosing(bundled.System(t, "paxos", 5, sim.Limits{sim.Crashes: 1}))
	for _, test := range []struct {
		name string
		sys  *sim.System
		dead bool
	}{
		{"pingack", pingack, true},
		{"paxos with one proposer that may crash", proposer, true},
		{"twophase", bundled.System(t, "twophase", 2, sim.Limits{sim.Crashes: 1}), false},
		{"twophase with three participants", bundled.System(t, "twophase", 4, sim.Limits{}), false},
		{"twophase without the query", bundled.System(t, "twophase", 2, sim.Limits{sim.Crashes: 1}, "TP3"), true},
		{"twophase with loss", bundled.System(t, "twophase", 2, sim.Limits{sim.Loss: 1}), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := graphOf(t, test.sys)
			if err != nil {
				t.Fatal(err)
			}
			x := breadth(t, test.sys, options.Options{})
			if dead := compareLiveness(t, test.sys, x, g); (dead > 0) != test.dead {
				t.Errorf("%d dead states", dead)
			}
			t.Logf("%+v", x)
			compareLiveness(t, test.sys, shards.Explore(t, test.sys), g)
		})
	}
}

// With a property that is not a liveness property there is nothing to check. An incomplete exploration checks
// nothing either.
func TestLiveness_Inconclusive(t *testing.T) {
	if x := breadth(t, bundled.System(t, "paxos", 5, sim.Limits{}), options.Options{}); !x.Complete || x.LivenessChecked || x.Dead != 0 {
		t.Errorf("got %+v, want a complete exploration without judgement of liveness", x)
	}
	sys := bundled.System(t, "twophase", 2, sim.Limits{sim.Crashes: 1}, "TP3")
	if x := breadth(t, sys, options.Options{MaxDepth: 4}); x.Complete || x.LivenessChecked || x.Dead != 0 {
		t.Errorf("got %+v, want an incomplete exploration without judgement of liveness", x)
	}
}

// choosing demands of Paxos that a value is chosen in the end.
func choosing(sys *sim.System) *sim.System {
	sys.Properties = slices.Clone(sys.Properties)
	for i := range sys.Properties {
		if p := &sys.Properties[i]; p.Sometimes != nil {
			p.Eventually, p.Sometimes = p.Sometimes, nil
		}
	}
	return sys
}

// While nothing is lost the proposer with the highest ballot can always have its way. States in which
// nothing is left to happen are live, so the search for dead ones has to settle them all.
func TestLiveness_Paxos(t *testing.T) {
	x := breadth(t, choosing(bundled.System(t, "paxos", 6, sim.Limits{})), options.Options{})
	if x.States != 98_160 || x.Transitions != 506_256 || !x.LivenessChecked || x.Dead != 0 || x.DeadPath != nil {
		t.Errorf("got %+v, want 98160 states, 506256 transitions, none dead", x)
	}
}

package table_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/sim"
)

// tester is what both testing.T and rapid.T are.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Logf(string, ...any)
}

func breadth(t tester, sys *sim.System, opts options.Options) *table.Exploration {
	t.Helper()
	x, err := table.Explore(context.Background(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// SPIN, rumur and Stateright agree on these counts for the same model.
func TestExplore_Paxos(t *testing.T) {
	x := breadth(t, paxos(2), options.Options{})
	if x.States != 98_160 || x.Transitions != 506_256 || !x.Complete || x.Finding != nil {
		t.Errorf("got %+v, want 98160 states, 506256 transitions, complete", x)
	}
	t.Logf("%+v", x)
}

// So does the bundled Paxos.
func TestExplore_BundledPaxos(t *testing.T) {
	sys := bundled.System(t, "paxos", 6, sim.Limits{})
	x := breadth(t, sys, options.Options{})
	if x.States != 98_160 || x.Transitions != 506_256 || !x.Complete || x.Finding != nil {
		t.Errorf("got %+v, want 98160 states, 506256 transitions, complete", x)
	}
}

// oracle explores with the replay engine, the dumbest way: every state is reached by its path from the
// start.
func oracle(t tester, sys *sim.System, depth int) (states, transitions, live int, found error) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		path  choose.Path
		steps int
	}
	seen := map[encoding.Fingerprint]bool{}
	var queue []node
	// run executes a path, and enumerates the answers of its last step.
	run := func(path choose.Path, e *choose.Enumerate) error {
		pos := 0
		src := choose.SourceFunc(func(p choose.Point) int {
			if pos < len(path) {
				pos++
				return int(path[pos-1])
			}
			return e.Choose(p)
		})
		if err := w.Start(src); err != nil {
			return err
		}
		for pos < len(path) {
			ev := w.Injections(slices.Clone(w.Enabled()))[path[pos]]
			pos++
			if err := w.Step(ev, src); err != nil {
				return err
			}
		}
		return nil
	}
	visit := func(prefix choose.Path, steps int) error {
		var e choose.Enumerate
		for e.Next() {
			if err := run(prefix, &e); err != nil {
				return err
			}
			if steps > 0 {
				transitions++
			}
			if f := w.Fingerprint(); !seen[f] {
				seen[f] = true
				if err := w.Check(); err != nil {
					return err
				}
				if w.Live() {
					live++
				}
				queue = append(queue, node{append(slices.Clone(prefix), e.Path()...), steps})
			}
		}
		return nil
	}
	if err := visit(nil, 0); err != nil {
		return len(seen), transitions, live, err
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if depth > 0 && n.steps >= depth {
			break
		}
		if err := run(n.path, nil); err != nil {
			t.Fatal(err)
		}
		for i := range w.Injections(slices.Clone(w.Enabled())) {
			if err := visit(append(slices.Clone(n.path), int32(i)), n.steps+1); err != nil {
				return len(seen), transitions, live, err
			}
		}
	}
	return len(seen), transitions, live, nil
}

func TestExplore_AgreesWithReplay(t *testing.T) {
	for _, test := range []struct {
		name  string
		sys   *sim.System
		depth int
	}{
		{"pingack", bundled.System(t, "pingack", 2, sim.Limits{sim.Loss: 1}), 9}, // has no end: pings pile up
		{"paxos with one proposer", paxos(1), 0},
		{"pingack with all faults", bundled.System(t, "pingack", 2, sim.Limits{sim.Loss: 1, sim.Dup: 1, sim.Crashes: 1, sim.Partitions: 1}), 5},
		{"randtree", bundled.System(t, "randtree", 2, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}), 5},
		{"many words", bundled.System(t, "randtree", 12, sim.Limits{}), 2}, // 78 connections
		{"randtree with partitions", bundled.System(t, "randtree", 3, sim.Limits{sim.Partitions: 1}), 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			states, transitions, live, found := oracle(t, test.sys, test.depth)
			x := breadth(t, test.sys, options.Options{MaxDepth: test.depth})
			t.Logf("%+v", x)
			if x.States != states || x.Transitions != transitions || x.Live != live || found != nil || x.Finding != nil {
				t.Errorf("%d states, %d transitions, %d live, %v; the replay engine: %d, %d, %d, %v",
					x.States, x.Transitions, x.Live, x.Finding, states, transitions, live, found)
			}
			if x.Complete != (test.depth == 0) {
				t.Errorf("complete: %v, stopped: %q", x.Complete, x.Stopped)
			}
		})
	}
}

func TestExplore_RandomSystems(t *testing.T) { exploreRandom(t, script.Draw, 2) }

func TestExplore_SmallRandomSystems(t *testing.T) { exploreRandom(t, script.DrawSmall, 5) }

func exploreRandom(t *testing.T, draw func(*rapid.T) *script.Config, depth int) {
	rapid.Check(t, func(t *rapid.T) {
		sys := draw(t).System()
		states, transitions, live, found := oracle(t, sys, depth)
		x := breadth(t, sys, options.Options{MaxDepth: depth})
		if found != nil || x.Finding != nil {
			var f *sim.Finding
			if errors.As(x.Finding, &f) {
				f.Stack = ""
			}
			if fmt.Sprint(found) != fmt.Sprint(x.Finding) {
				t.Fatalf("found %v; the replay engine: %v", x.Finding, found)
			}
			return
		}
		if x.States != states || x.Transitions != transitions || x.Live != live {
			t.Fatalf("%+v; the replay engine: %d, %d, %d", x, states, transitions, live)
		}
	})
}

// A counterexample is as short as possible, and the replay engine reaches the same finding by its path.
func TestExplore_Finds(t *testing.T) {
	forgetful := paxos(2)
	sound := forgetful.New
	forgetful.New = func(id sim.NodeID) sim.Service {
		if a, ok := sound(id).(*acceptor); ok {
			return &careless{*a}
		}
		return sound(id)
	}
	picky := &sim.System{Name: "picky", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{} }, Properties: []sim.Property{
		{Name: "no 5", Always: sim.Each(func(_ sim.NodeID, d *drawer) bool { return d.N != 5 })}}}
	for _, test := range []struct {
		name  string
		sys   *sim.System
		kind  sim.FindingKind
		steps int
	}{
		// Both start, two acceptors (one in common) take the reads and writes of each, and the learner receives all: 2
		// starts, 4 reads, 4 replies, 4 writes, 4 accepts.
		{"careless paxos", forgetful, sim.Safety, 18},
		// Drawn at boot: 0 or 1; then 2 more at each of two steps, the second being drawn first.
		{"a property", picky, sim.Safety, 2},
		{"a monitor", &sim.System{Name: "loud", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{loud: true} },
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &deaf{} }}}, sim.Safety, 2},
		{"a panic at boot", &sim.System{Name: "panics", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{N: 7} }}, sim.Panic, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := breadth(t, test.sys, options.Options{})
			if x.Finding == nil || x.Complete || x.Stopped != "finding" {
				t.Fatalf("got %+v, want a finding", x)
			}
			w, err := kernel.NewWorld(test.sys, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			pos, steps := 0, 0
			src := choose.SourceFunc(func(choose.Point) int { pos++; return int(x.Path[pos-1]) })
			err = w.Start(src)
			for err == nil && pos < len(x.Path) {
				ev := w.Injections(slices.Clone(w.Enabled()))[x.Path[pos]]
				pos++
				steps++
				err = w.Step(ev, src)
			}
			if err == nil {
				err = w.Check()
			}
			if steps != test.steps || pos != len(x.Path) {
				t.Errorf("%d steps, want %d: %v", steps, test.steps, x.Path)
			}
			var a, b *sim.Finding
			if !errors.As(err, &a) || !errors.As(x.Finding, &b) || a.Kind != test.kind || a.Error() != b.Error() {
				t.Errorf("replayed to %v, explored to %v", err, x.Finding)
			}
		})
	}
}

// careless is an acceptor that accepts below its promise.
type careless struct{ acceptor }

func (c *careless) Receive(env sim.Env, from sim.NodeID, msg any) {
	if m, ok := msg.(readMsg); ok {
		env.Send(from, readOK{Ballot: m.Ballot})
		return
	}
	c.Promised = 0
	c.acceptor.Receive(env, from, msg)
}

// drawer draws when it boots and when its timer fires.
type drawer struct {
	sim.Nop
	N    int
	loud bool
}

func (d *drawer) Boot(env sim.Env) {
	if d.N == 7 {
		panic("seven")
	}
	d.N += env.Choose("first", 2)
	env.SetTimer("more", 1)
}

func (d *drawer) Timer(env sim.Env, t any) {
	d.N += 2 * env.Choose("more", 2)
	if d.loud {
		env.Announce(d.N)
	}
	if d.N < 6 {
		env.SetTimer(t, 1)
	}
}

// deaf rejects announcements from 4 on.
type deaf struct{ Heard int }

func (d *deaf) Observe(_ sim.NodeID, event any) error {
	if d.Heard = event.(int); d.Heard >= 4 {
		return errors.New("too loud")
	}
	return nil
}

// State that is not encoded does not show in the tables, but it does when a run is executed.
func TestExplore_ReportsNondeterminism(t *testing.T) {
	sys := &sim.System{Name: "hidden", Nodes: 3, New: func(sim.NodeID) sim.Service { return &tally{} }}
	x := breadth(t, sys, options.Options{})
	var f *sim.Finding
	if !errors.As(x.Finding, &f) || f.Kind != sim.Nondeterminism ||
		!strings.Contains(f.Message,
			"*table_test.tally: two states have the same encoding but behave differently: reached another state when the run was executed without tables; N is ") ||
		!strings.Contains(f.Message, "; secret is ") || len(x.Path) == 0 {
		t.Errorf("got %+v, want a collision of encodings that names secret, with a path", x)
	}
	t.Log(x.Finding)
}

// tally counts to 3, and lets show only every other count.
type tally struct {
	sim.Nop
	N, Fired int
	secret   int `macemc:"-"`
}

func (h *tally) Boot(env sim.Env) { env.SetTimer("go", 1) }

func (h *tally) Timer(env sim.Env, t any) {
	if h.Fired++; h.Fired < 3 {
		env.SetTimer(t, 1)
	}
	if env.Choose("again", 2) == 1 {
		h.secret++
	}
	if h.secret == 3 {
		h.N = 9
	}
}

func TestExplore_Stops(t *testing.T) {
	x := breadth(t, paxos(2), options.Options{MaxStates: 1000})
	if x.Stopped != "states" || x.Complete || x.States < 1000 || x.States > 1200 {
		t.Errorf("got %+v, want a stop at 1000 to 1200 states", x)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, err := table.Explore(ctx, paxos(2), options.Options{})
	if err != nil || x.Stopped != "interrupted" || x.Complete {
		t.Errorf("%+v, %v", x, err)
	}
}

// The same exploration has the same result in every respect.
func TestExplore_Deterministic(t *testing.T) {
	sys := bundled.System(t, "twophase", 4, sim.Limits{sim.Crashes: 1}, "TP3")
	for _, visited := range quickSets(0) {
		x := breadth(t, sys, options.Options{Visited: visited})
		y := breadth(t, sys, options.Options{Visited: visited})
		if !x.Complete || x.Dead == 0 || !reflect.DeepEqual(x, y) {
			t.Errorf("%+v\n%+v", x, y)
		}
	}
}

func TestExplore_WithinMemory(t *testing.T) {
	for _, visited := range quickSets(1) {
		all := breadth(t, paxos(2), options.Options{Visited: visited})
		if !all.Complete || all.Expanded != all.States {
			t.Fatalf("got %+v, want a complete exploration", all)
		}
		x := breadth(t, paxos(2), options.Options{Visited: visited, MaxBytes: (all.Bytes + all.Frontier) / 2})
		if x.Stopped != "memory" || x.Complete || x.Bytes > (all.Bytes+all.Frontier)/2 || x.States < 1000 || x.Expanded >= x.States {
			t.Errorf("visited %s: %+v", visited.Name, x)
		}
		// The states that were expanded are the first ones of a shorter exploration, too.
		y := breadth(t, paxos(2), options.Options{Visited: visited, MaxDepth: x.Depth})
		if y.Expanded > x.Expanded || y.States > x.States {
			t.Errorf("not all states that are less than %d steps away were expanded: %+v", x.Depth, x)
		}
	}
}

func TestExplore_RefusesBadOptions(t *testing.T) {
	for _, opts := range []options.Options{{MaxDepth: -1}, {MaxStates: -1}, {MaxBytes: -1}} {
		if _, err := table.Explore(context.Background(), paxos(1), opts); err == nil {
			t.Errorf("%+v: no error", opts)
		}
	}
}

// Package systest helps to test the bundled systems: it builds them, searches them, runs them at random, and puts
// them into states.
package systest

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/spec"
)

// Build builds a system within limits. It keeps only the named properties, besides those without a name; or all if
// none is named.
func Build(t testing.TB, e spec.Entry, c spec.Config, l sim.Limits, properties ...string) sim.System {
	t.Helper()
	sys, err := e.New(c)
	if err == nil {
		sys, err = sys.WithLimits(l)
	}
	properties = slices.DeleteFunc(slices.Clone(properties), func(name string) bool { return name == "" })
	if err == nil && len(properties) > 0 {
		sys, err = sys.Only(properties...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// patient is a time limit for handlers that a busy machine does not exceed by itself.
const patient = time.Minute

// Search searches with one worker, so that all runs take the same paths. It confirms suspects with that many walks
// from each probed state.
func Search(t testing.TB, cfg search.Config, walks int) *search.Result {
	t.Helper()
	cfg.Workers, cfg.HandlerLimit = 1, patient
	cfg.Confirm = critical.Confirm(critical.Config{
		System: cfg.System, Workers: 1, Walks: walks, WalkSteps: cfg.WalkSteps, Weights: cfg.Weights, HandlerLimit: patient,
	})
	res, err := search.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Weights replaces zeros by default weights.
func Weights(w spec.Weights) search.Weights {
	d := search.DefaultWeights()
	return search.Weights{
		Action: cmp.Or(w.Action, d.Action), Message: cmp.Or(w.Message, d.Message), Timer: cmp.Or(w.Timer, d.Timer),
		Consequence: cmp.Or(w.Consequence, d.Consequence), Fault: cmp.Or(w.Fault, d.Fault),
	}
}

// Loop returns a loop over a world of sys.
func Loop(t testing.TB, sys sim.System) *runloop.Loop {
	t.Helper()
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return runloop.New(w)
}

// LongPath returns the path of a run of more than 300 choices.
func LongPath(t testing.TB, l *runloop.Loop) choose.Path {
	t.Helper()
	w := runs.NewWalker(search.DefaultWeights().Scale(), 2000)
	w.SetLeaveLive(true)
	var path choose.Path
	for k := uint64(1); len(path) <= 300; k++ {
		w.Seed(1, k)
		w.SetLimit(100)
		if o := l.Run(w, runloop.Task{Path: path}); o.End != runloop.TooLong && o.End != runloop.AtGoal {
			t.Fatalf("a walk ended with %v", o.End)
		}
		path = l.Replay().Path.Clone()
	}
	return path
}

// BenchmarkWalks measures random walks of sys to their first live state, with events/s. They have at most that many steps.
func BenchmarkWalks(b *testing.B, sys sim.System, steps int) {
	loop, walker, events := Loop(b, sys), runs.NewWalker(search.DefaultWeights().Scale(), steps), 0
	b.ReportAllocs()
	for i := range b.N {
		walker.Seed(1, uint64(i))
		o := loop.Run(walker, runloop.Task{})
		if !o.Live {
			b.Fatalf("walk %d ended %v, not live", i, o.End)
		}
		events += o.Steps
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(events)/float64(b.N), "events/walk")
}

// World returns a world of sys with nodes in given states: set changes each node after its boot, as its only
// action, and those in down crash then.
func World[S sim.Service](t testing.TB, sys sim.System, set func(S, sim.Env), down nodeset.Set) kernel.World {
	t.Helper()
	sys.Crashes, sys.Actions = down.Len(), []sim.AnyAction{sim.Action[S]{Name: "set", Times: 1, Do: set}}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	if err := run.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	step := func(kind eventkind.Kind, id sim.NodeID) {
		t.Helper()
		events := append(slices.Clone(w.Enabled()), w.Injections(nil)...)
		i := slices.IndexFunc(events, func(ev netmodel.Event) bool { return ev.Kind == kind && ev.Node == id })
		if err := run.Step(i, choose.First); err != nil {
			t.Fatal(err)
		}
	}
	for id := range sim.NodeID(sys.Nodes) {
		step(eventkind.DoAction, id)
	}
	for id := range down.All() {
		step(eventkind.Crash, id)
	}
	return w
}

// Broken returns the names of the properties that do not hold in a world, in order, and checks that each explains
// itself in one line per node.
func Broken(t testing.TB, w kernel.World) []string {
	t.Helper()
	var broken []string
	for i := range w.System().Properties {
		p := &w.System().Properties[i]
		if w.Holds(p) {
			continue
		}
		broken = append(broken, p.Name)
		if text := w.Explain(p); strings.Count(text, "\n") != w.System().Nodes-1 {
			t.Errorf("%s is explained as %q", p.Name, text)
		}
	}
	return broken
}

// RandomPath returns a random run of at most that many steps, with all events, faults included, equally likely. It
// ends with the first finding.
func RandomPath(t testing.TB, sys *sim.System, seed uint64, steps int) choose.Path {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	random := rand.New(rand.NewPCG(seed, 1))
	src := choose.SourceFunc(func(p choose.Point) int { return random.IntN(p.Arity) })
	if err := r.Start(src); err != nil {
		t.Fatal(err)
	}
	for r.Steps() < steps {
		n := len(w.Enabled()) + len(w.Injections(nil))
		if n == 0 || r.Step(random.IntN(n), src) != nil {
			break
		}
	}
	return r.Path
}

// Clean visits all states of a system without findings, dead or starved runs included, and compares their number
// with states; 0 means any.
func Clean(t testing.TB, sys sim.System, states int) *table.Exploration {
	t.Helper()
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil || x.Finding != nil || !x.Complete || x.Dead > 0 {
		t.Fatalf("%s: %v, %+v", sys.Name, err, x)
	}
	if f := x.Fairness; f != nil && (!f.Judged || f.Starvation != nil) {
		t.Fatalf("%s: %+v, %+v", sys.Name, f, f.Starvation)
	}
	t.Logf("%s: %d states", sys.Name, x.States)
	if states > 0 && x.States != states {
		t.Errorf("%s: %d states, want %d", sys.Name, x.States, states)
	}
	return x
}

// Violated visits the states of a system until one violates a property, which must be the named one.
func Violated(t testing.TB, sys sim.System, property string) {
	t.Helper()
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := (*sim.Finding)(nil); !errors.As(x.Finding, &f) || f.Property != property {
		t.Errorf("%s: got finding %v in %d states, want a violation of %q", sys.Name, x.Finding, x.States, property)
	}
}

// Follow executes the events with these keys.
func Follow(t testing.TB, sys *sim.System, keys ...string) choose.Path {
	t.Helper()
	f := &pathfile.File{Header: pathfile.Header{System: sys.Name, Nodes: sys.Nodes}}
	for _, k := range keys {
		f.Steps = append(f.Steps, pathfile.Step{Key: k})
	}
	r, err := replay.ReadFile(sys, f)
	if err != nil {
		t.Fatal(err)
	}
	return r.Path
}

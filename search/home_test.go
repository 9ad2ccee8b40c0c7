package search_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// tree is RandTree with three nodes.
func tree(t *testing.T) sim.System {
	t.Helper()
	e := randtree.Entry()
	c, err := e.Configure(spec.Config{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// Runs that start from a kept state are those that execute the way to it: same paths, same states, same
// counts; and they take fewer events.
func TestRunsFromAKeptState(t *testing.T) {
	sys := tree(t)
	const length = 40
	walk := func(l *search.Loop, stream uint64, task choose.Path, steps int) search.Outcome {
		w := search.NewWalker(search.Weights{Action: 4, Message: 8, Timer: 1, Consequence: 8}, steps)
		w.SetLeave(true)
		w.Seed(7, stream)
		return l.Run(w, search.Task{Path: task})
	}
	plain, kept := newLoop(t, sys), newLoop(t, sys)
	if o := walk(plain, 0, nil, length); o.Steps < 10 {
		t.Fatalf("the prefix has %d steps", o.Steps)
	}
	bounds := plain.Replay().Bounds
	prefix, longer := plain.Replay().Path[:bounds[8]].Clone(), plain.Replay().Path[:bounds[9]].Clone()
	within := plain.Replay().Path[:bounds[8]+1].Clone() // questions of the step are open, if it has any
	other := append(prefix[:1:1], prefix[1:]...)
	other[0] = 1 - min(other[0], 1)
	kept.Keep(prefix)
	compare := func(what string, stream uint64, task choose.Path) {
		t.Helper()
		a, b := walk(plain, stream, task, length), walk(kept, stream, task, length)
		if a.End != b.End || a.Steps != b.Steps || a.Choices != b.Choices || a.Live != b.Live || a.Used != b.Used {
			t.Errorf("%s, walk %d: %+v, from the kept state %+v", what, stream, a, b)
		}
		x, y := plain.Replay(), kept.Replay()
		if !slices.Equal(x.Path, y.Path) || !slices.Equal(x.Bounds, y.Bounds) || x.World.Fingerprint() != y.World.Fingerprint() {
			t.Errorf("%s, walk %d: paths or states differ\n%v\n%v", what, stream, x.Path, y.Path)
		}
	}
	for stream := range uint64(50) {
		compare("from the state", stream, prefix)
		compare("beyond the state", stream, within)
		compare("another way", stream, other[:1])
	}
	kept.Keep(longer)
	for stream := range uint64(5) {
		compare("from a later state", stream, longer)
		compare("from before it", stream, prefix)
	}
	kept.Keep(nil)
	compare("from the start", 0, prefix)
}

// A search from a prefix does not execute it again and again.
func TestSearchFromAPrefixExecutesItOnce(t *testing.T) {
	sys := tree(t)
	l := newLoop(t, sys)
	w := search.NewWalker(search.DefaultWeights(), 1000)
	w.Seed(1, 1)
	w.SetLeave(true)
	l.Run(w, search.Task{})
	prefix := l.Replay().Path.Clone()
	var events []int
	for _, workers := range []int{1, 3} {
		r := run(t, search.Config{System: sys, Prefix: prefix, Strategy: search.Walk, MaxPaths: 200, WalkSteps: 50, Workers: workers})
		events = append(events, r.Stats.Events)
	}
	// The prefix ends in a live state, which walks without faults do not leave: all have their full length.
	if events[0] != 200*50 || events[1] != 200*50 {
		t.Errorf("%v events with 1 and 3 workers in 200 walks of 50 steps after %d choices", events, len(prefix))
	}
}

package search_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
)

// long returns the path of a run of more than 300 choices.
func long(t *testing.T, l *runloop.Loop) choose.Path {
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

// Runs that start from a checkpoint equal those that execute the path to it: same paths, same states, same counts. They
// take fewer events.
func TestRunsFromAKeptState(t *testing.T) {
	sys := bundled(t, "randtree", spec.Config{Nodes: 3})
	const length = 40
	walk := func(l *runloop.Loop, stream uint64, task choose.Path, steps int) runloop.Outcome {
		w := runs.NewWalker(search.Weights{Action: 4, Message: 8, Timer: 1, Consequence: 8}.Scale(), steps)
		w.SetLeaveLive(true)
		w.Seed(7, stream)
		return l.Run(w, runloop.Task{Path: task})
	}
	plain, kept := newLoop(t, sys), newLoop(t, sys)
	way := long(t, plain)
	plain.Run(runs.NewWalker(search.DefaultWeights().Scale(), 0), runloop.Task{Path: way})
	bounds := plain.Replay().Bounds
	n := len(bounds) - 2
	prefix, longer := way[:bounds[n]], way[:bounds[n+1]]
	within := way[:bounds[n]+1] // in the middle of the step's questions, if it has any
	other := way[:bounds[n-50]]
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
		compare("from before it", stream, other)
	}
	kept.Keep(longer)
	for stream := range uint64(5) {
		compare("from a later state", stream, longer)
		compare("from before it", stream, prefix)
	}
}

// A search from a prefix executes the prefix only once.
func TestSearchFromAPrefixExecutesItOnce(t *testing.T) {
	sys := bundled(t, "randtree", spec.Config{Nodes: 3})
	prefix := long(t, newLoop(t, sys))
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

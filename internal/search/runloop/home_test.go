package runloop_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// Runs that start from a checkpoint equal those that execute the path to it: same paths, same states, same counts. They
// take fewer events.
func TestKeep_ChangesNoRun(t *testing.T) {
	entry := randtree.Entry()
	sys, err := entry.New(spec.Config{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	const length = 40
	walk := func(l *runloop.Loop, stream uint64, task choose.Path, steps int) runloop.Outcome {
		w := runs.NewWalker(search.Weights{Action: 4, Message: 8, Timer: 1, Consequence: 8}.Scale(), steps)
		w.SetLeaveLive(true)
		w.Seed(7, stream)
		return l.Run(w, runloop.Task{Path: task})
	}
	plain, kept := systest.Loop(t, sys), systest.Loop(t, sys)
	way := systest.LongPath(t, plain)
	plain.Run(runs.NewWalker(search.DefaultWeights().Scale(), 0), runloop.Task{Path: way})
	bounds := plain.Replay().Bounds
	n := len(bounds) - 2
	prefix, longer := way[:bounds[n]], way[:bounds[n+1]]
	within := way[:bounds[n]+1] // in the middle of the step's questions, if it has any
	other := way[:bounds[n-50]]
	kept.Keep(prefix)
	before := plain.Events
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
	if executed := plain.Events - before; 2*kept.Events > executed {
		t.Errorf("%d events from kept states, want less than half of %d from the initial state", kept.Events, executed)
	}
}

package machine_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// visit executes a path of a census: indices of events, and answers.
func visit(t testing.TB, w kernel.World, path choose.Path) {
	t.Helper()
	at := 0
	src := choose.SourceFunc(func(choose.Point) int { at++; return int(path[at-1]) })
	err := w.Start(src)
	for err == nil && at < len(path) {
		events := w.Injections(append([]netmodel.Event(nil), w.Enabled()...))
		at++
		err = w.Step(events[path[at-1]], src)
	}
	if err != nil {
		t.Fatal(err)
	}
}

package knowncounts

import (
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// useful counts the states of a system without choices when a message that would change nothing is not delivered but waits.
func useful(t *testing.T, sys *sim.System) int {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	none := choose.SourceFunc(func(p choose.Point) int { t.Fatalf("a question: %+v", p); return 0 })
	run := replay.NewRun(w)
	again := func(path choose.Path) {
		if err := run.Start(none); err != nil {
			t.Fatal(err)
		}
		for _, index := range path {
			if err := run.Step(int(index), none); err != nil {
				t.Fatal(err)
			}
		}
	}
	again(nil)
	known := map[encoding.Fingerprint]bool{w.Fingerprint(): true}
	for waiting := []choose.Path{nil}; len(waiting) > 0; waiting = waiting[1:] {
		path := waiting[0]
		again(path)
		for index := range slices.Clone(w.Enabled()) {
			again(path)
			node := w.Enabled()[index].Node
			before := fmt.Sprintf("%+v", w.Service(node))
			if err := run.Step(index, none); err != nil {
				t.Fatal(err)
			}
			if len(w.Last().Effects) == 0 && fmt.Sprintf("%+v", w.Service(node)) == before || known[w.Fingerprint()] {
				continue
			}
			known[w.Fingerprint()] = true
			waiting = append(waiting, run.Path.Clone())
		}
	}
	return len(known)
}

// Stateright's own counts: our models are the same except for messages without effect.
func TestCountsWithoutUselessDeliveries(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		System
		states int
	}{{singleCopyRegister(), 93}, {linearizableRegister(), 544}, {paxos(), 16_668}} {
		if got := useful(t, &c.System.System); got != c.states {
			t.Errorf("%s: %d states, want %d", c.Name, got, c.states)
		}
	}
}

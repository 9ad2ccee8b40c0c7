package table

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// Dropping the tables does not change what happens; and it does not happen once states were saved.
func TestForget(t *testing.T) {
	entry, err := systems.Find("randtree")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := entry.New(spec.Config{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	runs := func(most int, save bool) (prints []sim.Fingerprint, s Stats) {
		made, err := NewWorld(&sys, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := made.(*World)
		w.most = most
		for k := range uint64(20) {
			src := choose.NewRandom(1, k)
			if err := w.Start(src); err != nil {
				t.Fatal(err)
			}
			if save {
				w.Save(nil)
			}
			for range 50 {
				events := w.Enabled()
				if err := w.Step(events[src.IntN(len(events))], src); err != nil {
					t.Fatal(err)
				}
				if err := w.Check(); err != nil {
					t.Fatal(err)
				}
				prints = append(prints, w.Fingerprint())
			}
		}
		return prints, w.Stats()
	}
	want, all := runs(1<<20, false)
	got, few := runs(50, false)
	_, saved := runs(50, true)
	if all.Dropped != 0 || few.Dropped < 10 || saved.Dropped != 0 || few.Steps != all.Steps || few.Misses <= all.Misses {
		t.Errorf("%+v, %+v, %+v", all, few, saved)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("step %d: %v, want %v", i, got[i], want[i])
		}
	}
}

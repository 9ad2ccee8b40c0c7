package steptree_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// After a crash inside a step the disk has what was synced, and the first writes of the others. Before it, the datagrams
// before the cut were sent, but for lost ones.
func TestCuts_AgreeWithDisk(t *testing.T) {
	cuts := 0
	rapid.Check(t, func(t *rapid.T) {
		keys := []string{"a", "b", "c"}
		ops := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "-a", "sync", "send"}), 0, 8).Draw(t, "operations")
		sys := sim.System{Name: "writer", Network: netsim.Datagrams{}, Crashes: 1, CrashCut: sim.CrashCut(rapid.IntRange(0, 2).Draw(t, "cut"))}
		w, local := newWalker(t, sys, func(_ *actor, env sim.Env) {
			for i, op := range ops {
				switch {
				case op == "sync":
					env.Disk().Sync()
				case op == "send":
					env.Send(1, i)
				case op[0] == '-':
					env.Disk().Delete(op[1:])
				default:
					env.Disk().Put(op, nil)
				}
			}
		})
		leaf := w.step(local, eventkind.DoAction, choose.First)
		for _, way := range w.CutsOf(w.at(leaf), stepinfo.EffectKind.SurvivesCrash) {
			cuts++
			synced, pending, sent := map[string]bool{}, []string(nil), []int(nil)
			number := 0 // of datagrams
			for i, op := range ops[:way.At] {
				switch {
				case op == "sync":
					write(synced, pending)
					pending = nil
				case op == "send":
					if way.Lost>>number&1 == 0 {
						sent = append(sent, i)
					}
					number++
				default:
					pending = append(pending, op)
				}
			}
			if got := w.sent(w.at(leaf).OpsLeft(way)); !slices.Equal(got, sent) {
				t.Fatalf("%v cut at %+v: sent %v, want %v", ops, way, got, sent)
			}
			c := w.at(leaf).CutOf(way)
			if n := w.CrashedInside(0, leaf, c).Outcomes; n != len(pending)+1 {
				t.Fatalf("%v cut at %+v: %d outcomes, want %d", ops, way, n, len(pending)+1)
			}
			for kept := range len(pending) + 1 {
				disk := maps.Clone(synced)
				write(disk, pending[:kept])
				want := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !disk[key] })
				if got := w.after(leaf, c, kept).Had; !slices.Equal(got, want) {
					t.Fatalf("%v cut at %+v, %d writes survive: the disk has %v, want %v", ops, way, kept, got, want)
				}
			}
		}
	})
	if cuts == 0 {
		t.Error("no step was cut")
	}
}

// write applies writes to a disk.
func write(disk map[string]bool, writes []string) {
	for _, op := range writes {
		if op[0] == '-' {
			delete(disk, op[1:])
		} else {
			disk[op] = true
		}
	}
}

// after returns the service after a crash inside a step and the next boot.
func (w *walker) after(leaf uint32, c steptree.Cut, kept int) *actor {
	w.t.Helper()
	down, err := w.Survived(0, leaf, c, kept)
	if err != nil {
		w.t.Fatal(err)
	}
	if again, err := w.Survived(0, leaf, c, kept); err != nil || again != down {
		w.t.Fatalf("looked up, the crash leads to state %d, %v, want %d", again, err, down)
	}
	return w.actor(w.at(w.step(down, eventkind.Boot, choose.First)).Next)
}

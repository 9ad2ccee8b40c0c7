package bubble

import (
	"maps"
	"slices"
	"testing"

	"github.com/macemc/macemc/bubble/internal/filetree"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Every fault that strikes programs has an effect, and no other.
func TestMachineFaults_AreComplete(t *testing.T) {
	for f := range sim.FaultCount {
		if strikes := machineFaults[f].strike != nil; strikes != f.Event().OfProgram() {
			t.Errorf("%v: in machineFaults: %v; strikes programs: %v", f, strikes, f.Event().OfProgram())
		}
	}
}

// All choices of what a crash leaves of files are known as such, and those of other writes are not.
func TestRestores(t *testing.T) {
	create := func(ino int, name string) filetree.Change {
		return filetree.Change{Op: filetree.CreateFile, Ino: ino, Dir: filetree.Root, Name: name}
	}
	write := func(at, size int) filetree.Change {
		return filetree.Change{Op: filetree.WriteData, Ino: 2, At: at, Data: make([]byte, size)}
	}
	changes := []filetree.Change{create(2, "a"), write(0, 9), {Op: filetree.FailedSync, Ino: 2}, write(1<<20, 9), write(2<<20, 4096),
		create(3, "b"), {Op: filetree.WritePage, Ino: 3, Data: make([]byte, 9)}}
	labels := map[string]bool{}
	for _, rules := range []filetree.Rules{{}, {Journal: true}} {
		for pick := range 4 {
			var disk []filetree.Record
			for i := range changes {
				disk = append(disk, filetree.Record{Key: filetree.Key(i+1, "change"), Value: changes[i].Append(nil)})
			}
			if _, err := filetree.Restore(disk, "/data", rules, func(label string, n int) int { labels[label] = true; return min(pick, n-1) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for label := range labels {
		if !simext.Restores(label) {
			t.Errorf("%q is not a choice of what a crash leaves", label)
		}
	}
	if len(labels) < 6 || simext.Restores("unsynced writes of n0 that survive") || simext.Restores("writes to answer") {
		t.Errorf("choices %v", slices.Sorted(maps.Keys(labels)))
	}
}

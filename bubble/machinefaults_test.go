package bubble

import (
	"testing"

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

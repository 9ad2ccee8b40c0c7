package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// programFaults are the faults that strike programs, in the order in which they are offered.
var programFaults = func() (faults []sim.Fault) {
	for f := range sim.FaultCount {
		if f.Event().OfProgram() {
			faults = append(faults, f)
		}
	}
	return faults
}()

// appendProgramFaults lists the faults that can strike the programs of nodes.
func (w *Machine) appendProgramFaults(buf []sim.Event) []sim.Event {
	for _, f := range programFaults {
		if w.Left[f] == 0 {
			continue
		}
		for i := range w.Members {
			if s, ok := w.Members[i].Service.(simext.Struck); ok && s.CanStrike(f) {
				buf = append(buf, sim.Event{Kind: f.Event(), Node: sim.NodeID(i), Peer: -1})
			}
		}
	}
	return buf
}

// programBudgets hashes the remaining faults of programs. It is zero if there are none, as in a system without these faults.
func (w *Machine) programBudgets() (sum sim.Fingerprint) {
	for i, f := range programFaults {
		if left := w.Left[f]; left > 0 {
			w.scratch = appendCount(w.scratch[:0], left)
			sum = sum.Add(encoding.Hash(seed(Budgets, len(crashFaults)+2+i), w.scratch))
		}
	}
	return sum
}

// tryPrograms returns an error if a fault of programs is limited in a system without programs.
func (w *Machine) tryPrograms() error {
	limits := declared.NodeLimits(w.Sys)
	for _, f := range programFaults {
		if limits[f] > 0 && !w.programs {
			return fmt.Errorf("system %q: no node is a program of package bubble, so it has no %s", w.Sys.Name, f.Singular())
		}
	}
	return nil
}

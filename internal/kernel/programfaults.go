package kernel

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// appendProgramFaults lists the faults that can strike the programs of nodes.
func (w *Machine) appendProgramFaults(buf []netmodel.Event) []netmodel.Event {
	for _, f := range declared.ProgramFaults {
		if w.FaultsLeft[f] == 0 {
			continue
		}
		for i := range w.Members {
			if s, ok := w.Members[i].Service.(simext.Struck); ok && s.CanStrike(f) {
				buf = append(buf, netmodel.Event{Kind: f.Event(), Node: sim.NodeID(i), Peer: -1})
			}
		}
	}
	return buf
}

// programBudgets hashes the remaining faults of programs. It is zero if there are none, as in a system without these faults.
func (w *Machine) programBudgets() (sum encoding.Fingerprint) {
	for i, f := range declared.ProgramFaults {
		if left := w.FaultsLeft[f]; left > 0 {
			w.scratch = appendCount(w.scratch[:0], left)
			sum = sum.Add(encoding.Hash(seed(Budgets, len(crashFaults)+2+i), w.scratch))
		}
	}
	return sum
}

package kernel

import (
	"cmp"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// MostCut is the maximum number of datagrams that a node may send in a step under [sim.CutSubset] if it may crash or halt.
// Every subset of them may be lost.
const MostCut = 16

// askCrashInside chooses whether a fault strikes the node inside the step, and records where the step is cut.
func (w *Machine) askCrashInside(id sim.NodeID) {
	for i := range crashFaults {
		how := &crashFaults[i]
		if w.FaultsLeft[how.fault] > 0 && w.strikes(how.fault, id) && w.asksCrashInside(how.inside, how.matters) {
			w.last.Crashed, w.last.Halted = true, how.fault == sim.Halts
			return
		}
	}
}

// asksCrashInside asks whether and where the node crashes inside the step, in the mode of [sim.System].CrashCut: nowhere, before an effect,
// or with some of the datagrams before it lost.
func (w *Machine) asksCrashInside(kind choose.Kind, matters func(stepinfo.EffectKind) bool) bool {
	w.cuts = stepinfo.AppendCuts(w.cuts[:0], w.Sys.CrashCut, w.last.Effects, matters)
	if len(w.cuts) == 0 {
		return false
	}
	pick := w.ask(choose.Point{Kind: kind, Arity: len(w.cuts) + 1, Label: kind.Label()})
	if pick > 0 {
		w.last.Applied, w.last.Lost = w.cuts[pick-1].At, w.cuts[pick-1].Lost
	}
	return pick > 0
}

// CrashInside applies the effects before cut and then crashes or halts the node.
func (w *Machine) CrashInside(n *Node, cut int) error {
	for _, f := range w.last.Effects[cut:] {
		if f.Kind == stepinfo.WriteEffect {
			n.Disk.Pending = n.Disk.Pending[:f.Disk]
			break
		}
	}
	err, f := w.Apply(n, 0, cut), sim.Crashes
	if w.last.Halted {
		f = sim.Halts
	}
	return cmp.Or(err, w.fail(n, f))
}

// sendable rejects a datagram if the step has sent so many that the subsets that a crash can lose are too many.
func (w *Machine) sendable(id sim.NodeID) {
	if w.Sys.CrashCut != sim.CutSubset {
		return
	}
	fails := false
	for i := range crashFaults {
		f := crashFaults[i].fault
		fails = fails || w.limits[f] > 0 && (w.May[f] == nil || w.May[f][id])
	}
	if !fails {
		return
	}
	sent := 0
	for _, f := range w.last.Effects[w.FirstEffect:] {
		if f.Kind == stepinfo.SendEffect {
			sent++
		}
	}
	if sent == MostCut {
		w.end(misuse(fmt.Sprintf("Send: a node that may crash sends more than %d datagrams in a step, "+
			"which with the crash cut subset may be lost in too many ways: take prefix or none, or limit crashes and halts to other nodes",
			MostCut)))
	}
}

// evaluateMay stores in known, by node, the results of may, unless they are there. may is the system's function called name.
func (w *Machine) evaluateMay(name string, may func(sim.NodeID) bool, known *[]bool) (err error) {
	if *known != nil {
		return nil
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Finding:
			r.Node, err = -1, r
		default:
			err = contain.Panicked(name, r)
		}
	}()
	*known = asking(w, func() Asked { return Asked{Name: name} }, func() []bool {
		all := make([]bool, len(w.Members))
		for i := range all {
			all[i] = may(sim.NodeID(i))
		}
		return all
	})
	return nil
}

// Crash takes down a node and the other nodes of its process. The error is a finding if a service could not be closed.
func (w *Machine) Crash(n *Node) error {
	err := w.crashAlone(n, stepinfo.SurvivorsLabel)
	for _, id := range w.groupOf(n.ID) {
		if m := &w.Members[id]; m.Up {
			w.last.With = append(w.last.With, id)
			err = cmp.Or(err, w.crashAlone(m, stepinfo.SurvivorsLabelOf(id)))
		}
	}
	return err
}

// crashAlone takes down a node. The number of its unsynced writes that survive is a choice.
func (w *Machine) crashAlone(n *Node, survivors string) error {
	err := w.TakeDown(n)
	if p := len(n.Disk.Pending); p > 0 {
		kept := w.ask(choose.Point{Kind: choose.Outcome, Arity: p + 1, Label: survivors})
		n.Disk.Flush(kept)
		n.Disk.Pending = n.Disk.Pending[:0]
	}
	n.Clock.Crash()
	w.Net.Crashed(n.ID)
	w.Touch(n)
	w.dirtyNetwork()
	return err
}

// halt takes down a node permanently, and the other nodes of its process, whether up or not. The error is as for Crash.
func (w *Machine) halt(n *Node) error {
	err := w.haltAlone(n)
	for _, id := range w.groupOf(n.ID) {
		w.last.With = append(w.last.With, id)
		err = cmp.Or(err, w.haltAlone(&w.Members[id]))
	}
	return err
}

// haltAlone takes down a node permanently. All halted nodes have the same state, because nothing can read it again.
func (w *Machine) haltAlone(n *Node) error {
	err := w.TakeDown(n)
	n.halted, n.never = true, 0
	clear(n.Counts)
	n.Disk.Reset()
	n.Clock.Reset(int(n.ID))
	w.Net.Halted(n.ID)
	w.Touch(n)
	w.dirtyNetwork()
	return err
}

// groupOf returns the nodes that crash with a node.
func (w *Machine) groupOf(id sim.NodeID) []sim.NodeID {
	if w.Groups == nil {
		return nil
	}
	return w.Groups[id]
}

// leads reports whether a node represents its process in the list of crashes: it is the first that is up.
func (w *Machine) leads(id sim.NodeID) bool {
	for _, mate := range w.groupOf(id) {
		if mate < id && w.Members[mate].Up {
			return false
		}
	}
	return true
}

// TakeDown removes the service of a node and its timers.
func (w *Machine) TakeDown(n *Node) (err error) {
	if found := w.Discard(n); found != nil {
		err = found
	}
	n.Up, n.Service, n.onError, n.onReady, n.Stepper = false, nil, nil, nil, nil
	w.Properties.Shown.Services[n.ID] = nil
	n.Armed = n.Armed[:0]
	return err
}

package world

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// crash takes down a node and the other nodes of its process. Choices select how many of their unsynced writes
// survive. The node's own state is crashed by the kernel, see store.Tables.Crashed; the rules of the rest are those of crash.go in
// internal/kernel.
func (w *World) crash(node sim.NodeID, src choose.Source) error {
	if err := w.crashAlone(node, stepinfo.SurvivorsLabel, src); err != nil {
		return err
	}
	return w.crashGroup(node, src)
}

// crashGroup takes down the other nodes of the process of a crashed node.
func (w *World) crashGroup(node sim.NodeID, src choose.Source) error {
	for _, mate := range w.Failures.GroupOf(node) {
		if w.UpNodes>>mate&1 == 0 {
			continue
		}
		w.failsWith(mate)
		if w.Locals.List[w.Vector[mate]].State.Unsynced() > 0 {
			w.AskedOfGroup++
		}
		if err := w.crashAlone(mate, stepinfo.SurvivorsLabelOf(mate), src); err != nil {
			return err
		}
	}
	return nil
}

// failsWith records a node that fails together with that of the step.
func (w *World) failsWith(mate sim.NodeID) {
	if !w.bare {
		w.last.With = append(w.last.With, mate)
	}
}

func (w *World) crashAlone(node sim.NodeID, survivors string, src choose.Source) error {
	kept := askSurvivors(w.Locals.List[w.Vector[node]].State.Unsynced()+1, survivors, src)
	down, err := w.Crashed(w.Vector[node], kept)
	if err != nil {
		return err
	}
	w.failNode(node, down, store.ByCrash)
	return nil
}

// halt takes a node down forever, with all nodes of its process, up or not.
func (w *World) halt(node sim.NodeID) error {
	w.spend(store.OneHalt)
	if err := w.haltAlone(node); err != nil {
		return err
	}
	for _, mate := range w.Failures.GroupOf(node) {
		w.failsWith(mate)
		if err := w.haltAlone(mate); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) haltAlone(node sim.NodeID) error {
	down, err := w.HaltedState(node)
	if err != nil {
		return err
	}
	w.failNode(node, down, store.ByHalt)
	return nil
}

// crashInside takes the node down inside the step.
func (w *World) crashInside(id uint32, c steptree.Cut, src choose.Source) error {
	node := w.Acting
	if w.Halted {
		return w.halt(node)
	}
	w.spend(store.OneCrash)
	kept := askSurvivors(w.CrashedInside(node, id, c).Outcomes, stepinfo.SurvivorsLabel, src)
	down, err := w.Survived(node, id, c, kept)
	if err != nil {
		return err
	}
	w.failNode(node, down, store.ByCrash)
	return w.crashGroup(node, src)
}

func askSurvivors(outcomes int, label string, src choose.Source) int {
	if outcomes == 1 {
		return 0
	}
	return src.Choose(choose.Point{Kind: choose.Outcome, Arity: outcomes, Label: label})
}

// failNode takes a node down, into a local state.
func (w *World) failNode(node sim.NodeID, down, how uint32) {
	w.setLocal(node, down)
	if w.Layout.InboxCount > 0 {
		w.setInbox(node, w.Inboxes.AfterFailure(w.Vector[w.Layout.Inboxes+int(node)], how))
	}
	if w.Layout.PairCount > 0 {
		for peer := range sim.NodeID(w.Nodes) {
			w.operate(node, peer, store.OpCrash, how)
		}
	}
}

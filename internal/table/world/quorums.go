package world

import (
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

// Gathered returns what can happen to a node by datagrams in the state of the world.
func (w *World) Gathered(node sim.NodeID) *steptree.Gathering {
	return w.Gather(node, w.Vector[node], w.Vector[w.Layout.Inboxes+int(node)])
}

// unchangedSets asks the quorums of all nodes again.
func (w *World) unchangedSets() error {
	for node := range sim.NodeID(w.Nodes) {
		if w.Quorums.Any && w.Layout.InboxCount > 0 && w.Engine.IsUp(w.Vector[node]) && !w.held(node) {
			if err := w.RepeatQuorums(w.Vector[node], w.Vector[w.Layout.Inboxes+int(node)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// UnlistedQuorums is the finding that it cannot be told what the quorums of a node take.
func (w *World) UnlistedQuorums() error {
	if !w.Quorums.Any || w.Layout.InboxCount == 0 {
		return nil
	}
	for node := range sim.NodeID(w.Nodes) {
		if w.UpNodes>>node&1 == 1 && !w.held(node) {
			if err := w.Gathered(node).Err; err != nil {
				return err
			}
		}
	}
	return nil
}

// takeSet removes from the network the set that an event is about, and returns its number.
func (w *World) takeSet(ev sim.Event) uint32 {
	set := w.Gathered(ev.Node).Sets[ev.Slot]
	bag := w.Vector[w.Layout.Inboxes+int(ev.Node)]
	for _, place := range set.Places {
		bag = w.Inboxes.Without(bag, place)
	}
	w.setInbox(ev.Node, bag)
	return set.ID
}

package world

import (
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

// Gathered returns the events that datagrams enable at a node in the state of the world.
func (w *World) Gathered(node sim.NodeID) *steptree.Gathering {
	return w.Gather(node, w.Vector[node], w.Vector[w.Layout.Inboxes+int(node)])
}

// unchangedSets evaluates the quorums of all nodes again.
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

// UnlistedQuorums returns the finding of a quorum that failed, or nil.
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

// takeSet removes an event's set from the network, and returns its number.
func (w *World) takeSet(ev netmodel.Event) uint32 {
	set := w.Gathered(ev.Node).Sets[ev.Slot]
	inbox := w.Vector[w.Layout.Inboxes+int(ev.Node)]
	for _, place := range set.Places {
		inbox = w.Inboxes.Without(inbox, place)
	}
	w.setInbox(ev.Node, inbox)
	return set.ID
}

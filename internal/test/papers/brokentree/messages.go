package brokentree

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// Messages.
type (
	// Join asks on behalf of Source for a place in the tree, or for another one.
	Join struct{ Source sim.NodeID }
	// JoinReply answers a Join; it goes straight to the joiner.
	JoinReply struct{ Accepted bool }
	// Remove tells a parent that the sender is not its child.
	Remove struct{}
	// Reorganise offers a child other parents.
	Reorganise struct {
		Siblings    nodeset.Set
		Grandparent sim.NodeID // None for children of the root
	}
)

// Timers.
type (
	joinTimer       struct{} // armed while joining
	reorganiseTimer struct{} // armed outside init
)

package overcast

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// Messages. A Round is the sender's unless stated otherwise.
type (
	// Join asks on behalf of Source for a place in the tree.
	Join struct {
		Source sim.NodeID
		Last   uint64 // the round of Source
		Round  uint64
	}
	// Accept answers a Join or a Move: the sender has taken the receiver as a child.
	Accept struct{ Round uint64 }
	// Remove tells a parent that the sender is not its child.
	Remove struct{}
	// Reorganise offers a child other parents.
	Reorganise struct {
		Round       uint64
		Siblings    nodeset.Set
		Grandparent sim.NodeID // None for children of the root
	}

	// Lock asks the receiver not to move while the sender probes it.
	Lock struct{ Round uint64 }
	// Locked answers a Lock: the sender does not move until the lock ends.
	Locked struct{}
	// Refused answers a Lock or a Move.
	Refused struct{}
	// Unlock ends a lock.
	Unlock struct{}

	// Probe is one message of a train that measures the bandwidth.
	Probe struct{ Last bool }
	// Probed answers the last message of a train.
	Probed struct{}
	// Move asks a node that the sender has locked to take it as a child.
	Move struct{}
)

// Timers.
type (
	joinTimer       struct{} // armed while joining
	reorganiseTimer struct{} // armed outside init
	probeTimer      struct{} // armed while probing
	leaseTimer      struct{} // armed while locked
)

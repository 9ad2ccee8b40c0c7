package randtree

import (
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/transport"
)

// Messages.
type (
	// Join requests a place in the tree on behalf of Source.
	Join struct {
		Source sim.NodeID
		Epoch  macetime.MonotoneTime // of Source; the reply repeats it
		// RedirectedBy is the root that sent the message down its tree, None until one does.
		RedirectedBy sim.NodeID
	}
	// JoinReply answers a Join; it goes straight to the joiner.
	JoinReply struct {
		Answer   Answer
		Epoch    macetime.MonotoneTime // that of the Join
		Root     sim.NodeID            // of Accepted
		Siblings nodeset.Set           // of Accepted: the other children
	}
	// Remove reports to a parent that the sender is not its child.
	Remove struct{}
	// Rejoin tells a child to look for another place.
	Rejoin struct{}
	// UpdateSiblings notifies a child of the root and the other children.
	UpdateSiblings struct {
		Root     sim.NodeID
		Siblings nodeset.Set
	}
	// NewRoot notifies a child of the root.
	NewRoot struct{ Root sim.NodeID }
	// Probe looks for other trees: Root is the sender's.
	Probe struct{ Root sim.NodeID }
	// ProbeJoin tells a root that it should join the tree under Root.
	ProbeJoin struct{ Root sim.NodeID }
	// Payload is a message of the application.
	Payload struct{ Body any }
)

// Messages returns samples of all messages that a node sends, over streams or over its own transport, for a codec of a
// real network.
func Messages() []any {
	return append(transport.Messages(), Join{}, JoinReply{}, Remove{}, Rejoin{}, UpdateSiblings{}, NewRoot{}, Probe{},
		ProbeJoin{}, Payload{})
}

// Answer is the answer to a [Join].
type Answer uint8

const (
	Accepted    Answer = iota // the sender is the joiner's parent
	RootForce                 // the joiner is lower than the root that it asked, and must become root
	LoopError                 // the joiner is already the root of the tree that it asked
	Unreachable               // the Join could not be sent on
)

func (a Answer) String() string {
	return [...]string{"accepted", "root-force", "loop-error", "unreachable"}[a]
}

// Timers.
type (
	joinTimer     struct{} // armed while joining
	recoveryTimer struct{} // armed outside init
)

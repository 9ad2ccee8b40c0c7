package pastry

import "github.com/macemc/macemc/sim"

// Messages of joining. They travel on streams.
type (
	// Join is routed towards the key of Who, which wants to become a member.
	Join struct {
		Who sim.NodeID
		// StartRow is the first row of its routing table that the joiner still needs.
		StartRow int
		// Rare means that the message was once routed by distance, and stays so.
		Rare bool
	}
	// RowInfo is a row of the sender's routing table, which belongs to it as well.
	RowInfo struct {
		Row   int
		Nodes Set
		Stamp int // the sender's time
	}
	// LeafsetInfo is the sender's leaf set, to which it belongs as well.
	LeafsetInfo struct {
		Leaves Set
		Stamp  int
	}
	// RowInfoReply reports the age of the rows that a joiner has received from the receiver, by the oldest stamp. Bit i
	// stands for row i.
	RowInfoReply struct {
		Rows  uint64
		Stamp int
	}
	// LeafsetReply is the equivalent of RowInfoReply for LeafsetInfo.
	LeafsetReply struct{ Stamp int }
	// Remove reports that the sender is not a member.
	Remove struct{}
)

// Messages between members. They travel on streams.
type (
	// Inform reports that the sender is a member.
	Inform struct{}
	// InformRequest is an Inform that requests one.
	InformRequest struct{}
	// RowRequest requests a row in exchange for the sender's own.
	RowRequest struct {
		Row   int
		Nodes Set
	}
	// LeafsetRequest requests the leaf set in exchange for the sender's own.
	LeafsetRequest struct{ Leaves Set }
	// Lookup is routed to the owner of Key.
	Lookup struct {
		Key    Key
		Source sim.NodeID
		Rare   bool // as in Join
	}
	// Found reports to the source of a Lookup that the sender owns Key.
	Found struct{ Key Key }
)

// Probes search the node with the key next to the prober's. They are datagrams.
type (
	// Probe asks for that node.
	Probe struct{}
	// ProbeReply names a node that is closer than the sender.
	ProbeReply struct{ Closer sim.NodeID }
	// Match means that it is the sender, which has the prober in its leaf set.
	Match struct{}
	// NoMatch means that it is the sender, which does not know the prober.
	NoMatch struct{}
)

// Timers.
type (
	joinTimer     struct{} // armed while joining
	tableTimer    struct{} // this and the following: armed while joined
	leafTimer     struct{}
	recoveryTimer struct{} // armed also if there are peers to join by
)

package pastry

import "github.com/macemc/macemc/sim"

// Messages of joining. They travel on streams.
type (
	// Join is routed towards the key of Who, who wants to become a member.
	Join struct {
		Who sim.NodeID
		// StartRow is the first row of its routing table that the joiner still needs.
		StartRow int
		// Rare says that the message was routed by distance once, and is from then on.
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
	// RowInfoReply tells by the oldest stamp how old the rows were that a joiner has had from the
	// receiver. Bit i stands for row i.
	RowInfoReply struct {
		Rows  uint64
		Stamp int
	}
	// LeafsetReply is to LeafsetInfo what RowInfoReply is to RowInfo.
	LeafsetReply struct{ Stamp int }
	// Remove tells that the sender is no member.
	Remove struct{}
)

// Messages between members. They travel on streams.
type (
	// Inform tells that the sender is a member.
	Inform struct{}
	// InformRequest is an Inform that asks for one.
	InformRequest struct{}
	// RowRequest asks for a row in exchange for the sender's own.
	RowRequest struct {
		Row   int
		Nodes Set
	}
	// LeafsetRequest asks for the leaf set in exchange for the sender's own.
	LeafsetRequest struct{ Leaves Set }
	// Lookup is routed to the owner of Key.
	Lookup struct {
		Key    Key
		Source sim.NodeID
		Rare   bool // as in Join
	}
	// Found tells the source of a Lookup that the sender owns Key.
	Found struct{ Key Key }
)

// Probes look for the node whose key is next to the prober's. They are datagrams.
type (
	// Probe asks who that may be.
	Probe struct{}
	// ProbeReply names a node that is closer than the sender.
	ProbeReply struct{ Closer sim.NodeID }
	// Match says that it is the sender, which has the prober in its leaf set.
	Match struct{}
	// NoMatch says that it is the sender, which does not know the prober.
	NoMatch struct{}
)

// Timers.
type (
	joinTimer     struct{} // armed while joining
	tableTimer    struct{} // this and the following: armed when joined
	leafTimer     struct{}
	recoveryTimer struct{} // and when there are peers to join by
)

package gossip

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// Status is what is said of a node.
type Status uint8

const (
	Alive Status = iota
	Suspect
	Dead
)

func (s Status) String() string { return [...]string{"alive", "suspect", "dead"}[s] }

// Update is a piece of news: what a node is said to be in which incarnation.
type Update struct {
	Node        sim.NodeID
	Status      Status
	Incarnation int
}

func (u Update) String() string { return fmt.Sprintf("n%d %v(%d)", u.Node, u.Status, u.Incarnation) }

// News rides on every message.
type News struct {
	Incarnation int // of the sender, which is alive
	Updates     []Update
}

// Messages.
type (
	// Ping asks for an Ack.
	Ping struct {
		For  sim.NodeID // whom the sender asks for, None: itself
		News News
	}
	// Ack answers a Ping, with the same For.
	Ack struct {
		For  sim.NodeID
		News News
	}
	// PingReq asks the receiver to ping the target for the sender.
	PingReq struct {
		Target sim.NodeID
		News   News
	}
	// Relayed tells a node that sent a PingReq of the target's Ack.
	Relayed struct {
		Target      sim.NodeID
		Incarnation int // of the target
		News        News
	}
)

// Timers.
type (
	periodTimer struct{} // always armed, unless the node is out
	ackTimer    struct{} // armed while a probe waits for its direct Ack
	// suspicionTimer is armed exactly while its node is suspected.
	suspicionTimer struct{ Node sim.NodeID }
)

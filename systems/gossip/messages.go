package gossip

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// Status is the believed status of a node.
type Status uint8

const (
	Alive Status = iota
	Suspect
	Dead
)

func (s Status) String() string { return [...]string{"alive", "suspect", "dead"}[s] }

// Update is a piece of news: the status of a node in an incarnation.
type Update struct {
	Node        sim.NodeID
	Status      Status
	Incarnation int
}

func (u Update) String() string { return fmt.Sprintf("n%d %v(%d)", u.Node, u.Status, u.Incarnation) }

// News is part of every message.
type News struct {
	Incarnation int // of the sender, which is alive
	Updates     []Update
}

// Messages.
type (
	// Ping asks for an Ack.
	Ping struct {
		For  sim.NodeID // node on whose behalf the sender asks; None means itself
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
	// Relayed passes the target's Ack to the sender of a PingReq.
	Relayed struct {
		Target      sim.NodeID
		Incarnation int // of the target
		News        News
	}
)

// Timers.
type (
	periodTimer struct{} // always armed while the node participates
	ackTimer    struct{} // armed while a probe waits for its direct Ack
	// suspicionTimer is armed exactly while its node is suspected.
	suspicionTimer struct{ Node sim.NodeID }
)

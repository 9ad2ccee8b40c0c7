package transport

import (
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Messages on the wire. Each is one datagram.
type (
	// Data is a packet: a message, or a fragment of one.
	Data struct {
		Seq int
		// SYN identifies the connection in its first packet, which has the initial Seq. All other
		// packets have the zero value and belong to a connection by their Seq.
		SYN macetime.MonotoneTime
		Fragment
		Body any // the message, in fragment 0
	}
	// Fragment is the index of a packet in its message, counted from 0, and the number of its packets. The first
	// fragment has the sequence number Seq-Index.
	Fragment struct{ Index, Count int }
	// Ack acknowledges all packets up to Seq of the connection that SYN identifies.
	Ack struct {
		Seq int
		SYN macetime.MonotoneTime
	}
	// Reset refuses the packet Seq. SYN is that of the packet.
	Reset struct {
		SYN macetime.MonotoneTime
		Seq int
	}
)

// Messages returns samples of all messages of [Transport] and [Carrier], for a codec of a real network.
func Messages() []any { return []any{Data{}, Ack{}, Reset{}, Framed{}} }

// Timers.
type (
	// retransmit is armed for every packet in flight.
	retransmit struct {
		Peer sim.NodeID
		Seq  int
	}
	// clearToSend is armed while a request can be granted.
	clearToSend struct{ Peer sim.NodeID }
)

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
		// SYN identifies the connection in its first packet, whose Seq is the initial one. All other
		// packets have the zero value and belong to a connection by their Seq.
		SYN macetime.MonotoneTime
		Fragment
		Body any // of fragment 0: the message
	}
	// Fragment says which part of its message a packet is, counted from 0, and of how many. The first
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

// Messages are samples of what [Transport] and [Carrier] send, for a codec of a real network.
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

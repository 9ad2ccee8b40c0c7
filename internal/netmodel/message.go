package netmodel

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/sim"
)

// Message is a message in flight. The network model owns it once it is sent.
type Message struct {
	Body any
	ID   sim.MessageID

	attached Attached
}

// Attached is the data that engines attach to a message.
type Attached struct {
	Sent     any // the sender's value, while it can still be changed and this is checked
	Hash     encoding.Fingerprint
	Hashed   bool
	Encoding []byte // computed on first use
}

// Attached returns the data that engines attach to the message. Networks must not use it.
func (m *Message) Attached() *Attached { return &m.attached }

// Fate is the outcome of a message.
type Fate uint8

const (
	InFlight Fate = iota
	Delivered
	Lost
	Duplicated
	Refused      // the send buffer was full
	DroppedCrash // lost with a crash, or a datagram whose receiver halted
	DroppedBreak // lost with its connection
	DroppedDown  // sent to a node that was down
	DroppedCut   // lost to a partition
)

func (f Fate) String() string {
	return [...]string{"in flight", "delivered", "lost", "duplicated", "refused", "dropped by a crash",
		"dropped with its connection", "dropped: receiver down", "dropped by a partition"}[f]
}

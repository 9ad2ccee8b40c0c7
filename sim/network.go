package sim

import (
	"errors"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/simhook"
)

// ErrFull is returned by [Stream.Send] when the send buffer has no room.
var ErrFull = errors.New("send buffer is full")

// ErrReset is the connection error after a socket error, or after the peer crashed or closed the connection.
var ErrReset = errors.New("connection reset")

// ErrRefused is the connection error after sending to a node that is down.
var ErrRefused = errors.New("connection refused")

// Network is a model of the network, as data.
type Network interface {
	// Validate returns an error if the network is invalid for a system with the given number of nodes.
	Validate(nodes int) error
	// Limits returns the limits of network faults. Crashes and Halts are 0.
	Limits() Limits
	// WithLimits returns the network with other limits. It fails if the network lacks a limited fault.
	WithLimits(Limits) (Network, error)
	// Start returns the initial state of this network for one world.
	Start(host NetHost) NetModel
}

// NetHost is a network model's interface to its world.
type NetHost interface {
	Nodes() int
	Up(NodeID) bool
	// Dirty notifies the world that the result of AppendEvents for the node may have changed.
	Dirty(NodeID)
	// Fate reports the fate of a message. It is cheap, and recorded only when tracing.
	Fate(id MessageID, fate Fate)
	// Duplicated reports that a message was duplicated, and returns the identity of the copy.
	Duplicated(id MessageID) (copied MessageID)
	// HashMessage returns the fingerprint of a message's content, cached in the message.
	HashMessage(*Message) encoding.Fingerprint
	// CompareMessages orders messages by content; equal messages are interchangeable.
	CompareMessages(a, b *Message) int
	// DescribeMessage renders a message for stable keys and people.
	DescribeMessage(*Message) string
}

// MessageID identifies a message from send to fate within one run, counted from 1. A copy made by the network has its
// own.
type MessageID int32

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

// Message is a message in flight. The network model owns it once it is sent.
type Message struct {
	Body any
	ID   MessageID

	hook simhook.Message
}

// Hook returns the data that packages that execute the system attach to the message. Networks must not use it.
func (m *Message) Hook() *simhook.Message { return &m.hook }

// Envelope is a message in flight, for properties and for display.
type Envelope struct {
	From, To NodeID
	Msg      any
	ID       MessageID
	Stream   bool
}

// Delivery is the content that a network event hands to a node.
type Delivery struct {
	From NodeID
	Msg  Message // for Deliver
	Err  error   // for DeliverError
}

// NetModel is the state of the network in one world. The world calls it on one goroutine, and, except for Room, only
// between handlers. Faults that the model offers count against its own limits.
type NetModel interface {
	// Reset restores the state before the first boot, keeping buffers.
	Reset()

	// AppendEvents appends the ordinary events at node in canonical order: an order that is a function of the state's
	// content.
	AppendEvents(node NodeID, buf []Event) []Event
	// AppendGlobal appends the ordinary events that concern no single node (Heal).
	AppendGlobal(buf []Event) []Event
	// AppendInjections appends the enabled faults in canonical order. They depend on the state alone.
	AppendInjections(buf []Event) []Event
	// Take removes and returns the content of a Deliver, DeliverError or DeliverReady event.
	Take(ev Event) Delivery
	// Inject executes a fault other than Crash and Halt, or a Heal.
	Inject(ev Event)
	// Messages appends the messages that ev would consume, without removing them.
	Messages(ev Event, buf []Envelope) []Envelope
	// Key returns the part of the stable key of a network event that names its content: a message, or the text of an
	// error. The world writes kind and nodes itself; an empty content means that these suffice. carrier is "stream" or
	// "datagram" for messages of networks that have both, and empty otherwise.
	Key(ev Event) (carrier, content string)

	// Room returns the number of messages that the stream from one node to another accepts. Capacity returns the same
	// for a stream with an empty queue.
	Room(from, to NodeID) int
	Capacity() int
	SendDatagram(from, to NodeID, m Message)
	// SendStream queues m. The world has called Room before, counting the messages already sent by the step.
	SendStream(from, to NodeID, m Message)
	// RefuseStream records that a stream refused a message, so that a ready call-back is due.
	RefuseStream(from, to NodeID)
	CloseStream(from, to NodeID)
	// Crashed and Booted notify the model that a node goes down or comes up.
	Crashed(NodeID)
	Booted(NodeID)
	// Halted notifies the model that a node goes down and never comes back. It does what Crashed does, and drops the
	// messages in flight to the node.
	Halted(NodeID)

	// Quiet reports whether no message and no error can be delivered. Under [Prompt] timers wait for this.
	Quiet() bool
	// InFlight calls yield for each message in flight, in canonical order, until it returns false.
	InFlight(yield func(Envelope) bool)
	// Fingerprint covers the model's entire state: the sum of keyed hashes of its components.
	Fingerprint() encoding.Fingerprint
	// Fields appends the model's state as names and values for display, in canonical order.
	Fields(buf []diff.Field) []diff.Field
}

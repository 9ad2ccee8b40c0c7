package sim

import (
	"errors"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/simhook"
)

// ErrFull is returned by [Stream.Send] when the send buffer has no room.
var ErrFull = errors.New("send buffer is full")

// ErrReset is the connection error after a socket error, a crash of the peer, or its Close.
var ErrReset = errors.New("connection reset")

// ErrRefused is the connection error after sending to a node that is down.
var ErrRefused = errors.New("connection refused")

// Network is a model of the network, as data.
type Network interface {
	// Validate reports the first thing that is wrong, for a system of that many nodes.
	Validate(nodes int) error
	// Limits returns the limits of network faults; Crashes and Halts are 0.
	Limits() Limits
	// WithLimits returns the network with other limits. It fails when the network lacks a fault.
	WithLimits(Limits) (Network, error)
	// Start makes the state of this network for one world.
	Start(host NetHost) NetModel
}

// NetHost is what a network model knows of its world.
type NetHost interface {
	Nodes() int
	Up(NodeID) bool
	// Dirty tells the world that AppendEvents for that node may give another result now.
	Dirty(NodeID)
	// Fate tells what became of a message; cheap and only recorded when tracing.
	Fate(id MessageID, fate Fate)
	// Duplicated tells that a message was duplicated, and returns the identity of the copy.
	Duplicated(id MessageID) (copied MessageID)
	// HashMessage returns the fingerprint of a message's content, cached in the message.
	HashMessage(*Message) Fingerprint
	// CompareMessages orders messages by content; equal messages are interchangeable.
	CompareMessages(a, b *Message) int
	// DescribeMessage renders a message for stable keys and people.
	DescribeMessage(*Message) string
}

// MessageID is a message's identity from send to fate within one run, counted from 1. A copy that the
// network makes has one of its own.
type MessageID int32

// Fate is what became of a message.
type Fate uint8

const (
	InFlight Fate = iota
	Delivered
	Lost
	Duplicated
	Refused      // the send buffer was full
	DroppedCrash // lost with a crash, or when the receiver halted
	DroppedBreak // lost with its connection
	DroppedDown  // sent to a node that was down
	DroppedCut   // lost to a partition
)

func (f Fate) String() string {
	return [...]string{"in flight", "delivered", "lost", "duplicated", "refused", "dropped by a crash",
		"dropped with its connection", "dropped: receiver down", "dropped by a partition"}[f]
}

// Message is a message on its way. It is owned by the network model once sent.
type Message struct {
	Body any
	ID   MessageID

	seam simhook.Message
}

// Seam is for those who execute the system: what they keep with the message. Networks have no use for it.
func (m *Message) Seam() *simhook.Message { return &m.seam }

// Envelope is a message in flight, as properties and people see it.
type Envelope struct {
	From, To NodeID
	Msg      any
	ID       MessageID
	Stream   bool
}

// Delivery is what an event of the network hands to a node.
type Delivery struct {
	From NodeID
	Msg  Message // of Deliver
	Err  error   // of DeliverError
}

// NetModel is the state of the network in one world. The world calls it only between handlers (but
// for Room) and on one goroutine. Faults that the model offers count against its own limits.
type NetModel interface {
	// Reset goes back to the state before the first boot, keeping buffers.
	Reset()

	// AppendEvents appends the ordinary events at node, in canonical order: an order that is a
	// function of the state's content.
	AppendEvents(node NodeID, buf []Event) []Event
	// AppendGlobal appends the ordinary events that belong to no node (Heal).
	AppendGlobal(buf []Event) []Event
	// AppendInjections appends the faults that can strike now, in canonical order. They do not
	// depend on anything but the state.
	AppendInjections(buf []Event) []Event
	// Take removes what a Deliver, DeliverError or DeliverReady event hands over.
	Take(ev Event) Delivery
	// Inject executes a fault other than Crash and Halt, or a Heal.
	Inject(ev Event)
	// Messages appends the messages that ev would consume, without taking them.
	Messages(ev Event, buf []Envelope) []Envelope
	// Key returns the part of the stable key of a network event that names its content: a message, or the
	// text of an error. The world writes kind and nodes itself. An empty content means that those suffice.
	// carrier is "stream" or "datagram" for messages of networks that have both, and empty otherwise.
	Key(ev Event) (carrier, content string)

	// Room is how many messages the stream from one node to another accepts now, and Capacity how
	// many one accepts of which nothing is queued.
	Room(from, to NodeID) int
	Capacity() int
	SendDatagram(from, to NodeID, m Message)
	// SendStream queues m. The world has asked Room before, counting what the step sent so far.
	SendStream(from, to NodeID, m Message)
	// RefuseStream notes that a stream refused a message, so that a ready call-back is due.
	RefuseStream(from, to NodeID)
	CloseStream(from, to NodeID)
	// Crashed and Booted tell that a node goes down or comes up.
	Crashed(NodeID)
	Booted(NodeID)
	// Halted tells that a node goes down for ever. It does what Crashed does, and loses what is in flight to the node.
	Halted(NodeID)

	// Quiet reports whether no message is in flight.
	Quiet() bool
	// InFlight calls yield for each message in flight, in canonical order, until it returns false.
	InFlight(yield func(Envelope) bool)
	// Fingerprint covers all of the model's state: the sum over its components of keyed hashes.
	Fingerprint() Fingerprint
	// Fields appends the model's state as names and values for people, in canonical order.
	Fields(buf []Field) []Field
}

// Field is one value inside a state, for people: a path such as "peers[3]" and the value's text.
type Field = encoding.Field

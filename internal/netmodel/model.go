package netmodel

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/sim"
)

// Network is implemented by all networks that can be checked.
type Network interface {
	sim.Network
	// Start returns the initial state of this network for one world.
	Start(Host) Model
}

// OfPrograms is implemented by networks that behave differently if the nodes of the system run programs.
type OfPrograms interface {
	// StartOfPrograms is Start for such a system.
	StartOfPrograms(Host) Model
}

// Of returns the network of a system, or an error if it cannot be checked. A system without one has nil.
func Of(s *sim.System) (Network, error) {
	if s.Network == nil {
		return nil, nil
	}
	n, ok := s.Network.(Network)
	if !ok {
		return nil, fmt.Errorf("system %q: %T has no state that can be checked: embed a network of package netsim, not sim.Network",
			s.Name, s.Network)
	}
	return n, nil
}

// Host is a network model's interface to its world.
type Host interface {
	Nodes() int
	Up(sim.NodeID) bool
	// Dirty notifies the world that the result of AppendEvents for the node may have changed.
	Dirty(sim.NodeID)
	// Fate reports the fate of a message. It is cheap, and recorded only when tracing.
	Fate(id sim.MessageID, fate Fate)
	// Duplicated reports that a message was duplicated, and returns the identity of the copy.
	Duplicated(id sim.MessageID) (copied sim.MessageID)
	// HashMessage returns the fingerprint of a message's content, cached in the message.
	HashMessage(*Message) encoding.Fingerprint
	// CompareMessages orders messages by content; equal messages are interchangeable.
	CompareMessages(a, b *Message) int
	// DescribeMessage renders a message for stable keys and people.
	DescribeMessage(*Message) string
}

// Delivery is the content that a network event hands to a node.
type Delivery struct {
	From sim.NodeID
	Msg  Message // for Deliver
	Err  error   // for DeliverError
}

// Model is the state of the network in one world. The world calls it on one goroutine, and, except for Room, only
// between handlers. Faults that the model offers count against its own limits.
type Model interface {
	// Reset restores the state before the first boot, keeping buffers.
	Reset()

	// AppendEvents appends the ordinary events at node in canonical order: an order that is a function of the state's
	// content.
	AppendEvents(node sim.NodeID, buf []Event) []Event
	// AppendGlobal appends the ordinary events that concern no single node (Heal).
	AppendGlobal(buf []Event) []Event
	// AppendInjections appends the enabled faults in canonical order. They depend on the state alone.
	AppendInjections(buf []Event) []Event
	// Take removes and returns the content of a Deliver, DeliverError or DeliverReady event.
	Take(ev Event) Delivery
	// Inject executes a fault other than Crash and Halt, or a Heal.
	Inject(ev Event)
	// Messages appends the messages that ev would consume, without removing them.
	Messages(ev Event, buf []sim.Envelope) []sim.Envelope
	// Key returns the part of the stable key of a network event that names its content: a message, or the text of an
	// error. The world writes kind and nodes itself; an empty content means that these suffice. carrier is "stream" or
	// "datagram" for messages of networks that have both, and empty otherwise.
	Key(ev Event) (carrier, content string)

	// Room returns the number of messages that the stream from one node to another accepts. Capacity returns the same
	// for a stream with an empty queue.
	Room(from, to sim.NodeID) int
	Capacity() int
	SendDatagram(from, to sim.NodeID, m Message)
	// SendStream queues m. The world has called Room before, counting the messages already sent by the step.
	SendStream(from, to sim.NodeID, m Message)
	// RefuseStream records that a stream refused a message, so that a ready call-back is due.
	RefuseStream(from, to sim.NodeID)
	CloseStream(from, to sim.NodeID)
	// Crashed and Booted notify the model that a node goes down or comes up.
	Crashed(sim.NodeID)
	Booted(sim.NodeID)
	// Halted notifies the model that a node goes down and never comes back. It does what Crashed does, and drops the
	// messages in flight to the node.
	Halted(sim.NodeID)

	// Quiet reports whether no message and no error can be delivered. Under [sim.Prompt] timers wait for this.
	Quiet() bool
	// InFlight calls yield for each message in flight, in canonical order, until it returns false.
	InFlight(yield func(sim.Envelope) bool)
	// Fingerprint covers the model's entire state: the sum of keyed hashes of its components.
	Fingerprint() encoding.Fingerprint
	// Fields appends the model's state as names and values for display, in canonical order.
	Fields(buf []diff.Field) []diff.Field
}

package netmodel

import "github.com/macemc/macemc/sim"

// Parted is implemented by network models whose state consists of independent parts: one bag of datagrams per receiver,
// one connection per unordered pair of nodes (including a node with itself), and one global part. An operation reads
// and changes only the parts of the nodes that it names, and reads whether those nodes are up. A model that holds a
// single part, with the others as after Reset, therefore shows how that part changes. Datagrams that arrive from two
// nodes make the same bag in either order. An arrival changes neither which other datagrams can be taken from a bag,
// nor the rest of the bag after that. Both hold unless bags are filled one by one, see [Queued].
//
// The effect of an operation on a connection, the error that it reports, and the enabled events depend only on: the
// flags of the connection, the number of messages queued at each end, whether both ends are one node, which nodes are
// up, whether the link is cut, and the remaining limits. They do not depend on the messages. An operation leaves each
// queue unchanged, removes its first message, empties it, or appends the message that is sent. Take returns the first
// message of the one queue that it changes. The tables panic if they notice that a model violates any of this.
//
// A fault whose kind is OfMessage can strike each datagram that differs from its predecessor in the bag. Its effect on the bag
// depends only on the bag and the position. Besides the bag, it changes only the remaining limits.
//
// AppendEvents lists the events of a node in this order: errors, ready call-backs, messages of streams, each by peer,
// then datagrams. Slot is -1 for messages of streams, and the position in the bag for datagrams.
type Parted interface {
	Model
	// Kinds reports which parts exist besides the global part.
	Kinds() (datagrams, streams bool)

	// Bag returns the datagrams in flight to a node, in the model's canonical order.
	Bag(to sim.NodeID) []Datagram
	// SetBag replaces an empty bag. The datagrams must be in canonical order.
	SetBag(to sim.NodeID, bag []Datagram)
	// Arrive adds a datagram to the bag of a node, as if it had been sent over a link that is not cut.
	Arrive(from, to sim.NodeID, m Message)
	// Connection returns the connection between a and b: first a's end, then b's. If a is b, only the first end is
	// used. The result is valid until Connection is called again.
	Connection(a, b sim.NodeID) Connection
	// SetConnection overwrites a connection; its old state is undefined.
	SetConnection(a, b sim.NodeID, c Connection)
	// Rest returns the global part.
	Rest() Rest
	// SetRest replaces the global part. Connections must be set afterwards.
	SetRest(Rest)
	// Severed reports whether the link between two nodes is cut.
	Severed(a, b sim.NodeID) bool
}

// Datagram is a datagram in flight.
type Datagram struct {
	From   sim.NodeID // negative if the node of the bag has yet to send it, to ^From, see [Queued]
	Msg    Message
	Behind bool // it equals the datagram ahead of it in the bag, or cannot be delivered before that one
}

// Queued is implemented by network models with bags that may be queues.
type Queued interface {
	// Queues reports whether the messages that a node sends leave it one by one, by events of kind [eventkind.Arrive]; until then
	// they are part of the node's own bag. It also reports whether bags are bounded, so that an arrival may be a
	// finding.
	Queues() (oneByOne, bounded bool)
	// Holds reports whether a node has messages left to send. Such a node can do nothing else before they have left.
	Holds(sim.NodeID) bool
}

// QueuedEnvelope returns the envelope of a message in the bag of a node, with from as in [Datagram].
func QueuedEnvelope(from, node sim.NodeID, msg any, id sim.MessageID) sim.Envelope {
	if from < 0 {
		from, node = node, ^from
	}
	return sim.Envelope{From: from, To: node, Msg: msg, ID: id}
}

// Connection is the state of the connection between two nodes.
type Connection [2]ConnectionEnd

// ConnectionEnd is one node's state of a connection, with the messages that it has queued.
type ConnectionEnd struct {
	Flags uint8 // private to the model
	Queue []Message
}

// Rest is the global part of a network's state. It is comparable.
type Rest struct {
	Left sim.Limits // faults that may still be injected; Crashes and Halts are 0
	// Cut reports whether a partition is in force: of the link between Node and Peer, or, if Peer is -1, of all links
	// of Node.
	Cut        bool
	Node, Peer sim.NodeID
}

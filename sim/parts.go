package sim

// Parted is implemented by network models whose state consists of parts that change independently:
// one bag of datagrams per receiver, one connection per unordered pair of nodes (a node and itself
// included), and what there is once. An operation reads and changes only the parts of the nodes that
// it names, and whether those nodes are up; so a model that holds a single part, the rest being as
// after Reset, shows how that part changes. What arrives from two nodes makes the same bag in either order, and what arrives leaves
// what can be taken from a bag, and what is left of it then, as it was, but for what has arrived; unless bags are filled one by one, see [Queued].
//
// What an operation does to a connection, the error that it tells of, and which events there are, depends on the flags of the connection, how many
// messages are queued at each end, whether both ends are one node, which nodes are up, whether the link is cut, and the limits that are left, but not on what the
// messages are. Each queue stays as it is, loses its first message, or all, or gets the one that is sent at its end. What Take hands over is the
// first message of the one queue that it changes. A model that does anything else has the tables panic, if they notice.
//
// AppendEvents lists the events of a node in this order: errors, ready call-backs, messages of streams, each by peer, then datagrams; those of
// streams have -1 as their Slot, of datagrams the place in the bag.
type Parted interface {
	NetModel
	// Kinds tells which parts there are besides what there is once.
	Kinds() (datagrams, streams bool)

	// Bag returns the datagrams in flight to a node, in the model's canonical order.
	Bag(to NodeID) []Datagram
	// SetBag replaces an empty bag. The datagrams must be in canonical order.
	SetBag(to NodeID, bag []Datagram)
	// Arrive puts a datagram into the bag of a node, as if it had been sent over a link that is not cut.
	Arrive(from, to NodeID, m Message)
	// Connection returns the connection between a and b: first a's end, then b's. When a is b only
	// the first end is used. It is valid until Connection is called again.
	Connection(a, b NodeID) Connection
	// SetConnection replaces a connection of which nothing is known.
	SetConnection(a, b NodeID, c Connection)
	// Rest returns what there is once.
	Rest() NetRest
	// SetRest replaces it. Connections must be set afterwards.
	SetRest(NetRest)
	// Severed reports whether the link between two nodes is cut.
	Severed(a, b NodeID) bool
}

// Datagram is a datagram in flight.
type Datagram struct {
	From   NodeID // negative: the node of the bag has yet to send it, to ^From, see [Queued]
	Msg    Message
	Behind bool // it is as the one ahead of it in the bag, or cannot be delivered before that one
}

// Queued is implemented by network models whose bags may be queues.
type Queued interface {
	// Queues tells whether what a node sends leaves it one by one, by events of kind [Arrive]; until then it is part
	// of the node's own bag. And whether bags are bounded, so that it may be a finding that something arrives.
	Queues() (oneByOne, bounded bool)
	// Holds reports whether a node has something left to send. It does nothing else before that has left.
	Holds(NodeID) bool
}

// QueuedEnvelope is a message in the bag of a node, whose From is as in [Datagram].
func QueuedEnvelope(from, node NodeID, msg any, id MessageID) Envelope {
	if from < 0 {
		from, node = node, ^from
	}
	return Envelope{From: from, To: node, Msg: msg, ID: id}
}

// Connection is the state of the connection between two nodes.
type Connection [2]ConnectionEnd

// ConnectionEnd is what one node knows of a connection, and what it has queued.
type ConnectionEnd struct {
	Flags uint8 // the model's own
	Queue []Message
}

// NetRest is the part of a network's state that exists once. It is comparable.
type NetRest struct {
	Left Limits // faults that may still be injected; Crashes and Halts are 0
	// Cut is whether a partition is in force: of the link between Node and Peer, or, when Peer is -1,
	// of all links of Node.
	Cut        bool
	Node, Peer NodeID
}

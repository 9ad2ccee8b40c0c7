// Package netsim models the network between the nodes of a checked system: [Datagrams], [Streams],
// [Both], or the [Queues] of machines. A network is data; its state in one world is made by Start. The rules are those of the
// simulated network of MaceMC (Killian et al., NSDI 2007, extended version).
//
// # Datagrams
//
// What is in flight to a node is an unordered bag. Each datagram may be delivered at any time; it
// may be lost or duplicated, within limits that count over the whole system. Equal datagrams of one
// sender to one receiver are interchangeable and make one event; the oldest is taken first. A duplicate
// has an identity of its own and comes after its original.
//
// A datagram sent to a node that is down, or over a link that is cut, is dropped at once. What is
// in flight already survives crashes of either end and partitions: it may arrive after the
// receiver's next boot, but not while the receiver is down.
//
// # Streams
//
// Messages from one node to another arrive in order. Up to Buffer of them wait in the sender's
// buffer; when one was refused, a ready call-back is due, and is enabled while there is room.
//
// Two nodes share one connection. It is established when its first message, of either direction, is
// delivered; until then what is queued is a connection attempt that its peer knows nothing of.
// Each end has the four variables of the paper's simulated TCP:
//
//	local error   an error that this end caused is on its way to the peer
//	remote error  an error is on its way to this end: sim.ErrReset, once delivered
//	open          the connection is established, as far as this end knows
//	not ready     a message went to a peer that was down: sim.ErrRefused, once delivered
//
// Only these combinations occur, as (local, remote, open, not ready) of one end and of the other:
//
//	0000 0000   no connection, or an attempt
//	0001 0000   an attempt was refused
//	0010 0010   established
//	1110 1110   it broke, neither end knows
//	1000 0110   it broke, was closed or its end crashed; only the second end has yet to be told
//
// What leads from one to another:
//
//   - A message to a node that is down is dropped with all that is queued to it: not ready.
//   - A socket error (Break) strikes an established connection: both ends will be told, and what
//     is queued in both directions is lost.
//   - A crash loses what the node itself had queued. If the connection was established, what its
//     peer had queued is lost too and the peer will be told; an attempt of the peer survives
//     and arrives after the next boot. If there will be none, since the node halts, it is refused.
//   - Close is to that one connection what a crash is to all: the peer is told if it was established.
//     Its own end is told nothing more, of errors that are due neither; a ready call-back stays due.
//   - An error is ahead of messages sent later by its peer, and until it is read what the node
//     sends on that connection is lost.
//
// A network as live nodes have it (host.LiveNetwork of package internal/simext) does two things more: what machines send is queued whether there is room or
// not, and a socket error may strike an attempt, which is refused: the process of a node may die when it has taken what another node sent to a node that
// runs with it, and not yet what was sent to itself.
//
// # Partitions
//
// A partition cuts either all links of one node or a single link, until it is healed by an ordinary
// event; one partition is in force at a time. Datagrams sent over a cut link are lost, messages in
// streams wait. Errors do not wait: an end may notice by a time-out of its own.
//
// What waits for a partition to heal, or for a node that is down to boot, counts as in flight for
// properties, but does not keep the network from being quiet: else no time-out could notice either
// under sim.Prompt.
package netsim

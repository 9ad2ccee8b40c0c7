// Package multicast is an application over RandTree: what a node publishes reaches all others along the
// edges of the tree. It shows a stack of services: multicast over package randtree over the streams of
// the network, or over package transport over datagrams (parameter over).
//
// # Protocol
//
// A publication has an identifier from the publisher's monotone counter. A node delivers what it has not
// delivered yet, and passes it on to its other neighbours in the tree. Two nodes that become neighbours
// tell each other all that they have delivered, so that what was published while they were apart, or was
// lost with a connection, gets through. What a send buffer refuses is made up for in the same way when
// there is room.
//
// # Calls
//
// Down: the handlers of a node call those of its tree, which calls those of its transport when it has
// one. The application calls JoinOverlay and Send of the tree. Up: the tree calls Deliver, Linked and
// Ready. Up-calls go through an interface that the lower service holds.
//
// # Source
//
// None: it is what one would first write on a tree. Nothing had to be added.
//
// # Simplifications
//
// Nothing is ever forgotten but by a crash. A node tells a new neighbour all, not what that lacks. There
// are no topics.
//
// # Properties
//
// Those of the tree, and, in some state that stays reachable:
//
//   - all nodes have delivered the same publications. With the tree's properties that is: what is known to
//     any node that is up reaches all.
//
// Always:
//
//   - no node delivers a publication twice between two crashes;
//   - what a node publishes it delivers itself.
//
// Sometimes:
//
//   - something that was published by every node has reached all.
package multicast

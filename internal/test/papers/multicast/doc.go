// Package multicast is an application over RandTree: publications reach all nodes along the edges of the tree. It
// shows a stack of services: multicast over package randtree over the streams of the network, or over package
// transport over datagrams (parameter over).
//
// # Protocol
//
// A publication has an identifier from the publisher's monotone counter. A node delivers new publications, and
// passes them on to its other neighbors in the tree. Two nodes that become neighbors exchange all publications that
// they have delivered. So publications made while they were apart, or lost with a connection, get through. Messages
// refused by a full send buffer are made up for in the same way when there is room.
//
// # Calls
//
// Down: the handlers of a node call those of its tree, which calls those of its transport if it has one. The
// application calls JoinOverlay and Send of the tree. Up: the tree calls Deliver, Linked and Ready, through an
// interface that the lower service holds.
//
// # Source
//
// None: it is the obvious first design on a tree. Nothing had to be added.
//
// # Simplifications
//
// Publications are forgotten only by a crash. A node sends a new neighbor everything, not only what that lacks.
// There are no topics.
//
// # Properties
//
// Those of the tree, and, in some state that stays reachable:
//
//   - all nodes have delivered the same publications. With the tree's properties this means that a publication known to
//     any node that is up reaches all.
//
// Always:
//
//   - no node delivers a publication twice between two crashes;
//   - a node delivers its own publications.
//
// Sometimes:
//
//   - a publication of every node has reached all.
package multicast

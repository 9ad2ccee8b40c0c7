// Package transport is a reliable transport over datagrams. Messages of any size arrive in order and once, or the
// sender is notified that the connection failed. [Transport] is a service for other services. The bundled system checks
// it with [Talker], an application that sends numbered messages to all other nodes.
//
// # Protocol
//
// Every node has one outgoing and one incoming connection with each peer, independent of each other. They need no
// handshake: the first packet of a connection carries its initial sequence number and a SYN identifier from the
// sender's monotone counter, and opens the connection at the receiver. A SYN with the number of the open connection is
// a duplicate. A SYN older than another accepted one is refused with a reset, and a newer one replaces the open
// connection. Packets of unknown connections are refused, too.
//
// Messages travel as one or more packets. The receiver keeps early packets in a reorder buffer and acknowledges
// cumulatively. It delivers a message after all its packets have arrived and all earlier messages were delivered.
//
// The sender has a congestion window: slow start up to a threshold, then one more packet per window. Each packet in
// flight has a retransmission timer. When it fires, the window shrinks to one packet, and the packet waits in the
// retransmit buffer until the window admits it again. The third duplicate acknowledgement makes the sender resend the
// oldest packet at once.
//
// A reset closes the outgoing connection at its sender. A packet that was sent too often, or is in flight for too long,
// closes both directions. In both cases the application is notified and decides what to resend. If the send buffer is
// full, messages are refused, and the application may request a call-back, made by a timer, when there is room.
//
// # Source
//
// The reliable transport of Killian, Anderson, Jhala and Vahdat, "Life, Death, and the Critical
// Transition: Finding Liveness Bugs in Systems Code" (NSDI 2007, extended version), with the defects
// MT1 to MT10 described there.
//
// # As a library
//
// A service that owns a [Transport] implements [Application]. A [Carrier] offers the same to services that can also use
// the streams of the network. These provide more than the transport: one connection for both directions that fails as a
// whole, on both sides, with all messages in flight. Over a transport the carrier adds sessions for this. Systems with
// a carrier have the parameter over, see [OverParam].
//
// # Simplifications
//
//   - Messages are Go values and are not marshalled: a [Sized] message reports its number of packets. The first
//     fragment carries the value, and the others represent the rest.
//   - Windows count packets. The retransmission time-out is not estimated from round trips.
//   - Initial sequence numbers are derived from the SYN identifier, a thousand apart, so that every number identifies
//     its connection. A connection that has used up its thousand is replaced.
//   - The age of the oldest packet in flight counts from when it became the oldest.
//   - The first packet travels alone. Otherwise the second could arrive first and be refused.
//
// # Additions to the source
//
// The identifier of the last accepted SYN of a peer survives not only connections but crashes: it is on disk before the
// SYN is acknowledged. Otherwise a restarted receiver would accept a SYN in flight from an earlier connection, and wait
// for packets that its sender has already discarded. For the same reason the last SYN itself is refused once its
// connection is closed.
//
// # Properties
//
// In some state that stays reachable:
//
//   - every node has handed over all its messages;
//   - on every open connection all of them are acknowledged: nothing is in flight, the buffers of the
//     sender are empty, and both ends agree on the next sequence number.
//
// Always:
//
//   - messages are delivered in order and once;
//   - a message is delivered only when all its packets have arrived;
//   - every packet in flight has its timer;
//   - an acknowledgement is neither above nor below what has arrived in order;
//   - packets in the reorder buffer are dropped by a SYN or a time-out only;
//   - every clear-to-send call-back answers a request.
//
// An assertion in the code: the delivered message is the next one and was not delivered before.
//
// # Files
//
//	transport.go                 Transport, for services that own one
//	outgoing.go                  what is sent when: window, retransmission, resets
//	incoming.go                  what is accepted, acknowledged and delivered
//	session.go                   sessions over the transport: one connection for both directions
//	carrier.go, networkparam.go  Carrier: transport or streams, by a parameter
//	messages.go                  packets, acknowledgements, resets; timers
//	talker.go                    the application of the bundled system
//	properties.go                properties
//	system.go, bugs.go           the system; the defects MT1 to MT10
package transport

// Package transport is a reliable transport over datagrams: messages of any size arrive in order and
// once, or the sender is told that the connection failed. [Transport] is a service for other
// services. [Talker], an application that sends numbered messages to all other nodes, is what the
// bundled system checks it with.
//
// # Protocol
//
// Every node has one outgoing and one incoming connection with each peer, which are independent of
// each other. There is no handshake: the first packet of a connection carries its initial sequence
// number and a SYN identifier from the sender's monotone counter, and opens it at the receiver. A SYN
// with the number of the open connection is a duplicate, one that is older than another which was
// accepted is refused with a reset, and a newer one replaces what is open. Packets that belong to no
// connection are refused, too.
//
// Messages travel as one or more packets. The receiver keeps what arrives early in a reorder buffer,
// acknowledges cumulatively, and delivers a message when all its packets have arrived and all earlier
// messages have been delivered.
//
// The sender keeps a congestion window: slow start up to a threshold, then one packet more per window.
// Each packet in flight has a retransmission timer. When it fires the packet waits in the retransmit
// buffer until the window, which shrinks to one packet, lets it go again. The third duplicate
// acknowledgement has the oldest packet sent again at once.
//
// A reset closes the outgoing connection at its sender. A packet that was sent too often, or is in
// flight for too long, closes both directions. Either way the application is told; it decides what
// to send again. When the send buffer is full messages are refused, and the application may ask for a
// call-back, made by a timer, when there is room.
//
// # Source
//
// The reliable transport of Killian, Anderson, Jhala and Vahdat, "Life, Death, and the Critical
// Transition: Finding Liveness Bugs in Systems Code" (NSDI 2007, extended version), with the defects
// MT1 to MT10 described there.
//
// # As a library
//
// A service that owns a [Transport] implements [Application]. A [Carrier] offers the same to services that
// can also use the streams of the network, which is more than the transport does by itself: a connection
// for both directions that fails as a whole, on both sides, with all that is on the way. Over a transport
// it puts sessions in between. Systems that use one have the parameter over, see [OverParam].
//
// # Simplifications
//
//   - Messages are Go values and are not marshalled: a [Sized] message says how many packets it takes,
//     the first fragment carries the value and the others stand for the rest.
//   - Windows count packets. The retransmission time-out is not estimated from round trips.
//   - Initial sequence numbers follow from the SYN identifier, a thousand apart, so that every number
//     tells its connection. A connection that has used up its thousand is replaced.
//   - The age of the oldest packet in flight counts from when it became the oldest.
//   - The first packet travels alone. Else the second could arrive first and be refused.
//
// # What had to be added
//
// The identifier of the last SYN that was accepted from a peer outlives not only connections but
// crashes: it is on disk before the SYN is acknowledged. A receiver that restarts would otherwise
// accept a SYN that is still on its way from an earlier connection, and wait for packets that its
// sender has long forgotten. For the same reason the last SYN itself is refused when its connection is
// not open any more.
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
// An assertion in the code: what is delivered is what is next, and was not delivered before.
package transport
